// Two edges, a key and a credential.
package main

import (
	tunnel "example.com/pulumi-tunnel-edge/sdk/go/tunneledge"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		// SSH for the office only: the hostport that clients dial, the backend they reach, and who can connect.
		ssh, err := tunnel.NewTcpEdge(ctx, "ssh", &tunnel.TcpEdgeArgs{
			Description:   pulumi.String("SSH to the build machines"),
			Hostports:     pulumi.ToStringArray([]string{"1.tcp.tunnel.example:20022"}),
			Backend:       tunnel.BackendArgs{BackendId: pulumi.String("bkdtg_builders")},
			IpRestriction: tunnel.IpRestrictionArgs{IpPolicyIds: pulumi.ToStringArray([]string{"ipp_office"})},
		})
		if err != nil {
			return err
		}

		// An API for partners, who need a client certificate and TLS 1.3.
		api, err := tunnel.NewTlsEdge(ctx, "api", &tunnel.TlsEdgeArgs{
			Description: pulumi.String("API for partners"),
			Hostports:   pulumi.ToStringArray([]string{"api.tunnel.example:443"}),
			Backend:     tunnel.BackendArgs{BackendId: pulumi.String("bkdtg_api")},
			MutualTls: tunnel.MutualTlsArgs{
				CertificateAuthorityIds: pulumi.ToStringArray([]string{"ca_partners"}),
			},
			TlsTermination: tunnel.TlsTerminationArgs{
				TerminateAt: tunnel.TerminateAtEdge,
				MinVersion:  pulumi.String("1.3"),
			},
		})
		if err != nil {
			return err
		}

		// The build machines can start tunnels, but only for their own names.
		if _, err := tunnel.NewSshCredential(ctx, "builders", &tunnel.SshCredentialArgs{
			Description: pulumi.String("Build machines"),
			PublicKey:   pulumi.String("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKaN6nUJp/Lex67wg8EMRcF/UN0eYl4xCiQUNHYshMsV builders@tunnel.example"),
			Acl:         pulumi.ToStringArray([]string{"bind:*.builds.tunnel.example"}),
		}); err != nil {
			return err
		}

		// A key for deployments. When the quarter changes, `pulumi up` creates a new key before it deletes the old one.
		key, err := tunnel.NewApiKey(ctx, "deployments", &tunnel.ApiKeyArgs{
			Description: pulumi.String("Deployments"),
			Keepers:     pulumi.ToStringMap(map[string]string{"quarter": "2027-Q1"}),
		})
		if err != nil {
			return err
		}

		// The tunnels that are online now: only read, not managed.
		online, err := tunnel.GetTunnels(ctx, &tunnel.GetTunnelsArgs{Region: pulumi.StringRef("eu")})
		if err != nil {
			return err
		}
		addresses := []string{}
		for _, each := range online.Tunnels {
			if each.PublicUrl != nil {
				addresses = append(addresses, *each.PublicUrl)
			}
		}

		ctx.Export("sshEdge", ssh.ID())
		ctx.Export("sshAddress", ssh.Hostports.Index(pulumi.Int(0)))
		ctx.Export("apiAddress", api.Hostports.Index(pulumi.Int(0)))
		ctx.Export("deploymentToken", key.Token) // encrypted in the state, displayed as [secret]
		ctx.Export("online", pulumi.ToStringArray(addresses))
		return nil
	})
}
