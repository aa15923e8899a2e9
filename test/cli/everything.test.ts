/** All resources in one program, with their dependencies. */
import { definitions } from "../../src/definitions";
import { createStack, declare, startService } from "../support/cli/cliStack";
import { normalize } from "../support/data/samples";
import { declareMissing } from "../support/engine/declareSamples";

const backend = { backendId: "bkdhr_a" };
const route = { edgeId: "edghts_a", routeId: "edghtsrt_a" };

/** Resources that depend on each other. */
const dependent = [
  declare("TcpEdge", "ssh", {
    hostports: ["1.tcp.example.com:20022"],
    backend,
    policy: { inbound: [{ name: "all" }] },
  }),
  declare("TcpEdgeIpRestriction", "office", { edgeId: "=ssh.id", ipPolicyIds: ["ipp_b", "ipp_a"] }),
  declare("TlsEdge", "api", {
    description: "=ssh.id",
    hostports: ["api.example.com:443"],
    backend,
    ipRestriction: { ipPolicyIds: ["ipp_a"] },
    mutualTls: { certificateAuthorityIds: ["ca_a"] },
  }),
  declare("TlsEdgeTlsTermination", "modern", { edgeId: "=api.id", terminateAt: "edge", minVersion: "1.3" }),
  declare("ApiKey", "key", { description: "=api.uri", keepers: { quarter: "1" } }),
  declare("HttpsEdgeRouteOidc", "login", { ...route, issuer: "https://id.example.com", clientSecret: "=key.token" }),
  declare("HttpsEdgeRouteRequestHeaders", "headers", { ...route, add: { "X-Api_Key": "=key.token", ETag: "1" } }),
  declare("HttpsEdgeRouteUserAgentFilter", "bots", { ...route, deny: ["(?i)bot"] }, { dependsOn: "=login" }),
].join("\n");

test("every resource is created, then unchanged, refreshed without drift, and destroyed", async () => {
  const emulator = await startService();
  emulator.seed({ httpsEdges: [{ id: route.edgeId, routes: [{ id: route.routeId }] }] });
  const independent = declareMissing(dependent, emulator, "mine");
  const statements = independent.map(({ statement }) => statement);
  const before = emulator.account;
  const { stack, calls } = await createStack(emulator, [dependent, ...statements].join("\n"));

  const up = await stack.up({ preview: true });
  expect(new Set(up.steps.map(({ type }) => type.split(":").pop()))).toEqual(
    new Set(definitions.map(({ type }) => type)),
  );
  expect(up.diagnostics).toEqual([]);
  expect(calls()).toHaveLength(definitions.length);
  for (const { sample, parents } of independent) {
    const objects = sample.findObjects(emulator.account, "mine", parents).map(({ object }) => normalize(object));
    expect(objects).toEqual([normalize(sample.programs("mine")[0])]);
  }
  const { apiKeys, tcpEdges, tlsEdges, httpsEdges } = emulator.account;
  const policies = expect.objectContaining({ ip_policies: [expect.anything(), expect.anything()] });
  expect(apiKeys).toMatchObject([{}, { description: tlsEdges[0]?.uri }]);
  expect(tcpEdges).toMatchObject([{ ip_restriction: policies, policy: { inbound: [{ name: "all" }] } }]);
  expect(tlsEdges).toMatchObject([
    {
      description: tcpEdges[0]?.id,
      tls_termination: { min_version: "1.3" },
      mutual_tls: { enabled: true },
    },
  ]);
  expect(httpsEdges.find(({ id }) => id === route.edgeId)?.routes).toMatchObject([
    {
      oidc: { issuer: "https://id.example.com" },
      request_headers: { add: { ETag: "1" } },
      user_agent_filter: { deny: ["(?i)bot"] },
    },
  ]);

  const unchanged = { same: definitions.length + 1 };
  expect((await stack.up({ preview: true, args: ["--expect-no-changes"] })).summary).toEqual(unchanged);
  expect(calls()).toEqual([]);
  expect((await stack.refresh()).summary).toEqual(unchanged);
  expect((await stack.preview({ expectNoChanges: true })).summary).toEqual(unchanged);
  const reads = calls();
  expect(reads).toHaveLength(definitions.length);
  expect(new Set(reads.map((call) => call.split(" ")[0]))).toEqual(new Set(["GET"]));

  await stack.destroy();
  // The separate modules of edges of the program go with their edges.
  expect(calls()).toHaveLength(definitions.length - 2);
  expect(emulator.account).toEqual(before);
});
