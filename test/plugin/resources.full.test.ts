/** The tests of every resource, with the plugin. */
import { testWithPlugin } from "./withPlugin";

testWithPlugin(
  "resources/apiKey.test",
  "resources/httpsEdgeRouteOidc.test",
  "resources/httpsEdgeRouteRequestHeaders.test",
  "resources/httpsEdgeRouteUserAgentFilter.test",
  "resources/httpsEdgeTlsTermination.test",
  "resources/sshCredential.test",
  "resources/tcpEdge.test",
  "resources/tcpEdgeIpRestriction.test",
  "resources/tlsEdge.test",
  "resources/tlsEdgeTlsTermination.test",
  "resources/tunnelSessionCommand.test",
  "resources/rules.test",
);
