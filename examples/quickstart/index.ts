import * as tunnel from "pulumi-tunnel-edge";

// SSH for the office alone: the address that clients dial, where their connections go, and who may connect.
const ssh = new tunnel.TcpEdge("ssh", {
  description: "SSH to the build machines",
  hostports: ["1.tcp.tunnel.example:20022"],
  backend: { backendId: "bkdhr_builders" },
  ipRestriction: { ipPolicyIds: ["ipp_office"] },
});

export const id = ssh.id;
export const hostports = ssh.hostports;
export const uri = ssh.uri;
