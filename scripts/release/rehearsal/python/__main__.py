import os

import pulumi
import pulumi_tunnel_edge as tunnel

account = tunnel.Provider("account", api_key=pulumi.Output.secret(os.environ["TUNNEL_EDGE_API_KEY"]))
api = tunnel.TlsEdge(
    "api",
    hostports=["api.example.com:443"],
    tls_termination={"terminate_at": tunnel.TerminateAt.EDGE},
    opts=pulumi.ResourceOptions(provider=account),
)
key = tunnel.ApiKey("key", description="rehearsal")
online = tunnel.get_tunnels_output(region="eu")

pulumi.export("hostports", api.hostports)
pulumi.export("token", key.token)
pulumi.export("online", online.tunnels.apply(len))
