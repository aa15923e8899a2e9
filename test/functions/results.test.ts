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

/** Every function that reads one object: its arguments and exact result. */
const singles: {
  [name: string]: {
    plain: () => Promise<unknown>;
    output: () => pulumi.Output<unknown>;
    gives: (emulator: Emulator) => object;
  };
} = {
  getApiKey: {
    plain: () => tunnel.getApiKey({ id: "ak_1" }),
    output: () => tunnel.getApiKeyOutput({ id: "ak_1" }),
    gives: (emulator) => ({
      ...at(emulator, "ak_1", "/api_keys"),
      description: "ci",
      metadata: "team=edge",
      ownerId: "usr_1",
      createdAt: time,
    }),
  },
  getSshCredential: {
    plain: () => tunnel.getSshCredential({ id: "sshcr_1" }),
    output: () => tunnel.getSshCredentialOutput({ id: "sshcr_1" }),
    gives: (emulator) => ({
      ...at(emulator, "sshcr_1", "/ssh_credentials"),
      publicKey,
      acl: ["bind:*.example.com"],
      ownerId: "usr_1",
      createdAt: time,
    }),
  },
  getTcpEdge: {
    plain: () => tunnel.getTcpEdge({ id: "edgtcp_1" }),
    output: () => tunnel.getTcpEdgeOutput({ id: "edgtcp_1" }),
    gives: (emulator) => ({
      ...at(emulator, "edgtcp_1", "/edges/tcp"),
      description: "ssh",
      hostports: ["1.tcp.example.com:20022"],
      backend: modules.backend.full,
      ipRestriction: modules.ipRestriction.full,
      policy: modules.policy.full,
      createdAt: time,
    }),
  },
  getTlsEdge: {
    plain: () => tunnel.getTlsEdge({ id: "edgtls_1" }),
    output: () => tunnel.getTlsEdgeOutput({ id: "edgtls_1" }),
    gives: (emulator) => ({
      ...at(emulator, "edgtls_1", "/edges/tls"),
      hostports: ["api.example.com:443"],
      mutualTls: modules.mutualTls.full,
      tlsTermination: modules.tlsTermination.full,
      createdAt: time,
    }),
  },
  getTcpEdgeIpRestriction: {
    plain: () => tunnel.getTcpEdgeIpRestriction({ edgeId: "edgtcp_1" }),
    output: () => tunnel.getTcpEdgeIpRestrictionOutput({ edgeId: "edgtcp_1" }),
    gives: () => ({ edgeId: "edgtcp_1", ...modules.ipRestriction.full }),
  },
  getTlsEdgeTlsTermination: {
    plain: () => tunnel.getTlsEdgeTlsTermination({ edgeId: "edgtls_1" }),
    output: () => tunnel.getTlsEdgeTlsTerminationOutput({ edgeId: "edgtls_1" }),
    gives: () => ({ edgeId: "edgtls_1", ...modules.tlsTermination.full }),
  },
  getHttpsEdgeTlsTermination: {
    plain: () => tunnel.getHttpsEdgeTlsTermination({ edgeId: "edghts_1" }),
    output: () => tunnel.getHttpsEdgeTlsTerminationOutput({ edgeId: "edghts_1" }),
    gives: () => ({ edgeId: "edghts_1", enabled: true, terminateAt: "edge", minVersion: "1.3" }),
  },
  getHttpsEdgeRouteRequestHeaders: {
    plain: () => tunnel.getHttpsEdgeRouteRequestHeaders(route),
    output: () => tunnel.getHttpsEdgeRouteRequestHeadersOutput(route),
    gives: () => ({ ...route, enabled: true, add: { "X-Api_Key": "v" }, remove: ["Cookie"] }),
  },
  getHttpsEdgeRouteUserAgentFilter: {
    plain: () => tunnel.getHttpsEdgeRouteUserAgentFilter(route),
    output: () => tunnel.getHttpsEdgeRouteUserAgentFilterOutput(route),
    gives: () => ({ ...route, enabled: true, allow: ["(?i)curl"], deny: [] }),
  },
  getTunnelSession: {
    plain: () => tunnel.getTunnelSession({ id: "ts_1" }),
    output: () => tunnel.getTunnelSessionOutput({ id: "ts_1" }),
    gives: (emulator) => ({
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
  },
  "getTunnel of an agent": {
    plain: () => tunnel.getTunnel({ id: "tn_1" }),
    output: () => tunnel.getTunnelOutput({ id: "tn_1" }),
    gives: (emulator) => ({
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
  },
  "getTunnel of a backend": {
    plain: () => tunnel.getTunnel({ id: "tn_2" }),
    output: () => tunnel.getTunnelOutput({ id: "tn_2" }),
    gives: (emulator) => ({
      id: "tn_2",
      metadata: "blue",
      labels: { app: "web", snake_Key: "x" },
      backends: ["bkdtg_1", "bkdtg_2"].map((id) => ({ id, uri: expect.stringContaining(id) })),
      startedAt: time,
      region: "eu",
      tunnelSession: at(emulator, "ts_2", "/tunnel_sessions"),
      forwardsTo: "http://localhost:80",
    }),
  },
};

describe.each(Object.entries(singles))("%s", (_, { plain, output, gives }) => {
  test("returns the same in both forms", async () => {
    const emulator = await startService();
    emulator.seed(seed);
    expect(await plain()).toStrictEqual(gives(emulator));
    expect(await readOutput(output())).toStrictEqual({ value: gives(emulator), known: true, secret: false });
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

test("every function that reads an object without a resource has its results above", () => {
  for (const { type } of readOnly) {
    expect(Object.keys(singles)).toContainEqual(expect.stringMatching(`^get${type}( |$)`));
  }
});

type Read<Result> = (args?: object) => Result;
const functions = tunnel as unknown as Record<string, Read<Promise<Properties>>>;
const outputFunctions = tunnel as unknown as Record<string, Read<pulumi.Output<Properties>>>;

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
  const bare: Record<string, [seed: Seed, result: () => Promise<unknown>, lists: object]> = {
    getSshCredential: [
      { sshCredentials: [{ id: "sshcr_1", public_key: publicKey }] },
      () => tunnel.getSshCredential({ id: "sshcr_1" }),
      { acl: [] },
    ],
    getTcpEdge: [
      { tcpEdges: [{ id: "edgtcp_1", policy }] },
      () => tunnel.getTcpEdge({ id: "edgtcp_1" }),
      { hostports: [], policy: resolvedPolicy },
    ],
    getTlsEdges: [
      { tlsEdges: [{ id: "edgtls_1", policy }] },
      () => tunnel.getTlsEdges({ description: "" }),
      { tlsEdges: [{ hostports: [], policy: resolvedPolicy }] },
    ],
    getHttpsEdgeRouteOidc: [
      { httpsEdges: [{ id: "edghts_1", routes: [{ id: "edghtsrt_1", oidc: {} }] }] },
      () => tunnel.getHttpsEdgeRouteOidc(route),
      { scopes: [] },
    ],
    getHttpsEdgeRouteRequestHeaders: [
      { httpsEdges: [{ id: "edghts_1", routes: [{ id: "edghtsrt_1", request_headers: {} }] }] },
      () => tunnel.getHttpsEdgeRouteRequestHeaders(route),
      { remove: [] },
    ],
    getHttpsEdgeRouteUserAgentFilter: [
      { httpsEdges: [{ id: "edghts_1", routes: [{ id: "edghtsrt_1", user_agent_filter: {} }] }] },
      () => tunnel.getHttpsEdgeRouteUserAgentFilter(route),
      { allow: [], deny: [] },
    ],
    getTunnels: [
      { sessions: [{ id: "ts_1" }], tunnels: [{ id: "tn_1", session_id: "ts_1" }] },
      () => tunnel.getTunnels(),
      { tunnels: [{ backends: [] }] },
    ],
    getTcpEdges: [{}, () => tunnel.getTcpEdges(), { tcpEdges: [] }],
  };

  test.each(Object.entries(bare))("%s", async (_, [account, result, lists]) => {
    const emulator = await startService();
    emulator.seed(account);
    expect(await result()).toMatchObject(lists);
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

  test("have the items of all pages", async () => {
    const emulator = await startService({ pageSize: 2 });
    emulator.seed({ tcpEdges: Array.from({ length: 7 }, (_, index) => ({ id: `edgtcp_${index}` })) });
    const { tcpEdges } = await tunnel.getTcpEdges();
    expect(tcpEdges.map(({ id }) => id).sort()).toEqual(Array.from({ length: 7 }, (_, index) => `edgtcp_${index}`));
    expect(emulator.calls()).toEqual(Array(4).fill("GET /edges/tcp"));
  });

  test("may be empty", async () => {
    await startService();
    expect(await tunnel.getTunnels()).toEqual({ tunnels: [] });
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

  test.each<[tunnel.GetTunnelsArgs, string[]]>([
    [{ publicUrl: "https://a.example.com" }, ["tn_1"]],
    [{ metadata: "blue" }, ["tn_2"]],
    [{ metadata: "" }, ["tn_1"]],
    [{ proto: "https" }, ["tn_1"]],
    [{ region: "us" }, ["tn_1"]],
    [{ tunnelSessionId: "ts_2" }, ["tn_2"]],
    [{ endpointId: "ep_1" }, ["tn_1"]],
    [{ labels: { app: "web" } }, ["tn_2"]],
    [{ labels: { app: "web", snake_Key: "x" } }, ["tn_2"]],
    [{ labels: { app: "web", snakeKey: "x" } }, []],
    [{ backendId: "bkdtg_2" }, ["tn_2"]],
    [{ forwardsTo: "http://localhost:80", region: "eu" }, ["tn_2"]],
    [{ labels: { app: "web" }, proto: "https" }, []],
    [{ proto: undefined }, ["tn_2", "tn_1"]],
  ])("tunnels of %j", async (args, found) => {
    expect(ids((await tunnel.getTunnels(args)).tunnels)).toEqual(found);
    expect(ids((await readOutputValue(tunnel.getTunnelsOutput(args))).tunnels)).toEqual(found);
  });

  test.each<[tunnel.GetTunnelSessionsArgs, string[]]>([
    [{ agentVersion: "3.9.0" }, ["ts_2"]],
    [{ credentialId: "cr_1" }, ["ts_1"]],
    [{ ip: "192.0.2.1" }, ["ts_1"]],
    [{ metadata: "build-1" }, ["ts_1"]],
    [{ os: "windows" }, ["ts_2"]],
    [{ region: "eu" }, ["ts_1"]],
    [{ transport: "ssh" }, ["ts_2"]],
    [{ transport: "ssh", os: "linux" }, []],
  ])("tunnel sessions of %j", async (args, found) => {
    expect(ids((await tunnel.getTunnelSessions(args)).tunnelSessions)).toEqual(found);
  });

  test.each<[tunnel.GetApiKeysArgs, string[]]>([
    [{ description: "ci" }, ["ak_1"]],
    [{ metadata: "team=edge" }, ["ak_1"]],
    [{ metadata: "", description: "other" }, ["ak_2"]],
    [{ ownerId: "usr_1" }, ["ak_1"]],
  ])("API keys of %j", async (args, found) => {
    expect(ids((await tunnel.getApiKeys(args)).keys)).toEqual(found);
  });

  test.each<[tunnel.GetSshCredentialsArgs, string[]]>([
    [{ publicKey: `${publicKey}\n` }, ["sshcr_1"]],
    [{ aclRule: "bind:*.example.com" }, ["sshcr_1"]],
    [{ description: "other" }, ["sshcr_2"]],
    [{ metadata: "m" }, ["sshcr_2"]],
    [{ ownerId: "usr_1" }, ["sshcr_1"]],
  ])("SSH credentials of %j", async (args, found) => {
    expect(ids((await tunnel.getSshCredentials(args)).sshCredentials)).toEqual(found);
  });

  test.each<[tunnel.GetTcpEdgesArgs, string[]]>([
    [{ description: "ssh" }, ["edgtcp_1"]],
    [{ metadata: "m" }, ["edgtcp_2"]],
    [{ hostport: "1.TCP.example.com:20022" }, ["edgtcp_1"]],
    [{ backendId: "bkdhr_1" }, ["edgtcp_1"]],
    [{ ipPolicyId: "ipp_b" }, ["edgtcp_1"]],
  ])("TCP edges of %j", async (args, found) => {
    expect(ids((await tunnel.getTcpEdges(args)).tcpEdges)).toEqual(found);
  });

  test.each<[tunnel.GetTlsEdgesArgs, string[]]>([
    [{ description: "" }, ["edgtls_1"]],
    [{ metadata: "m" }, ["edgtls_2"]],
    [{ hostport: "api.example.com:443" }, ["edgtls_1"]],
    [{ backendId: "bkdhr_1" }, []],
    [{ ipPolicyId: "ipp_b" }, []],
    [{ certificateAuthorityId: "ca_a" }, ["edgtls_1"]],
    [{ terminateAt: "edge" }, ["edgtls_1"]],
    [{ minVersion: "1.2" }, ["edgtls_1"]],
  ])("TLS edges of %j", async (args, found) => {
    expect(ids((await tunnel.getTlsEdges(args)).tlsEdges)).toEqual(found);
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
