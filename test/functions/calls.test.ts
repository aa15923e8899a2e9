import * as pulumi from "@pulumi/pulumi";
import * as tunnel from "pulumi-tunnel-edge";
import { readSettings } from "../../src/base/settings";
import { Run } from "../../src/dynamic/program/run";
import { runProcess } from "../support/cli/example";
import { failureOf } from "../support/errorOf";
import { root } from "../support/root";
import { readOutput, readOutputValue, startService } from "./support";

jest.setTimeout(60_000); // some tests start processes

const unknown = pulumi.output(pulumi.unknown) as unknown as pulumi.Output<string>;

describe("concurrent calls", () => {
  test("share one list request, with any filters and in both forms", async () => {
    const emulator = await startService({ pageSize: 2 });
    emulator.seed({ tcpEdges: [1, 2, 3].map((index) => ({ id: `edgtcp_${index}`, description: `edge ${index}` })) });
    const [all, one, output] = await Promise.all([
      tunnel.getTcpEdges(),
      tunnel.getTcpEdges({ description: "edge 2" }),
      readOutputValue(tunnel.getTcpEdgesOutput({ description: pulumi.output("edge 3") })),
    ]);
    expect([all, one, output].map(({ tcpEdges }) => tcpEdges.length)).toEqual([3, 1, 1]);
    expect(emulator.calls()).toEqual(["GET /edges/tcp", "GET /edges/tcp"]);
  });

  test("share one request for the same object, but not for different ones", async () => {
    const emulator = await startService();
    emulator.seed({ tcpEdges: [{ id: "edgtcp_1" }, { id: "edgtcp_2" }] });
    await Promise.all(["edgtcp_1", "edgtcp_1", "edgtcp_2"].map((id) => tunnel.getTcpEdge({ id })));
    expect(emulator.calls({ ids: true }).sort()).toEqual(["GET /edges/tcp/edgtcp_1", "GET /edges/tcp/edgtcp_2"]);
  });

  test("do not answer a later call, which sends a new request", async () => {
    const emulator = await startService();
    await tunnel.getTunnels();
    emulator.seed({ sessions: [{}], tunnels: [{ id: "tn_1" }] });
    expect((await tunnel.getTunnels()).tunnels).toHaveLength(1);
  });

  test("fail together, and the next call tries again", async () => {
    const emulator = await startService();
    emulator.fail({ path: "/tunnels", status: 400, times: 1 });
    const failed = await Promise.all([failureOf(tunnel.getTunnels()), failureOf(tunnel.getTunnels({ region: "eu" }))]);
    expect(failed.every((error) => pulumi.RunError.isInstance(error))).toBe(true);
    expect(await tunnel.getTunnels()).toEqual({ tunnels: [] });
    expect(emulator.calls()).toHaveLength(2);
  });

  test("with two keys at one address are kept separate", () => {
    const run = new Run();
    const [one, other, again] = ["one", "other", "one"].map((apiKey) => {
      const { settings } = readSettings(
        { "tunnel-edge:baseUrl": "https://a.example", "tunnel-edge:apiKey": apiKey },
        {},
      );
      return run.serviceWith(settings);
    });
    expect(one).not.toBe(other);
    expect(one).toBe(again);
  });

  test("of two accounts are kept separate", async () => {
    const [one, other] = [await startService(), await startService()];
    one.seed({ tcpEdges: [{ id: "edgtcp_1" }] });
    other.seed({ tcpEdges: [{ id: "edgtcp_2" }] });
    const found = [one, other].map((emulator) => {
      pulumi.runtime.setAllConfig({ "tunnel-edge:baseUrl": emulator.url });
      return tunnel.getTcpEdges();
    });
    pulumi.runtime.setAllConfig({});
    expect((await Promise.all(found)).map(({ tcpEdges }) => tcpEdges.map(({ id }) => id))).toEqual([
      ["edgtcp_1"],
      ["edgtcp_2"],
    ]);
  });
});

describe("errors are RunErrors of one sentence", () => {
  const errorMessage = async (call: Promise<unknown>) => {
    const error = await failureOf(call);
    expect(pulumi.RunError.isInstance(error)).toBe(true);
    return (error as Error).message;
  };

  test.each<[message: string, call: () => Promise<unknown>]>([
    ["getTcpEdge: there is no TCP edge edgtcp_0.", () => tunnel.getTcpEdge({ id: "edgtcp_0" })],
    [
      "getTunnel: there is no tunnel tn_0: only tunnels that are online can be read.",
      () => tunnel.getTunnel({ id: "tn_0" }),
    ],
    [
      "getTunnelSession: there is no tunnel session ts_0: only sessions that are online can be read, " +
        "and an agent that restarts gets a new one.",
      () => tunnel.getTunnelSession({ id: "ts_0" }),
    ],
    [
      "getHttpsEdgeRouteOidc: there is no OIDC module of route edghts_0/edghtsrt_0.",
      () => tunnel.getHttpsEdgeRouteOidc({ edgeId: "edghts_0", routeId: "edghtsrt_0" }),
    ],
    ["getApiKey: id is required", () => tunnel.getApiKey({ id: "" })],
    ["getApiKey: id is required", () => tunnel.getApiKey({} as tunnel.GetApiKeyArgs)],
    ["getApiKey: id is required", () => tunnel.getApiKey(undefined as unknown as tunnel.GetApiKeyArgs)],
    [
      "getHttpsEdgeRouteOidc: routeId is required",
      () => tunnel.getHttpsEdgeRouteOidc({ edgeId: "edghts_0", routeId: "" }),
    ],
    ["getApiKey: id must be a string", () => tunnel.getApiKey({ id: { id: "ak_1" } as unknown as string })],
    [
      "getTunnels: kind is not a filter: the filters are publicUrl, metadata, proto, region, tunnelSessionId, " +
        "endpointId, labels, backendId, forwardsTo.",
      () => tunnel.getTunnels({ kind: "https" } as tunnel.GetTunnelsArgs),
    ],
    [
      'getTunnels: publicURL is not a filter: did you mean "publicUrl"?',
      () => tunnel.getTunnels({ publicURL: "https://x.example" } as tunnel.GetTunnelsArgs),
    ],
  ])("%s", async (message, call) => {
    await startService();
    expect(await errorMessage(call())).toBe(message);
  });

  test("an id cannot leave its path segment", async () => {
    const emulator = await startService();
    expect(await errorMessage(tunnel.getTcpEdge({ id: "../api_keys" }))).toContain("../api_keys");
    expect(await errorMessage(tunnel.getTcpEdge({ id: ".." }))).toContain('".."');
    expect(emulator.calls({ ids: true })).toEqual(["GET /edges/tcp/..%2Fapi_keys", "GET /api_keys"]);
  });

  test.each(["404", "null", "empty"] as const)(
    "a module that is not set, if the service responds %s",
    async (emptyModule) => {
      const emulator = await startService({ emptyModule });
      emulator.seed({ tcpEdges: [{ id: "edgtcp_1" }] });
      expect(await errorMessage(tunnel.getTcpEdgeIpRestriction({ edgeId: "edgtcp_1" }))).toBe(
        "getTcpEdgeIpRestriction: there is no IP restriction of TCP edge edgtcp_1.",
      );
    },
  );

  test("a proxy's page does not mean that the object does not exist", async () => {
    const emulator = await startService();
    emulator.seed({ tcpEdges: [{ id: "edgtcp_1" }] });
    emulator.fail({ path: "/edges/tcp/edgtcp_1", status: 404, body: "<html>not here</html>" });
    const message = await errorMessage(tunnel.getTcpEdge({ id: "edgtcp_1" }));
    expect(message).toBe(
      "getTcpEdge: GET /edges/tcp/edgtcp_1 returned 404 with a body that is not JSON. Something other than the service " +
        "responds at this address. Check tunnel-edge:baseUrl or TUNNEL_EDGE_BASE_URL. The TCP edge still exists.",
    );
  });

  test("a response without a list", async () => {
    const emulator = await startService();
    emulator.fail({ path: "/tunnels", status: 200, body: {} });
    expect(await failureOf(tunnel.getTunnels())).toMatchObject({
      message: expect.stringContaining('getTunnels: GET /tunnels returned a page without the list "tunnels".'),
    });
  });

  test("a key that the service does not know", async () => {
    await startService();
    process.env["TUNNEL_EDGE_API_KEY"] = "another-key";
    expect(await errorMessage(tunnel.getApiKeys())).toMatch(
      /^getApiKeys: GET \/api_keys returned 401 .*tunnel-edge:apiKey/,
    );
  });

  test("all settings that are missing or wrong", async () => {
    process.env["TUNNEL_EDGE_BASE_URL"] = "http://api.example.com";
    const message = await errorMessage(tunnel.getTunnels());
    expect(message).toMatch(/^getTunnels: tunnel-edge:apiKey is not set: run `pulumi config set --secret .*\n/);
    expect(message).toMatch(/\ntunnel-edge:baseUrl must start with "https:\/\/"/);
  });

  test("misspelled settings of the stack", async () => {
    const emulator = await startService();
    pulumi.runtime.setAllConfig({ "tunnel-edge:maxretrys": "3" });
    expect(await errorMessage(tunnel.getTunnels())).toMatch(
      /^tunnel-edge:maxretrys is not a setting; did you mean .*maxRetries/,
    );
    pulumi.runtime.setAllConfig({});
    expect(emulator.calls()).toEqual([]);
  });
});

describe("unknown values", () => {
  test("make the result of the Output form unknown, without a request", async () => {
    const emulator = await startService();
    expect(await readOutput(tunnel.getTcpEdgeOutput({ id: unknown }))).toMatchObject({ known: false });
    expect(await readOutput(tunnel.getTunnelsOutput({ labels: { app: unknown } }))).toMatchObject({ known: false });
    expect(emulator.calls()).toEqual([]);
  });

  test("are rejected by the Promise form", async () => {
    const emulator = await startService();
    const error = await failureOf(tunnel.getTcpEdge({ id: unknown as unknown as string }));
    expect(error).toMatchObject({
      message: "getTcpEdge: the arguments are not known yet: use getTcpEdgeOutput, which waits for them.",
    });
    expect(emulator.calls()).toEqual([]);
  });
});

describe("secrets", () => {
  afterEach(() => pulumi.runtime.setAllConfig({}));

  test("in the arguments make the result a secret", async () => {
    const emulator = await startService();
    emulator.seed({ tcpEdges: [{ id: "edgtcp_1" }] });
    expect(await readOutput(tunnel.getTcpEdgeOutput({ id: pulumi.secret("edgtcp_1") }))).toMatchObject({
      value: { id: "edgtcp_1" },
      secret: true,
    });
  });

  test("in the stack's settings do not", async () => {
    const emulator = await startService();
    delete process.env["TUNNEL_EDGE_API_KEY"];
    pulumi.runtime.setAllConfig({ "tunnel-edge:apiKey": emulator.apiKey }, ["tunnel-edge:apiKey"]);
    expect(await readOutput(tunnel.getTunnelsOutput())).toEqual({ value: { tunnels: [] }, known: true, secret: false });
  });
});

describe("the request log", () => {
  let lines: string[];
  beforeEach(() => {
    lines = [];
    jest.spyOn(console, "log").mockImplementation((line) => void lines.push(line));
  });
  afterEach(() => jest.restoreAllMocks());

  test("has one line per request if the settings enable it", async () => {
    const emulator = await startService({ apiKey: "edgtcp_0123" });
    process.env["TUNNEL_EDGE_LOG_REQUESTS"] = "true";
    emulator.seed({ tcpEdges: [{ id: "edgtcp_1" }] });
    await tunnel.getTcpEdge({ id: "edgtcp_1" });
    await failureOf(tunnel.getTcpEdge({ id: "edgtcp_0123" }));
    expect(lines).toEqual([
      expect.stringMatching(/GET \/edges\/tcp\/edgtcp_1 → 200 in \d+ ms$/),
      expect.stringMatching(/GET \/edges\/tcp\/\[secret\] → 404 in \d+ ms/),
    ]);
  });

  test("is silent otherwise", async () => {
    await startService();
    await tunnel.getTunnels();
    expect(lines).toEqual([]);
  });

  test("reports the rate limit", async () => {
    const emulator = await startService();
    emulator.fail({ path: "/tunnels", status: 429, headers: { "retry-after": "2" } });
    await tunnel.getTunnels();
    expect(lines).toEqual([
      expect.stringContaining("The service's rate limit was reached"),
      expect.stringContaining("Waiting 2 s for the service's rate limit"),
    ]);
  });
});

describe("the program's process", () => {
  /** Runs a program that can use `tunnel` and `report`. Returns what it reported. */
  const run = async (program: string) => {
    const prelude = `
      const tunnel = require("pulumi-tunnel-edge");
      const report = (value) => console.log(JSON.stringify(value));
      const loaded = () => ["undici", "zod"].filter((name) =>
        Object.keys(require.cache).some((file) => file.includes(require("node:path").join("node_modules", name))));
      process.on("unhandledRejection", (error) => report("reported: " + error.message));`;
    const { printed } = await runProcess(process.execPath, ["-e", prelude + program], root, process.env);
    return printed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
  };

  test("loads neither undici nor zod before the first call, and never zod", async () => {
    await startService();
    const reports = await run("report(loaded()); tunnel.getTunnels().then(() => report(loaded()))");
    expect(reports).toEqual([[], ["undici"]]);
  });

  test("exits by itself after a call, while the connection to the service is still open", async () => {
    await startService();
    const reports = await run(`
      const sockets = [];
      require("node:diagnostics_channel").subscribe("net.client.socket", ({ socket }) => sockets.push(socket));
      process.once("beforeExit", () => report(sockets.map(({ destroyed }) => (destroyed ? "closed" : "open"))));
      tunnel.getTunnelsOutput().apply(report);`);
    expect(reports).toEqual([{ tunnels: [] }, ["open"]]);
  });

  test.each(["tunnel.getTcpEdge", "tunnel.getTcpEdgeOutput"])(
    "reports the error of a %s that nobody awaits",
    async (name) => {
      await startService();
      const reports = await run(`${name}({ id: "edgtcp_0" })`);
      expect(new Set(reports)).toEqual(new Set(["reported: getTcpEdge: there is no TCP edge edgtcp_0."]));
    },
  );

  test("does not report an error that it handles", async () => {
    await startService();
    const reports = await run(`
      tunnel.getTcpEdge({ id: "edgtcp_0" }).catch(() => report("caught"));
      require("@pulumi/pulumi").recover(tunnel.getTcpEdgeOutput({ id: "edgtcp_0" }), () => "recovered").apply(report);`);
    expect(reports.sort()).toEqual(["caught", "recovered"]);
  });
});
