/** All ten resources in one program, with their dependencies. */
import { definitions } from "../../src/definitions";
import { createStack, declare, startService } from "../support/cliStack";

const backend = { backendId: "bkdhr_a" };
const route = { edgeId: "edghts_a", routeId: "edghtsrt_a" };

const source = [
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
  declare("SshCredential", "credential", { publicKey: "ssh-ed25519 AAAA test", acl: ["bind:*.example.com"] }),
  declare("HttpsEdgeTlsTermination", "web", { edgeId: route.edgeId, minVersion: "1.2" }),
  declare("HttpsEdgeRouteOidc", "login", { ...route, issuer: "https://id.example.com", clientSecret: "=key.token" }),
  declare("HttpsEdgeRouteRequestHeaders", "headers", { ...route, add: { "X-Api_Key": "=key.token", ETag: "1" } }),
  declare("HttpsEdgeRouteUserAgentFilter", "bots", { ...route, deny: ["(?i)bot"] }, { dependsOn: "=login" }),
].join("\n");

test("up, up again, preview, refresh, destroy", async () => {
  const emulator = await startService();
  emulator.seed({ httpsEdges: [{ id: route.edgeId, routes: [{ id: route.routeId }] }] });
  const before = emulator.account;
  const { stack, calls } = await createStack(emulator, source);

  const up = await stack.up({ preview: true });
  expect(new Set(up.steps.map(({ type }) => type.split(":").pop()))).toEqual(
    new Set(definitions.map(({ type }) => type)),
  );
  expect(up.diagnostics).toEqual([]);
  expect(calls()).toHaveLength(definitions.length);
  const { apiKeys, sshCredentials, tcpEdges, tlsEdges, httpsEdges } = emulator.account;
  const policies = expect.objectContaining({ ip_policies: [expect.anything(), expect.anything()] });
  expect(sshCredentials).toHaveLength(1);
  expect(apiKeys).toMatchObject([{}, { description: tlsEdges[0]?.uri }]);
  expect(tcpEdges).toMatchObject([{ ip_restriction: policies, policy: { inbound: [{ name: "all" }] } }]);
  expect(tlsEdges).toMatchObject([
    {
      description: tcpEdges[0]?.id,
      tls_termination: { min_version: "1.3" },
      mutual_tls: { enabled: true },
    },
  ]);
  expect(httpsEdges).toMatchObject([
    {
      tls_termination: { min_version: "1.2" },
      routes: [
        {
          oidc: { issuer: "https://id.example.com" },
          request_headers: { add: { ETag: "1" } },
          user_agent_filter: { deny: ["(?i)bot"] },
        },
      ],
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
  expect(calls()).toHaveLength(definitions.length);
  expect(emulator.account).toEqual(before);
});
