/** The tests of a resource of each kind, with the plugin. What it does itself is the same for all of a kind. */
import { testWithPlugin } from "./withPlugin";

testWithPlugin(
  "resources/tcpEdge.test", // an object with modules
  "resources/apiKey.test", // an object with a token
  "resources/httpsEdgeRouteOidc.test", // a module with a secret
  "resources/httpsEdgeRouteRequestHeaders.test", // a module with a map
  "resources/tunnelSessionCommand.test",
  "resources/rules.test",
);
