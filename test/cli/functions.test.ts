/** Functions in a program of the classes: what they wait for, whose settings they use, and what is displayed. */
import { type Emulator, startEmulator } from "pulumi-tunnel-edge/emulator";
import { type Result, Stack, type StackOptions } from "../support/cli/pulumi";
import { listWrites } from "../support/cli/yamlStack";

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

const createFunctionStack = (body: string, options: StackOptions = {}) =>
  Stack.create({
    program: `
      const pulumi = require("@pulumi/pulumi");
      const tunnel = require("pulumi-tunnel-edge");
      const config = new pulumi.Config();
      module.exports = async () => {${body}};`,
    emulator,
    ...options,
  });

const problems = ({ diagnostics }: Result) => diagnostics.filter(({ severity }) => /error|warning/.test(severity));

test("functions use the settings of the stack or of a Provider, and wait for their dependencies", async () => {
  const other = await startEmulator({ apiKey: "key-of-the-other" });
  other.seed({ tcpEdges: [{ id: "edgtcp_other" }] });
  const stack = await createFunctionStack(
    `
    const { tunnels } = await tunnel.getTunnels({ labels: { app: "web" } });
    const edge = new tunnel.TcpEdge("ssh", { description: "made here", hostports: ["1.tcp.example.com:20022"] });
    // Nobody awaits these, and what they lead to must be registered all the same.
    tunnel.getTunnelSessionsOutput({ os: "linux" }).apply(({ tunnelSessions }) => {
      for (const { metadata } of tunnelSessions) new tunnel.ApiKey(metadata);
    });
    tunnel.getTunnelSession({ id: "ts_1" }).then(({ os }) => new tunnel.ApiKey(os));
    const component = new pulumi.ComponentResource("test:index:Site", "site");
    const inside = new tunnel.TcpEdge("inside", { description: "inside" }, { parent: component });

    const provider = new tunnel.Provider("other", {
      apiKey: config.requireSecret("otherKey"),
      baseUrl: ${JSON.stringify(other.url)},
    });
    const there = new pulumi.ComponentResource("test:index:Site", "there", {}, { providers: [provider] });
    const made = new tunnel.ApiKey("made");
    const late = new tunnel.Provider("late", { apiKey: made.token });
    const ids = ({ tcpEdges }) => tcpEdges.map(({ id }) => id);
    return {
      web: tunnels.map(({ id }) => id),
      byId: tunnel.getTcpEdgeOutput({ id: edge.id }).hostports,
      byDescription: tunnel.getTcpEdgesOutput({ description: edge.description }).tcpEdges.length,
      after: tunnel.getTcpEdgesOutput({ description: "made here" }, { dependsOn: edge }).tcpEdges.length,
      afterAll: tunnel.getTcpEdgesOutput({ description: "inside" }, { dependsOn: [inside] }).tcpEdges.length,
      oidc: tunnel.getHttpsEdgeRouteOidcOutput(${JSON.stringify(route)}),
      clientSecret: (await tunnel.getHttpsEdgeRouteOidc(${JSON.stringify(route)})).clientSecret,
      plain: ids(await tunnel.getTcpEdges({}, { provider })),
      output: tunnel.getTcpEdgesOutput({}, { provider }).apply(ids),
      inComponent: tunnel.getTcpEdgesOutput({}, { parent: there }).apply(ids),
      late: tunnel.getTunnelsOutput({}, { provider: late }).tunnels.length,
    };`,
    {
      emulator: undefined,
      config: {
        "tunnel-edge:baseUrl": emulator.url,
        "tunnel-edge:apiKey": { secret: apiKey },
        otherKey: { secret: "key-of-the-other" },
      },
    },
  );

  const up = await stack.up();
  expect(problems(up)).toEqual([]);
  expect(await stack.outputs()).toEqual({
    web: ["tn_1"],
    byId: ["1.tcp.example.com:20022"],
    byDescription: 1,
    after: 1,
    afterAll: 1,
    oidc: expect.objectContaining({ ...route, clientSecret: "[secret]" }),
    clientSecret: "[secret]",
    plain: ["edgtcp_other"],
    output: ["edgtcp_other"],
    inComponent: ["edgtcp_other"],
    late: 2,
  });
  expect(await stack.outputs({ showSecrets: true })).toMatchObject({
    oidc: { clientSecret: oidcSecret },
    clientSecret: oidcSecret,
  });
  expect(emulator.account.apiKeys).toHaveLength(4);
  const keys = emulator.requests.filter(({ path }) => path === "/tunnels").map(({ headers }) => headers.authorization);
  expect(keys).toHaveLength(2);
  expect(keys[0]).toBe(`Bearer ${apiKey}`);
  expect(keys[1]).toMatch(/^Bearer /);
  expect(keys[1]).not.toBe(keys[0]); // the late Provider's key, which was created before

  // What the functions of the next preview wait for is displayed, and each request if a setting says so.
  emulator.clearRequests();
  emulator.fail({ path: "/tunnels", status: 429, headers: { "retry-after": "2" } });
  const again = await stack.preview({ expectNoChanges: true, env: { TUNNEL_EDGE_LOG_REQUESTS: "true" } });
  const displayed = again.diagnostics.map(({ severity, message, ephemeral = false }) => {
    return `${severity}${ephemeral ? ", ephemeral" : ""}: ${message}`;
  });
  for (const line of [
    /^info: GET \/tunnels → 429/,
    /^info: The service's rate limit was reached/,
    /^info, ephemeral: Waiting 2 s for/,
    /^info: GET \/tunnels → 200/,
  ])
    expect(displayed).toContainEqual(expect.stringMatching(line));
  expect(emulator.calls()).toContain("GET /edges/tcp/{id}");
  expect(listWrites(emulator)).toEqual([]);

  const seen = [up, again].map(({ stdout, stderr, diagnostics, steps }) => [stdout, stderr, diagnostics, steps]);
  const everything = JSON.stringify([seen, await stack.export()]);
  for (const secret of [apiKey, oidcSecret, "key-of-the-other"]) expect(everything).not.toContain(secret);
  await other.close();
});

test("each error of a function is displayed as one message", async () => {
  const stack = await createFunctionStack(`
    tunnel.getTcpEdgeOutput({ id: "edgtcp_0" });
    const made = new tunnel.ApiKey("made");
    const provider = new tunnel.Provider("late", { apiKey: made.token });
    tunnel.getTunnels({}, { provider });
    const component = new pulumi.ComponentResource("test:index:Site", "site");
    tunnel.getTcpEdgesOutput({}, { dependsOn: pulumi.output(component) });
    tunnel.getTunnel({ id: "tn_0" });`);
  const failed = await stack.preview({ fails: true });
  expect(
    problems(failed)
      .map(({ message }) => message)
      .sort(),
  ).toEqual([
    "getTcpEdge: there is no TCP edge edgtcp_0.",
    "getTcpEdges: dependsOn has a component. Name the resources inside it instead.",
    "getTunnel: there is no tunnel tn_0: only tunnels that are online can be read.",
    "getTunnels: the Provider's settings are not known yet: use getTunnelsOutput, which waits for them.",
  ]);
});
