import com.example.tunneledge.ApiKey;
import com.example.tunneledge.ApiKeyArgs;
import com.example.tunneledge.Provider;
import com.example.tunneledge.ProviderArgs;
import com.example.tunneledge.TlsEdge;
import com.example.tunneledge.TlsEdgeArgs;
import com.example.tunneledge.TunneledgeFunctions;
import com.example.tunneledge.enums.TerminateAt;
import com.example.tunneledge.inputs.GetTunnelsArgs;
import com.example.tunneledge.inputs.TlsTerminationArgs;
import com.pulumi.Pulumi;
import com.pulumi.core.Output;
import com.pulumi.resources.CustomResourceOptions;

public class App {
  public static void main(String[] args) {
    Pulumi.run(ctx -> {
      var account = new Provider("account", ProviderArgs.builder()
          .apiKey(Output.ofSecret(System.getenv("TUNNEL_EDGE_API_KEY")))
          .build());
      var api = new TlsEdge("api", TlsEdgeArgs.builder()
          .hostports("api.example.com:443")
          .tlsTermination(TlsTerminationArgs.builder().terminateAt(TerminateAt.Edge).build())
          .build(), CustomResourceOptions.builder().provider(account).build());
      var key = new ApiKey("key", ApiKeyArgs.builder().description("rehearsal").build());
      var online = TunneledgeFunctions.getTunnels(GetTunnelsArgs.builder().region("eu").build());

      ctx.export("hostports", api.hostports());
      ctx.export("token", key.token());
      ctx.export("online", online.applyValue(found -> found.tunnels().size()));
    });
  }
}
