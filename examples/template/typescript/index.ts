import * as tunnel from "pulumi-tunnel-edge";

// Replace the hostport and the ids with those of your account.
const ssh = new tunnel.TcpEdge("ssh", {
  description: "SSH to the build machines",
  hostports: ["1.tcp.tunnel.example:20022"],
  backend: { backendId: "bkdtg_builders" },
  ipRestriction: { ipPolicyIds: ["ipp_office"] },
});

export const hostports = ssh.hostports;
