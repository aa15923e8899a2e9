import pulumi
import pulumi_tunnel_edge as tunnel

# SSH for the office only: the hostport that clients dial, the backend they reach, and who can connect.
ssh = tunnel.TcpEdge(
    "ssh",
    description="SSH to the build machines",
    hostports=["1.tcp.tunnel.example:20022"],
    backend={"backend_id": "bkdtg_builders"},
    ip_restriction={"ip_policy_ids": ["ipp_office"]},
)

# An API for partners, who need a client certificate and TLS 1.3.
api = tunnel.TlsEdge(
    "api",
    description="API for partners",
    hostports=["api.tunnel.example:443"],
    backend={"backend_id": "bkdtg_api"},
    mutual_tls={"certificate_authority_ids": ["ca_partners"]},
    tls_termination={"terminate_at": tunnel.TerminateAt.EDGE, "min_version": "1.3"},
)

# The build machines can start tunnels, but only for their own names.
tunnel.SshCredential(
    "builders",
    description="Build machines",
    public_key="ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKaN6nUJp/Lex67wg8EMRcF/UN0eYl4xCiQUNHYshMsV builders@tunnel.example",
    acl=["bind:*.builds.tunnel.example"],
)

# A key for deployments. When the quarter changes, `pulumi up` creates a new key before it deletes the old one.
key = tunnel.ApiKey("deployments", description="Deployments", keepers={"quarter": "2027-Q1"})

# The tunnels that are online now: only read, not managed.
online = tunnel.get_tunnels_output(region="eu")

pulumi.export("sshEdge", ssh.id)
pulumi.export("sshAddress", ssh.hostports[0])
pulumi.export("apiAddress", api.hostports[0])
pulumi.export("deploymentToken", key.token)  # encrypted in the state, displayed as [secret]
pulumi.export("online", online.tunnels.apply(lambda all: [each.public_url for each in all]))
