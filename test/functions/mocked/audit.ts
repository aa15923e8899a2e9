/** Queries of an account, to be tested with mocks. */
import type * as pulumi from "@pulumi/pulumi";
import * as tunnel from "pulumi-tunnel-edge";

/** The edges that anyone can reach. */
export async function openEdges(): Promise<string[]> {
  const [{ tcpEdges }, { tlsEdges }] = await Promise.all([tunnel.getTcpEdges(), tunnel.getTlsEdges()]);
  return [...tcpEdges, ...tlsEdges]
    .filter(({ hostports, ipRestriction }) => hostports.length > 0 && ipRestriction?.enabled !== true)
    .map(({ id }) => id);
}

/** The agents that should be updated. */
export async function outdatedAgents(version: string): Promise<string[]> {
  const { tunnelSessions } = await tunnel.getTunnelSessions({ transport: "service/v2" });
  return tunnelSessions.filter(({ agentVersion }) => agentVersion !== version).map(({ ip }) => ip);
}

/** Where the traffic of an app goes. */
export async function upstreams(app: string): Promise<(string | undefined)[]> {
  const { tunnels } = await tunnel.getTunnels({ labels: { app } });
  return tunnels.map(({ forwardsTo }) => forwardsTo);
}

/** Who started a tunnel through the SSH gateway, and from where. */
export async function originOf(tunnelId: string): Promise<{ ownerId: string; ip: string }> {
  const { tunnelSession } = await tunnel.getTunnel({ id: tunnelId });
  const { credential, ip } = await tunnel.getTunnelSession({ id: tunnelSession.id });
  const { ownerId } = await tunnel.getSshCredential({ id: credential.id });
  return { ownerId, ip };
}

/** Everything that gives access: API keys, and SSH credentials that may bind anything. */
export async function waysIn(keyId: string): Promise<string[]> {
  const { ownerId } = await tunnel.getApiKey({ id: keyId });
  const { keys } = await tunnel.getApiKeys({ ownerId });
  const { sshCredentials } = await tunnel.getSshCredentials({ ownerId });
  return [...keys, ...sshCredentials.filter(({ acl }) => acl.length === 0)].map(({ id }) => id);
}

/** How a TCP edge and a TLS edge are protected, for ids that may be Outputs. */
export function guards(tcpEdgeId: pulumi.Input<string>, tlsEdgeId: pulumi.Input<string>) {
  return {
    ports: tunnel.getTcpEdgeOutput({ id: tcpEdgeId }).hostports,
    policies: tunnel.getTcpEdgeIpRestrictionOutput({ edgeId: tcpEdgeId }).ipPolicyIds,
    authorities: tunnel.getTlsEdgeOutput({ id: tlsEdgeId }).mutualTls.apply((tls) => tls?.certificateAuthorityIds),
    version: tunnel.getTlsEdgeTlsTerminationOutput({ edgeId: tlsEdgeId }).minVersion,
  };
}

/** How a route of an HTTPS edge is protected. The client secret stays a secret. */
export function routeGuards(edgeId: pulumi.Input<string>, routeId: pulumi.Input<string>) {
  const route = { edgeId, routeId };
  const login = tunnel.getHttpsEdgeRouteOidcOutput(route);
  return {
    version: tunnel.getHttpsEdgeTlsTerminationOutput({ edgeId }).minVersion,
    issuer: login.issuer,
    clientSecret: login.clientSecret,
    removed: tunnel.getHttpsEdgeRouteRequestHeadersOutput(route).remove,
    denied: tunnel.getHttpsEdgeRouteUserAgentFilterOutput(route).deny,
  };
}
