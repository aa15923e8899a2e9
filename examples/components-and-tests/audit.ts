import * as tunnel from "pulumi-tunnel-edge";

/** The edges of the account that everybody can reach, whoever created them. */
export async function openEdges(): Promise<string[]> {
  const [{ tcpEdges }, { tlsEdges }] = await Promise.all([tunnel.getTcpEdges(), tunnel.getTlsEdges()]);
  return [...tcpEdges, ...tlsEdges]
    .filter(({ hostports, ipRestriction }) => hostports.length > 0 && ipRestriction?.enabled !== true)
    .map(({ id }) => id);
}
