import * as tunnel from "pulumi-tunnel-edge";

// The address that clients dial, where their connections go, and who may connect: all of your own account.
const ssh = new tunnel.TcpEdge("ssh", {
  description: "SSH to the build machines",
  hostports: ["1.tcp.tunnel.example:20022"],
  backend: { backendId: "bkdhr_builders" },
  ipRestriction: { ipPolicyIds: ["ipp_office"] },
});

export const hostports = ssh.hostports;
