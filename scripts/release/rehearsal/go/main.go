package main

import (
	"os"

	tunnel "example.com/pulumi-tunnel-edge/sdk/go/tunneledge"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		account, err := tunnel.NewProvider(ctx, "account", &tunnel.ProviderArgs{
			ApiKey: pulumi.ToSecret(pulumi.String(os.Getenv("TUNNEL_EDGE_API_KEY"))).(pulumi.StringOutput),
		})
		if err != nil {
			return err
		}
		api, err := tunnel.NewTlsEdge(ctx, "api", &tunnel.TlsEdgeArgs{
			Hostports:      pulumi.ToStringArray([]string{"api.example.com:443"}),
			TlsTermination: tunnel.TlsTerminationArgs{TerminateAt: tunnel.TerminateAtEdge},
		}, pulumi.Provider(account))
		if err != nil {
			return err
		}
		key, err := tunnel.NewApiKey(ctx, "key", &tunnel.ApiKeyArgs{Description: pulumi.String("rehearsal")})
		if err != nil {
			return err
		}
		online, err := tunnel.GetTunnels(ctx, &tunnel.GetTunnelsArgs{Region: pulumi.StringRef("eu")})
		if err != nil {
			return err
		}
		ctx.Export("hostports", api.Hostports)
		ctx.Export("token", key.Token)
		ctx.Export("online", pulumi.Int(len(online.Tunnels)))
		return nil
	})
}
