/** The tests of every resource, with the plugin in place of the dynamic provider. */
process.env["TESTED_PROVIDER"] = "plugin";
// Loaded here, so that its processes end after the last test.
require("../support/host");

describe.each([
  "apiKey",
  "httpsEdgeRouteOidc",
  "httpsEdgeRouteRequestHeaders",
  "httpsEdgeRouteUserAgentFilter",
  "httpsEdgeTlsTermination",
  "sshCredential",
  "tcpEdge",
  "tcpEdgeIpRestriction",
  "tlsEdge",
  "tlsEdgeTlsTermination",
  "tunnelSessionCommand",
  "rules",
])("%s", (name) => {
  require(`../resources/${name}.test`);
});
