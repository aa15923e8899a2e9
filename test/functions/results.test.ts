import * as pulumi from "@pulumi/pulumi";
import * as tunnel from "pulumi-tunnel-edge";
import type { Emulator, Seed } from "pulumi-tunnel-edge/emulator";
import { toCamelCase } from "../../src/base/json";
import { readOnly } from "../../src/definitions";
import { createSampleObject } from "../support/data/bodies";
import * as modules from "../support/data/modules";
import { publicKey as createKey } from "../support/data/publicKey";
import { normalize, objectSamples, samples } from "../support/data/samples";
import type { Properties } from "../support/engine/provider";
import { readOutput, readOutputValue, startService } from "./support";

const publicKey = createKey("build");
const route = { edgeId: "edghts_1", routeId: "edghtsrt_1" };

/** An account with one object of every kind. */
const seed: Seed = {
  users: [{ id: "usr_1" }],
  apiKeys: [{ id: "ak_1", token: "token-of-ak_1", description: "ci", metadata: "team=edge", owner_id: "usr_1" }],
  sshCredentials: [{ id: "sshcr_1", public_key: publicKey, acl: ["bind:*.example.com"], owner_id: "usr_1" }],
  tcpEdges: [
    {
      id: "edgtcp_1",
      description: "ssh",
      hostports: ["1.tcp.example.com:20022"],
      backend: modules.backend.wire,
      ip_restriction: modules.ipRestriction.wire,
      policy: modules.policy.wire,
    },
  ],
  tlsEdges: [
    {
      id: "edgtls_1",
      hostports: ["api.example.com:443"],
      mutual_tls: modules.mutualTls.wire,
      tls_termination: modules.tlsTermination.wire,
    },
  ],
  httpsEdges: [
    {
      id: "edghts_1",
      tls_termination: { min_version: "1.3" },
      routes: [
        {
          id: "edghtsrt_1",
          oidc: { issuer: "https://login.example.com", client_id: "edge", client_secret: "oidc-secret", scopes: ["a"] },
          request_headers: { add: { "X-Api_Key": "v" }, remove: ["Cookie"] },
          user_agent_filter: { allow: ["(?i)curl"], deny: [] },
        },
      ],
    },
  ],
  sessions: [
    { id: "ts_1", credential_id: "cr_1", ip: "192.0.2.1", metadata: "build-1", os: "linux", region: "eu" },
    { id: "ts_2", credential_id: "cr_2", transport: "ssh", os: "windows", agent_version: "3.9.0" },
  ],
  tunnels: [
    { id: "tn_1", session_id: "ts_1", public_url: "https://a.example.com", proto: "https", endpoint_id: "ep_1" },
    {
      id: "tn_2",
      session_id: "ts_2",
      metadata: "blue",
      region: "eu",
      labels: { app: "web", snake_Key: "x" },
      backend_ids: ["bkdtg_1", "bkdtg_2"],
    },
  ],
};

const at = (emulator: Emulator, id: string, path: string) => ({ id, uri: `${emulator.url}${path}/${id}` });
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);

type Read<Result> = (args?: object) => Result;
const functions = tunnel as unknown as Record<string, Read<Promise<Properties>>>;
const outputFunctions = tunnel as unknown as Record<string, Read<pulumi.Output<Properties>>>;

/** The exact result for an object of each kind that has no sample, and for an edge and a module. */
const exact: [name: string, args: object, result: (emulator: Emulator) => object][] = [
  [
    "getTlsEdge",
    { id: "edgtls_1" },
    (emulator) => ({
      ...at(emulator, "edgtls_1", "/edges/tls"),
      hostports: ["api.example.com:443"],
      mutualTls: modules.mutualTls.full,
      tlsTermination: modules.tlsTermination.full,
      createdAt: time,
    }),
  ],
  ["getTcpEdgeIpRestriction", { edgeId: "edgtcp_1" }, () => ({ edgeId: "edgtcp_1", ...modules.ipRestriction.full })],
  [
    "getTunnelSession",
    { id: "ts_1" },
    (emulator) => ({
      ...at(emulator, "ts_1", "/tunnel_sessions"),
      agentVersion: "3.5.0",
      credential: { id: "cr_1", uri: expect.stringContaining("cr_1") },
      ip: "192.0.2.1",
      metadata: "build-1",
      os: "linux",
      region: "eu",
      startedAt: time,
      transport: "service/v2",
    }),
  ],
  [
    "getTunnel",
    { id: "tn_1" },
    (emulator) => ({
      id: "tn_1",
      publicUrl: "https://a.example.com",
      proto: "https",
      endpoint: { id: "ep_1", uri: expect.stringContaining("ep_1") },
      startedAt: time,
      region: "us",
      tunnelSession: at(emulator, "ts_1", "/tunnel_sessions"),
      backends: [],
      forwardsTo: "http://localhost:80",
    }),
  ],
  [
    "getTunnel",
    { id: "tn_2" },
    (emulator) => ({
      id: "tn_2",
      metadata: "blue",
      labels: { app: "web", snake_Key: "x" },
      backends: ["bkdtg_1", "bkdtg_2"].map((id) => ({ id, uri: expect.stringContaining(id) })),
      startedAt: time,
      region: "eu",
      tunnelSession: at(emulator, "ts_2", "/tunnel_sessions"),
      forwardsTo: "http://localhost:80",
    }),
  ],
];

test.each(exact)("%s of %j returns the same in both forms", async (name, args, result) => {
  const emulator = await startService();
  emulator.seed(seed);
  expect(await functions[name]!(args)).toStrictEqual(result(emulator));
  const value = result(emulator);
  expect(await readOutput(outputFunctions[`${name}Output`]!(args))).toStrictEqual({
    value,
    known: true,
    secret: false,
  });
});

describe("getHttpsEdgeRouteOidc", () => {
  const others = {
    ...route,
    enabled: true,
    optionsPassthrough: false,
    issuer: "https://login.example.com",
    clientId: "edge",
    scopes: ["a"],
  };

  test("marks only the client secret as a secret, in both forms", async () => {
    const emulator = await startService();
    emulator.seed(seed);
    const plain = await tunnel.getHttpsEdgeRouteOidc(route);
    expect(plain).toMatchObject(others);
    expect(await readOutput(plain.clientSecret)).toStrictEqual({ value: "oidc-secret", known: true, secret: true });

    const output = tunnel.getHttpsEdgeRouteOidcOutput(route);
    expect(await readOutput(output.clientSecret)).toStrictEqual({ value: "oidc-secret", known: true, secret: true });
    expect(await readOutput(output.issuer)).toMatchObject({ value: others.issuer, secret: false });
    expect(await readOutput(output.apply(({ clientSecret }) => clientSecret))).toMatchObject({ secret: true });
  });

  test.each(["masked", "absent"] as const)(
    "does not return a client secret that the service returns %s",
    async (oidcSecrets) => {
      const emulator = await startService({ oidcSecrets });
      emulator.seed(seed);
      const { clientSecret } = await tunnel.getHttpsEdgeRouteOidc(route);
      expect(await readOutput(clientSecret)).toStrictEqual({ value: undefined, known: true, secret: true });
    },
  );
});

test("every function that reads an object without a resource has its result above", () => {
  const names = exact.map(([name]) => name);
  for (const { type } of readOnly) expect(names).toContain(`get${type}`);
});

test.each(samples)("get$type returns what the program declares, in both forms", async (sample) => {
  const ids = createSampleObject(await startService(), sample, "it");
  const name = `get${sample.type}`;
  // A secret is an Output in the result.
  const result = await readOutputValue(pulumi.output(await readOutputValue(outputFunctions[`${name}Output`]!(ids))));
  expect(result).toMatchObject(ids);
  expect(normalize(result)).toEqual(normalize(sample.programs("it")[0]));
  expect(await readOutputValue(pulumi.output(await functions[name]!(ids)))).toStrictEqual(result);
});

describe("a list that is not set is empty", () => {
  const policy = { inbound: [{ name: "all" }] };
  const resolvedPolicy = { inbound: [{ name: "all", expressions: [], actions: [] }], outbound: [] };
  const routeWith = (modules: object): Seed => ({
    httpsEdges: [{ id: "edghts_1", routes: [{ id: "edghtsrt_1", ...modules }] }],
  });
  const online = { sessions: [{ id: "ts_1" }], tunnels: [{ id: "tn_1", session_id: "ts_1" }] };
  const tlsEdges = [{ hostports: [], policy: resolvedPolicy }];

  test.each<[name: string, args: object, seed: Seed, lists: object]>([
    [
      "getSshCredential",
      { id: "sshcr_1" },
      { sshCredentials: [{ id: "sshcr_1", public_key: publicKey }] },
      { acl: [] },
    ],
    ["getTcpEdge", { id: "edgtcp_1" }, { tcpEdges: [{ id: "edgtcp_1", policy }] }, tlsEdges[0]!],
    ["getTlsEdges", { description: "" }, { tlsEdges: [{ id: "edgtls_1", policy }] }, { tlsEdges }],
    ["getHttpsEdgeRouteOidc", route, routeWith({ oidc: {} }), { scopes: [] }],
    ["getHttpsEdgeRouteRequestHeaders", route, routeWith({ request_headers: {} }), { remove: [] }],
    ["getHttpsEdgeRouteUserAgentFilter", route, routeWith({ user_agent_filter: {} }), { allow: [], deny: [] }],
    ["getTunnels", {}, online, { tunnels: [{ backends: [] }] }],
    ["getTcpEdges", {}, {}, { tcpEdges: [] }],
  ])("%s", async (name, args, account, lists) => {
    const emulator = await startService();
    emulator.seed(account);
    expect(await functions[name]!(args)).toMatchObject(lists);
  });

  test("if the service returns a module without its lists", async () => {
    const emulator = await startService();
    emulator.fail({ path: "/edges/tls/edgtls_1", status: 200, body: { id: "edgtls_1", mutual_tls: {}, policy: {} } });
    expect(await tunnel.getTlsEdge({ id: "edgtls_1" })).toStrictEqual({
      id: "edgtls_1",
      hostports: [],
      mutualTls: { certificateAuthorityIds: [] },
      policy: { inbound: [], outbound: [] },
    });
  });
});

describe("lists", () => {
  const listed = [...objectSamples.map(({ definition }) => definition), ...readOnly];

  test.each(listed)("get$plural has the same items as get$type, in both forms", async ({ type, plural, list }) => {
    const emulator = await startService();
    emulator.seed(seed);
    for (const sample of objectSamples) createSampleObject(emulator, sample, "it");
    const key = toCamelCase(list.key);
    const result = await functions[`get${plural}`]!();
    expect(Object.keys(result)).toEqual([key]);
    expect(result[key].length).toBeGreaterThan(0);
    for (const item of result[key]) expect(item).toStrictEqual(await functions[`get${type}`]!({ id: item.id }));
    expect(await readOutputValue(outputFunctions[`get${plural}Output`]!())).toStrictEqual(result);
  });
});

/** What each filter must find, beside an object that differs in everything. */
describe("filters", () => {
  const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id);

  beforeEach(async () => {
    const emulator = await startService();
    emulator.seed(seed);
    emulator.seed({
      apiKeys: [{ id: "ak_2", description: "other" }],
      sshCredentials: [{ id: "sshcr_2", public_key: createKey("other"), description: "other", metadata: "m" }],
      tcpEdges: [{ id: "edgtcp_2", description: "other", metadata: "m" }],
      tlsEdges: [{ id: "edgtls_2", description: "other", metadata: "m" }],
    });
  });

  /** The strings of a sample by which its function filters. */
  const filtered = objectSamples.flatMap((sample) =>
    Object.entries(sample.programs("it")[0])
      .filter(([name, value]) => typeof value === "string" && name in (sample.definition.filters ?? {}))
      .map(([name, value]) => ({ ...sample, name, value })),
  );

  test.each(filtered)("$type: $name finds the objects that have it", async ({ name, value, ...sample }) => {
    const { plural, list } = sample.definition;
    const { id } = createSampleObject(await startService(), sample, "it");
    const find = async (wanted: string) =>
      ids((await functions[`get${plural}`]!({ [name]: wanted }))[toCamelCase(list.key)]);
    expect(await find(value)).toEqual([id]);
    expect(await find(name === "publicKey" ? createKey("other") : "other")).toEqual([]);
  });

  const key = { publicKey: `${publicKey}\n` };
  const app = { app: "web" };

  test.each<[plural: string, filters: object, found: string[]]>([
    ["Tunnels", { publicUrl: "https://a.example.com" }, ["tn_1"]],
    ["Tunnels", { metadata: "blue" }, ["tn_2"]],
    ["Tunnels", { metadata: "" }, ["tn_1"]],
    ["Tunnels", { proto: "https" }, ["tn_1"]],
    ["Tunnels", { region: "us" }, ["tn_1"]],
    ["Tunnels", { tunnelSessionId: "ts_2" }, ["tn_2"]],
    ["Tunnels", { endpointId: "ep_1" }, ["tn_1"]],
    ["Tunnels", { labels: app }, ["tn_2"]],
    ["Tunnels", { labels: { ...app, snake_Key: "x" } }, ["tn_2"]],
    ["Tunnels", { labels: { ...app, snakeKey: "x" } }, []],
    ["Tunnels", { backendId: "bkdtg_2" }, ["tn_2"]],
    ["Tunnels", { forwardsTo: "http://localhost:80", region: "eu" }, ["tn_2"]],
    ["Tunnels", { labels: app, proto: "https" }, []],
    ["Tunnels", { proto: undefined }, ["tn_2", "tn_1"]],
    ["TunnelSessions", { agentVersion: "3.9.0" }, ["ts_2"]],
    ["TunnelSessions", { credentialId: "cr_1" }, ["ts_1"]],
    ["TunnelSessions", { ip: "192.0.2.1" }, ["ts_1"]],
    ["TunnelSessions", { metadata: "build-1" }, ["ts_1"]],
    ["TunnelSessions", { os: "windows" }, ["ts_2"]],
    ["TunnelSessions", { region: "eu" }, ["ts_1"]],
    ["TunnelSessions", { transport: "ssh" }, ["ts_2"]],
    ["TunnelSessions", { transport: "ssh", os: "linux" }, []],
    ["ApiKeys", { metadata: "", description: "other" }, ["ak_2"]],
    ["ApiKeys", { ownerId: "usr_1" }, ["ak_1"]],
    ["SshCredentials", key, ["sshcr_1"]],
    ["SshCredentials", { aclRule: "bind:*.example.com" }, ["sshcr_1"]],
    ["SshCredentials", { ownerId: "usr_1" }, ["sshcr_1"]],
    ["TcpEdges", { hostport: "1.TCP.example.com:20022" }, ["edgtcp_1"]],
    ["TcpEdges", { backendId: "bkdhr_1" }, ["edgtcp_1"]],
    ["TcpEdges", { ipPolicyId: "ipp_b" }, ["edgtcp_1"]],
    ["TlsEdges", { description: "" }, ["edgtls_1"]],
    ["TlsEdges", { hostport: "api.example.com:443" }, ["edgtls_1"]],
    ["TlsEdges", { backendId: "bkdhr_1" }, []],
    ["TlsEdges", { ipPolicyId: "ipp_b" }, []],
    ["TlsEdges", { certificateAuthorityId: "ca_a" }, ["edgtls_1"]],
    ["TlsEdges", { terminateAt: "edge" }, ["edgtls_1"]],
    ["TlsEdges", { minVersion: "1.2" }, ["edgtls_1"]],
  ])("%s by %j, in both forms", async (plural, filters, found) => {
    const [items] = Object.values(await functions[`get${plural}`]!(filters));
    expect(ids(items)).toEqual(found);
    const [shown] = Object.values(await readOutputValue(outputFunctions[`get${plural}Output`]!(filters)));
    expect(ids(shown as never)).toEqual(found);
  });
});

describe("a service with other responses", () => {
  test("null and empty fields are absent, and a single backend is a list of one", async () => {
    const emulator = await startService();
    const backends = { id: "bkdtg_1", uri: "u" };
    const body = { id: "tn_9", metadata: "", proto: null, endpoint: null, labels: { a: "b" }, backends };
    emulator.fail({ path: "/tunnels/tn_9", status: 200, body });
    expect(await tunnel.getTunnel({ id: "tn_9" })).toStrictEqual({
      id: "tn_9",
      labels: { a: "b" },
      backends: [backends],
    });
  });

  test("a token is never in the result", async () => {
    const emulator = await startService();
    const body = { id: "ak_9", token: "t0ps3cret", owner_id: "usr_1", created_at: "x", uri: "u" };
    emulator.fail({ path: "/api_keys/ak_9", status: 200, body });
    expect(Object.keys(await tunnel.getApiKey({ id: "ak_9" })).sort()).toEqual(["createdAt", "id", "ownerId", "uri"]);
  });
});

test("types: optional fields may be undefined, and both forms accept the right arguments", () => {
  const checkTypes = async () => {
    const { tunnels } = await tunnel.getTunnels({ labels: { app: "web" } });
    // @ts-expect-error backend tunnels have no public URL
    tunnels[0]?.publicUrl.length;
    // @ts-expect-error a Promise form accepts no Outputs
    await tunnel.getTunnel({ id: pulumi.output("tn_1") });
    // @ts-expect-error a key's token is not in the result
    (await tunnel.getApiKey({ id: "ak_1" })).token;
    // @ts-expect-error this protocol does not exist
    await tunnel.getTunnels({ proto: "udp" });
    const app = pulumi.output("web");
    const proto: pulumi.Output<"http" | "tcp"> = pulumi.output("http" as const);
    const url: pulumi.Output<string | undefined> = tunnel.getTunnelOutput({ id: app }).publicUrl;
    const first = tunnel.getTunnelsOutput({ labels: { app }, proto }).tunnels[0]?.apply(({ id }) => id);
    const secret: pulumi.Output<string | undefined> = tunnel.getHttpsEdgeRouteOidcOutput({
      edgeId: app,
      routeId: app,
    }).clientSecret;
    const edge = tunnel.getTcpEdgeOutput({ id: app });
    const hostport: pulumi.Output<string> | undefined = edge.hostports[0];
    const outbound: pulumi.Output<number> = edge.policy.apply((policy) => policy?.outbound.length ?? 0);
    return [url, first, secret, hostport, outbound];
  };
  expect(checkTypes).toBeInstanceOf(Function);
});
