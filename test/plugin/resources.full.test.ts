/** The tests of every resource, with the plugin in place of the dynamic provider. */
process.env["TESTED_PROVIDER"] = "plugin";
// Loaded here, so that processes and emulators end after the last test, not after the first file.
require("../support/emulatorHost");

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
