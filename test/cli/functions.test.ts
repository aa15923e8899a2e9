import { resolve } from "node:path";
import { type Emulator, startEmulator } from "pulumi-tunnel-edge/emulator";
import { type Result, Stack, type StackOptions } from "../support/pulumi";

const apiKey = "key-of-the-account";
const oidcSecret = "oidc-client-secret";
const route = { edgeId: "edghts_1", routeId: "edghtsrt_1" };

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator({ apiKey });
  emulator.seed({
    httpsEdges: [{ id: "edghts_1", routes: [{ id: "edghtsrt_1", oidc: { client_secret: oidcSecret } }] }],
    sessions: [{ id: "ts_1", os: "linux", metadata: "build-1" }],
    tunnels: [
      { id: "tn_1", labels: { app: "web" } },
      { id: "tn_2", labels: { app: "db" } },
    ],
  });
});
afterEach(() => emulator.close());

const createFunctionStack = (body: string, config: StackOptions["config"] = {}, env: StackOptions["env"] = {}) =>
  Stack.create({
    env,
    program: `
      const pulumi = require("@pulumi/pulumi");
      const tunnel = require("pulumi-tunnel-edge");
      const config = new pulumi.Config();
      module.exports = async () => {${body}};`,
    config: { "tunnel-edge:baseUrl": emulator.url, "tunnel-edge:apiKey": { secret: apiKey }, ...config },
  });

const problems = ({ diagnostics }: Result) => diagnostics.filter(({ severity }) => /error|warning/.test(severity));

test("functions use the stack's settings, and wait for their dependencies", async () => {
  const stack = await createFunctionStack(`
    const { tunnels } = await tunnel.getTunnels({ labels: { app: "web" } });
    const edge = new tunnel.TcpEdge("ssh", { description: "made here", hostports: ["1.tcp.example.com:20022"] });
    // Nobody awaits these, and what they lead to must be registered all the same.
    tunnel.getTunnelSessionsOutput({ os: "linux" }).apply(({ tunnelSessions }) => {
      for (const { metadata } of tunnelSessions) new tunnel.ApiKey(metadata);
    });
    tunnel.getTunnelSession({ id: "ts_1" }).then(({ os }) => new tunnel.ApiKey(os));
    const component = new pulumi.ComponentResource("test:index:Site", "site");
    new tunnel.TcpEdge("inside", { description: "inside" }, { parent: component });
    return {
      web: tunnels.map(({ id }) => id),
      byId: tunnel.getTcpEdgeOutput({ id: edge.id }).hostports,
      byDescription: tunnel.getTcpEdgesOutput({ description: edge.description }).tcpEdges.length,
      after: tunnel.getTcpEdgesOutput({ description: "made here" }, { dependsOn: edge }).tcpEdges.length,
      afterAll: tunnel.getTcpEdgesOutput({ description: "inside" }, { dependsOn: [component] }).tcpEdges.length,
      oidc: tunnel.getHttpsEdgeRouteOidcOutput(${JSON.stringify(route)}),
      clientSecret: (await tunnel.getHttpsEdgeRouteOidc(${JSON.stringify(route)})).clientSecret,
    };`);

  const first = await stack.preview();
  expect(problems(first)).toEqual([]);
  expect(first.summary).toEqual({ create: 6 });
  const atOnce = [
    "GET /edges/https/{edge_id}/routes/{id}/oidc",
    "GET /tunnel_sessions",
    "GET /tunnel_sessions/{id}",
    "GET /tunnels",
  ];
  // The edges are not created yet: what depends on them is unknown and not requested.
  expect([...new Set(emulator.calls())].sort()).toEqual(atOnce);

  emulator.clearRequests();
  const up = await stack.up();
  expect(problems(up)).toEqual([]);
  const results = {
    web: ["tn_1"],
    byId: ["1.tcp.example.com:20022"],
    byDescription: 1,
    after: 1,
    afterAll: 1,
    oidc: expect.objectContaining({ ...route, clientSecret: "[secret]" }),
    clientSecret: "[secret]",
  };
  expect(await stack.outputs()).toEqual(results);
  expect(await stack.outputs({ showSecrets: true })).toMatchObject({
    oidc: { clientSecret: oidcSecret },
    clientSecret: oidcSecret,
  });
  expect(emulator.account.apiKeys).toHaveLength(3);

  emulator.clearRequests();
  const again = await stack.preview({ expectNoChanges: true });
  expect(emulator.calls()).toContain("GET /edges/tcp/{id}");
  expect(emulator.calls().filter((call) => !call.startsWith("GET "))).toEqual([]);

  const seen = [first, up, again].map(({ stdout, stderr, diagnostics, steps }) => [stdout, stderr, diagnostics, steps]);
  const everything = JSON.stringify([seen, await stack.export()]);
  expect(everything).not.toContain(apiKey);
  expect(everything).not.toContain(oidcSecret);
});

test("functions use the settings of an explicit Provider, their own or a parent's", async () => {
  const other = await startEmulator({ apiKey: "key-of-the-other" });
  try {
    other.seed({ tcpEdges: [{ id: "edgtcp_other" }] });
    const stack = await createFunctionStack(
      `
      const provider = new tunnel.Provider("other", {
        apiKey: config.requireSecret("otherKey"),
        baseUrl: ${JSON.stringify(other.url)},
      });
      const component = new pulumi.ComponentResource("test:index:Site", "site", {}, { providers: [provider] });
      const made = new tunnel.ApiKey("made");
      const late = new tunnel.Provider("late", { apiKey: made.token });
      const ids = ({ tcpEdges }) => tcpEdges.map(({ id }) => id);
      return {
        plain: ids(await tunnel.getTcpEdges({}, { provider })),
        output: tunnel.getTcpEdgesOutput({}, { provider }).apply(ids),
        inComponent: tunnel.getTcpEdgesOutput({}, { parent: component }).apply(ids),
        ofStack: tunnel.getTcpEdgesOutput().apply(ids),
        late: tunnel.getTunnelsOutput({}, { provider: late }).tunnels.length,
      };`,
      { otherKey: { secret: "key-of-the-other" } },
    );
    expect(problems(await stack.preview())).toEqual([]);
    expect(emulator.calls()).toEqual(["GET /edges/tcp"]);
    await stack.up();
    expect(await stack.outputs()).toEqual({
      plain: ["edgtcp_other"],
      output: ["edgtcp_other"],
      inComponent: ["edgtcp_other"],
      ofStack: [],
      late: 2,
    });
    // The late Provider's key is created before it.
    const keys = emulator.requests
      .filter(({ path }) => path === "/tunnels")
      .map(({ headers }) => headers.authorization);
    expect(keys).toEqual([expect.stringMatching(/^Bearer /)]);
    expect(keys).not.toEqual([`Bearer ${apiKey}`]);
    expect(JSON.stringify(await stack.export())).not.toContain("key-of-the-other");
  } finally {
    await other.close();
  }
});

test("a file that the SDK does not export is needed only inside components", async () => {
  const stack = await createFunctionStack(
    `const edge = new tunnel.TcpEdge("ssh", { description: "made here" });
     const component = new pulumi.ComponentResource("test:index:Site", "site");
     return {
       after: tunnel.getTcpEdgesOutput({}, { dependsOn: [Promise.resolve(edge)] }).tcpEdges.length,
       afterAll: tunnel.getTunnelsOutput({}, { dependsOn: pulumi.output(component) }).tunnels.length,
     };`,
    {},
    {
      NODE_OPTIONS: `--require ${resolve(__dirname, "../support/hideModule.js")}`,
      HIDE_MODULE: "@pulumi/pulumi/runtime/dependsOn",
    },
  );
  expect(problems(await stack.preview())).toEqual([]);
  expect(emulator.calls()).not.toContain("GET /edges/tcp");
  await stack.up();
  expect(await stack.outputs()).toEqual({ after: 1, afterAll: 2 });
});

describe("an error is one message", () => {
  test.each([
    ['tunnel.getTcpEdgeOutput({ id: "edgtcp_0" });', "getTcpEdge: there is no TCP edge edgtcp_0."],
    [
      'await tunnel.getTunnel({ id: "tn_0" });',
      "getTunnel: there is no tunnel tn_0: only tunnels that are online can be read.",
    ],
    [
      `const made = new tunnel.ApiKey("made");
       const provider = new tunnel.Provider("late", { apiKey: made.token });
       await tunnel.getTunnels({}, { provider });`,
      "getTunnels: the Provider's settings are not known yet: use getTunnelsOutput, which waits for them.",
    ],
  ])("%s", async (body, message) => {
    const stack = await createFunctionStack(body);
    const result = await stack.preview({ fails: true });
    expect(problems(result).map((problem) => problem.message)).toEqual([message]);
  });

  test("if settings are missing", async () => {
    const stack = await Stack.create({ program: `require("pulumi-tunnel-edge").getTunnelsOutput();` });
    const [problem, ...more] = problems(await stack.preview({ fails: true }));
    expect(problem?.message).toMatch(
      /^getTunnels: tunnel-edge:apiKey is not set: run .*\ntunnel-edge:baseUrl is not set/,
    );
    expect(more).toEqual([]);
  });
});

test("the request log and the rate limit are displayed as information", async () => {
  const stack = await createFunctionStack("return await tunnel.getTunnels();", { "tunnel-edge:logRequests": "true" });
  emulator.fail({ path: "/tunnels", status: 429, headers: { "retry-after": "2" } });
  const { diagnostics } = await stack.preview();
  expect(diagnostics.map(({ severity, message, ephemeral = false }) => ({ severity, message, ephemeral }))).toEqual([
    { severity: "info", message: expect.stringMatching(/^GET \/tunnels → 429/), ephemeral: false },
    { severity: "info", message: expect.stringMatching(/^The service's rate limit was reached/), ephemeral: false },
    { severity: "info", message: expect.stringMatching(/^Waiting 2 s for/), ephemeral: true },
    { severity: "info", message: expect.stringMatching(/^GET \/tunnels → 200/), ephemeral: false },
  ]);
});
