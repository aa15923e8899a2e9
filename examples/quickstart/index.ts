import * as tunnel from "pulumi-tunnel-edge";

// SSH for the office only: the hostport that clients dial, the backend they reach, and who can connect.
const ssh = new tunnel.TcpEdge("ssh", {
  description: "SSH to the build machines",
  hostports: ["1.tcp.tunnel.example:20022"],
  backend: { backendId: "bkdtg_builders" },
  ipRestriction: { ipPolicyIds: ["ipp_office"] },
});

// An API for partners, who need a client certificate and TLS 1.3.
const api = new tunnel.TlsEdge("api", {
  description: "API for partners",
  hostports: ["api.tunnel.example:443"],
  backend: { backendId: "bkdtg_api" },
  mutualTls: { certificateAuthorityIds: ["ca_partners"] },
  tlsTermination: { terminateAt: "edge", minVersion: "1.3" },
});

// The build machines can start tunnels, but only for their own names.
new tunnel.SshCredential("builders", {
  description: "Build machines",
  publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKaN6nUJp/Lex67wg8EMRcF/UN0eYl4xCiQUNHYshMsV builders@tunnel.example",
  acl: ["bind:*.builds.tunnel.example"],
});

// A key for deployments. When the quarter changes, `pulumi up` creates a new key before it deletes the old one.
const key = new tunnel.ApiKey("deployments", { description: "Deployments", keepers: { quarter: "2027-Q1" } });

// The tunnels that are online now: only read, not managed.
const { tunnels } = tunnel.getTunnelsOutput();

export const sshEdge = ssh.id;
export const sshAddress = ssh.hostports[0];
export const apiAddress = api.hostports[0];
export const deploymentToken = key.token; // encrypted in the state, displayed as [secret]
export const online = tunnels.apply((all) => all.map((each) => `${each.publicUrl} → ${each.forwardsTo}`));
