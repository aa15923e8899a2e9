import * as pulumi from "@pulumi/pulumi";
import * as audit from "./audit";

const outcome = <T>(output: pulumi.Output<T>) => new Promise<T>((resolve) => output.apply(resolve));

/** The account: the result of each function. Mocks get a function's arguments as `inputs`. */
const results: Record<string, (args: Record<string, string>) => object> = {
  getTcpEdges: () => ({
    tcpEdges: [
      { id: "edgtcp_open", hostports: ["1.tcp.example.com:1"] },
      { id: "edgtcp_office", hostports: ["1.tcp.example.com:2"], ipRestriction: { enabled: true, ipPolicyIds: ["i"] } },
    ],
  }),
  getTlsEdges: () => ({
    tlsEdges: [{ id: "edgtls_off", hostports: ["a:443"], ipRestriction: { enabled: false, ipPolicyIds: ["i"] } }],
  }),
  getTunnelSessions: () => ({
    tunnelSessions: [
      { id: "ts_1", agentVersion: "3.9.0", ip: "192.0.2.1" },
      { id: "ts_2", agentVersion: "3.5.0", ip: "192.0.2.2" },
    ],
  }),
  getTunnels: () => ({ tunnels: [{ id: "tn_1", forwardsTo: "http://localhost:80" }] }),
  getTunnel: () => ({ tunnelSession: { id: "ts_1" } }),
  getTunnelSession: () => ({ credential: { id: "sshcr_1" }, ip: "192.0.2.1" }),
  getSshCredential: () => ({ ownerId: "usr_1" }),
  getApiKey: () => ({ ownerId: "usr_1" }),
  getApiKeys: ({ ownerId }) => ({ keys: [{ id: `ak_of_${ownerId}` }] }),
  getSshCredentials: () => ({ sshCredentials: [{ id: "sshcr_1" }, { id: "sshcr_2", acl: ["bind:example.com"] }] }),
  getTcpEdge: ({ id }) => ({ id, hostports: ["1.tcp.example.com:1"] }),
  getTcpEdgeIpRestriction: () => ({ enabled: true, ipPolicyIds: ["ipp_office"] }),
  getTlsEdge: () => ({ mutualTls: { certificateAuthorityIds: ["ca_1"] } }),
  getTlsEdgeTlsTermination: () => ({ terminateAt: "edge", minVersion: "1.3" }),
  getHttpsEdgeTlsTermination: () => ({ minVersion: "1.2" }),
  getHttpsEdgeRouteOidc: () => ({ issuer: "https://login.example.com", clientSecret: "oidc-secret" }),
  getHttpsEdgeRouteRequestHeaders: () => ({ remove: ["Cookie"] }),
  getHttpsEdgeRouteUserAgentFilter: () => ({ deny: ["(?i)bot"] }),
};

const asked: { name: string; args: object }[] = [];

beforeEach(async () => {
  asked.length = 0;
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
    call: ({ token, inputs }) => {
      const name = token.replace("tunnel-edge:index:", "");
      asked.push({ name, args: inputs });
      return results[name]!(inputs);
    },
  });
});

test("an edge is open if it has a port and nothing that restricts it", async () => {
  expect(await audit.openEdges()).toEqual(["edgtcp_open", "edgtls_off"]);
});

test("an agent of another version is outdated, and SSH clients are not agents", async () => {
  expect(await audit.outdatedAgents("3.9.0")).toEqual(["192.0.2.2"]);
  expect(asked).toEqual([{ name: "getTunnelSessions", args: { transport: "service/v2" } }]);
});

test("upstreams are found by label", async () => {
  expect(await audit.upstreams("web")).toEqual(["http://localhost:80"]);
  expect(asked).toEqual([{ name: "getTunnels", args: { labels: { app: "web" } } }]);
});

test("a tunnel's origin is found through its session", async () => {
  expect(await audit.originOf("tn_1")).toEqual({ ownerId: "usr_1", ip: "192.0.2.1" });
  expect(asked.map(({ args }) => args)).toEqual([{ id: "tn_1" }, { id: "ts_1" }, { id: "sshcr_1" }]);
});

test("API keys and credentials without rules give access", async () => {
  expect(await audit.waysIn("ak_1")).toEqual(["ak_of_usr_1", "sshcr_1"]);
});

test("protection of edges, for ids that are Outputs", async () => {
  const guards = audit.guards(pulumi.output("edgtcp_1"), pulumi.output("edgtls_1"));
  expect(await outcome(pulumi.output(guards))).toEqual({
    ports: ["1.tcp.example.com:1"],
    policies: ["ipp_office"],
    authorities: ["ca_1"],
    version: "1.3",
  });
});

test("protection of a route, with its client secret as a secret", async () => {
  const { clientSecret, ...others } = audit.routeGuards("edghts_1", "edghtsrt_1");
  expect(await outcome(pulumi.output(others))).toEqual({
    version: "1.2",
    issuer: "https://login.example.com",
    removed: ["Cookie"],
    denied: ["(?i)bot"],
  });
  expect(await pulumi.isSecret(clientSecret)).toBe(true);
});
