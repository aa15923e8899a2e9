package edges;

import com.example.tunneledge.ApiKey;
import com.example.tunneledge.ApiKeyArgs;
import com.example.tunneledge.SshCredential;
import com.example.tunneledge.SshCredentialArgs;
import com.example.tunneledge.TcpEdge;
import com.example.tunneledge.TcpEdgeArgs;
import com.example.tunneledge.TlsEdge;
import com.example.tunneledge.TlsEdgeArgs;
import com.example.tunneledge.TunneledgeFunctions;
import com.example.tunneledge.enums.TerminateAt;
import com.example.tunneledge.inputs.BackendArgs;
import com.example.tunneledge.inputs.GetTunnelsArgs;
import com.example.tunneledge.inputs.IpRestrictionArgs;
import com.example.tunneledge.inputs.MutualTlsArgs;
import com.example.tunneledge.inputs.TlsTerminationArgs;
import com.pulumi.Context;
import com.pulumi.Pulumi;
import java.util.Map;
import java.util.stream.Collectors;

public class App {
  public static void main(String[] args) {
    Pulumi.run(App::declare);
  }

  static void declare(Context ctx) {
    // SSH for the office only: the hostport that clients dial, the backend they reach, and who can connect.
    var ssh = new TcpEdge("ssh", TcpEdgeArgs.builder()
        .description("SSH to the build machines")
        .hostports("1.tcp.tunnel.example:20022")
        .backend(BackendArgs.builder().backendId("bkdtg_builders").build())
        .ipRestriction(IpRestrictionArgs.builder().ipPolicyIds("ipp_office").build())
        .build());

    // An API for partners, who need a client certificate and TLS 1.3.
    var api = new TlsEdge("api", TlsEdgeArgs.builder()
        .description("API for partners")
        .hostports("api.tunnel.example:443")
        .backend(BackendArgs.builder().backendId("bkdtg_api").build())
        .mutualTls(MutualTlsArgs.builder().certificateAuthorityIds("ca_partners").build())
        .tlsTermination(TlsTerminationArgs.builder().terminateAt(TerminateAt.Edge).minVersion("1.3").build())
        .build());

    // The build machines can start tunnels, but only for their own names.
    new SshCredential("builders", SshCredentialArgs.builder()
        .description("Build machines")
        .publicKey("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKaN6nUJp/Lex67wg8EMRcF/UN0eYl4xCiQUNHYshMsV builders@tunnel.example")
        .acl("bind:*.builds.tunnel.example")
        .build());

    // A key for deployments. When the quarter changes, `pulumi up` creates a new key before it deletes the old one.
    var key = new ApiKey("deployments", ApiKeyArgs.builder()
        .description("Deployments")
        .keepers(Map.of("quarter", "2027-Q1"))
        .build());

    // The tunnels that are online now: only read, not managed.
    var online = TunneledgeFunctions.getTunnels(GetTunnelsArgs.builder().region("eu").build());

    ctx.export("sshEdge", ssh.id());
    ctx.export("sshAddress", ssh.hostports().applyValue(all -> all.get(0)));
    ctx.export("apiAddress", api.hostports().applyValue(all -> all.get(0)));
    ctx.export("deploymentToken", key.token()); // encrypted in the state, displayed as [secret]
    ctx.export("online", online.applyValue(found ->
        found.tunnels().stream().map(each -> each.publicUrl()).collect(Collectors.toList())));
  }
}
