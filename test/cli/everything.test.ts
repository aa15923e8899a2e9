/** All resources of both providers in one program: what a stack goes through, and that no secret is in clear anywhere. */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { definitions } from "../../src/definitions";
import { declare, startService, wrapProgram } from "../support/cli/cliStack";
import { Stack } from "../support/cli/pulumi";
import { readSaved } from "../support/cli/saved";
import { listWrites } from "../support/cli/yamlStack";
import { normalize } from "../support/data/samples";
import { declareMissing } from "../support/engine/declareSamples";

const providers = ["dynamic", "plugin"] as const;
type Provider = (typeof providers)[number];

const backend = { backendId: "bkdhr_a" };
const ipPolicyIds = ["ipp_b", "ipp_a"];
const routeOf = (provider: Provider) => ({ edgeId: `edghts_${provider}`, routeId: `edghtsrt_${provider}` });
/** What a program with the plugin reads of a resource, it declares. */
const output = "=undefined";

/** Resources that depend on each other, and one that is imported. */
function declareDependent(provider: Provider, text: string): string {
  const [route, tag] = [routeOf(provider), `${provider}.example.com`];
  return [
    declare("TcpEdge", "theirs", { description: "theirs" }, { import: `edgtcp_${provider}`, retainOnDelete: true }),
    declare("TcpEdge", "ssh", {
      description: text,
      hostports: [`1.${tag}:20022`],
      backend,
      policy: { inbound: [{ name: "all" }] },
    }),
    declare("TcpEdgeIpRestriction", "office", { edgeId: "=ssh.id", ipPolicyIds }),
    declare("TlsEdge", "api", {
      description: "=ssh.id",
      hostports: [`api.${tag}:443`],
      backend,
      ipRestriction: { ipPolicyIds: ["ipp_a"] },
      mutualTls: { certificateAuthorityIds: ["ca_a"] },
      uri: output,
    }),
    declare("TlsEdgeTlsTermination", "modern", { edgeId: "=api.id", terminateAt: "edge", minVersion: "1.3" }),
    declare("ApiKey", "key", { description: "=api.uri", keepers: { quarter: "1" }, token: output }),
    declare("HttpsEdgeRouteOidc", "login", { ...route, issuer: "https://id.example.com", clientSecret: "=key.token" }),
    declare("HttpsEdgeRouteRequestHeaders", "headers", { ...route, add: { "X-Api_Key": "=key.token", ETag: text } }),
    declare("HttpsEdgeRouteUserAgentFilter", "bots", { ...route, deny: ["(?i)bot"] }, { dependsOn: "=login" }),
  ].join("\n");
}

/** What the service has for the resources that depend on each other. */
function findDependent({ account }: Emulator, provider: Provider) {
  const ssh = account.tcpEdges.find(({ hostports }) => hostports?.[0]?.includes(`1.${provider}`));
  const api = account.tlsEdges.find(({ description }) => description === ssh?.id);
  const route = account.httpsEdges.find(({ id }) => id === routeOf(provider).edgeId)!.routes[0];
  const key = account.apiKeys.find(({ description }) => description === api?.uri);
  return { ssh, api, key, route, token: route?.oidc?.client_secret };
}

test("a program is created, refreshed, updated after drift, unchanged and destroyed, without a secret in clear", async () => {
  const emulator = await startService();
  emulator.seed({
    httpsEdges: providers.map((provider) => ({
      id: routeOf(provider).edgeId,
      routes: [{ id: routeOf(provider).routeId }],
    })),
    tcpEdges: providers.map((provider) => ({
      id: `edgtcp_${provider}`,
      description: "theirs",
      hostports: [`theirs.${provider}.example.com:1`],
    })),
  });
  const others = providers.map((provider) => declareMissing(declareDependent(provider, ""), emulator, provider));
  const before = emulator.account;
  /** The same program for each provider. */
  const program = (text: string) =>
    providers
      .map((provider, index) => {
        const statements = others[index]!.map(({ statement }) => statement);
        return `{\n${wrapProgram([declareDependent(provider, text), ...statements].join("\n"), provider)}}`;
      })
      .join("\n");
  const stack = await Stack.create({ program: program("one"), emulator });
  const each = definitions.length + 1; // of a provider, with what it imports
  const all = 2 * each + 1;

  const created = await stack.up({ preview: true });
  expect(new Set(created.steps.map(({ type }) => type.replace(/.*[:/]/, "")))).toEqual(
    new Set(definitions.map(({ type }) => type)),
  );
  expect(created.diagnostics.filter(({ severity }) => severity !== "info")).toEqual([]);
  expect(listWrites(emulator)).toHaveLength(2 * definitions.length);
  for (const [index, provider] of providers.entries()) {
    for (const { sample, parents } of others[index]!) {
      const objects = sample.findObjects(emulator.account, provider, parents).map(({ object }) => normalize(object));
      expect(objects).toEqual([normalize(sample.programs(provider)[0])]);
    }
    const { token, ...objects } = findDependent(emulator, provider);
    expect({ provider, token, ...objects }).toMatchObject({
      token: expect.stringMatching(/.{20}/),
      ssh: {
        description: "one",
        ip_restriction: { ip_policies: [{ id: "ipp_b" }, { id: "ipp_a" }] },
        policy: { inbound: [{ name: "all" }] },
      },
      api: { tls_termination: { min_version: "1.3" }, mutual_tls: { enabled: true } },
      key: {},
      route: {
        oidc: { issuer: "https://id.example.com" },
        request_headers: { add: { ETag: "one", "X-Api_Key": token } },
        user_agent_filter: { deny: ["(?i)bot"] },
      },
    });
  }

  // Somebody changes two edges, which a refresh finds and nothing else, and the program changes, too.
  for (const provider of providers)
    emulator.api("PATCH", `/edges/tcp/${findDependent(emulator, provider).ssh!.id}`, { description: "by hand" });
  const drifted = await stack.refresh();
  expect(drifted.summary).toEqual({ update: 2, same: all - 2 });
  stack.write(program("two"));
  emulator.clearRequests();
  const updated = await stack.up();
  const put = "PUT /edges/https/{edge_id}/routes/{id}/request_headers";
  expect(listWrites(emulator).sort()).toEqual(["PATCH /edges/tcp/{id}", "PATCH /edges/tcp/{id}", put, put]);
  for (const provider of providers)
    expect(findDependent(emulator, provider)).toMatchObject({
      ssh: { description: "two" },
      route: { request_headers: { add: { ETag: "two" } } },
    });

  emulator.clearRequests();
  expect((await stack.preview({ expectNoChanges: true })).summary).toEqual({ same: all });
  expect(emulator.calls()).toEqual([]);

  const secrets = [emulator.apiKey, ...providers.map((provider) => findDependent(emulator, provider).token!)];
  const texts = [created, drifted, updated].map(({ stdout, stderr }) => stdout + stderr);
  for (const text of [readSaved(stack), ...texts])
    for (const secret of secrets) expect(text.includes(secret)).toBe(false);

  await stack.destroy();
  // What was imported is retained. Of the separate modules, Pulumi deletes those of classes with their edges; the plugin
  // leaves only those to them that protect.
  expect(listWrites(emulator)).toHaveLength(definitions.length - 2 + definitions.length - 1);
  expect(emulator.account).toEqual(before);
});
