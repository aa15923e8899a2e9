/** What the engine sends to the plugin, and what it gets back. */
import { join } from "node:path";
import * as tunnel from "pulumi-tunnel-edge";
import { type Emulator, startEmulator } from "pulumi-tunnel-edge/emulator";
import { definitions, readOnly } from "../../src/definitions";
import { publicKey } from "../support/data/publicKey";
import { Plugin } from "../support/engine/plugin";
import { urnOf } from "../support/engine/pluginCalls";
import { type Properties, unknown } from "../support/engine/provider";
import { ProviderProcess, requests, reveal } from "../support/engine/providerProcess";
import { root } from "../support/root";
import { waitUntil } from "../support/waitUntil";

const { Empty } = require("google-protobuf/google/protobuf/empty_pb");
const { PluginAttach } = require("@pulumi/pulumi/proto/plugin_pb");
const { PropertyDiff } = requests;

let emulator: Emulator;
let plugin: Plugin;
beforeAll(async () => {
  emulator = await startEmulator();
  plugin = await start();
});
beforeEach(() => emulator.reset());
afterAll(() => emulator.close());

const start = (config: Record<string, string> = {}, env: Record<string, string> = {}) =>
  Plugin.start({
    config: { "tunnel-edge:baseUrl": emulator.url, "tunnel-edge:apiKey": emulator.apiKey, ...config },
    env,
  });

/** A secret as the engine sends it in configuration. */
const envelope = (value: unknown) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});

const providerUrn = (name: string) => `urn:pulumi:dev::test::pulumi:providers:tunnel-edge::${name}`;

async function checkConfig(name: string, news: Properties, from = plugin) {
  const request = new requests.CheckRequest().setUrn(providerUrn(name));
  const response = await from.process.call("checkConfig", request, { setNews: news });
  return {
    inputs: response.getInputs().toJavaScript(),
    failures: response.getFailuresList().map((each: Properties) => [each["getProperty"](), each["getReason"]()]),
  };
}

describe("before resources", () => {
  test("the plugin has a version and a schema, and accepts secrets", async () => {
    const info = await plugin.process.call("getPluginInfo", new Empty(), {});
    expect(info.getVersion()).toBe(require("../../package.json").version);
    const handshake = await plugin.process.call("handshake", new requests.ProviderHandshakeRequest(), {});
    expect(handshake.toObject()).toMatchObject({ acceptSecrets: true, acceptOutputs: false, acceptResources: false });
    const request = new requests.ConfigureRequest().setUrn(providerUrn("default"));
    const configured = await plugin.process.call("configure", request, {
      setArgs: { baseUrl: emulator.url, apiKey: envelope(emulator.apiKey) },
    });
    expect(configured.toObject()).toMatchObject({
      acceptsecrets: true,
      acceptoutputs: false,
      acceptresources: false,
      supportspreview: true,
    });
    // The key arrived in an envelope.
    await plugin.resource("ApiKey").up({ description: "ci" });
  });

  test("unknown settings are not checked, wrong ones are, and secrets are marked", async () => {
    expect(await checkConfig("default", { apiKey: unknown, baseUrl: "https://x.example", maxRetries: "many" })).toEqual(
      {
        inputs: { apiKey: envelope(unknown), baseUrl: "https://x.example", maxRetries: "many" },
        failures: [["", "tunnel-edge:maxRetries must be a whole number from 0 to 20."]],
      },
    );
    for (const name of ["default", "account"])
      expect((await checkConfig(name, { apiKey: "k", baseUrl: unknown, maxRetries: unknown })).failures).toEqual([]);
  });

  test("a misspelled setting is named; a default provider may have the project's own configuration", async () => {
    const settings = { apiKey: "key-1234", baseUrl: "https://x.example" };
    expect((await checkConfig("default", { ...settings, region: "eu" })).failures).toEqual([]);
    expect((await checkConfig("default_0_1_0", { ...settings, baseURL: "x" })).failures).toEqual([
      ["", expect.stringContaining("tunnel-edge:baseURL is not a setting; did you mean tunnel-edge:baseUrl?")],
    ]);
    expect((await checkConfig("account", { ...settings, region: "eu", version: "0.1.0" })).failures).toEqual([
      ["", expect.stringMatching(/^region is not an argument: the arguments are apiKey, baseUrl, /)],
    ]);
  });

  test("settings of the environment are used and never returned, except an explicit provider's key", async () => {
    const env = { TUNNEL_EDGE_API_KEY: "key-of-environment", TUNNEL_EDGE_BASE_URL: emulator.url };
    const other = await start({}, env);
    expect(await checkConfig("default", {}, other)).toEqual({ inputs: {}, failures: [] });
    expect((await checkConfig("account", {}, other)).failures).toEqual([
      ["", expect.stringContaining("the explicit Provider has no apiKey.")],
    ]);
    expect((await checkConfig("account", { apiKey: "own-key" }, other)).failures).toEqual([]);
    // The program's, whatever its name begins with: the environment's key must not go to its address.
    expect((await checkConfig("default-eu", { baseUrl: "https://x.example" }, other)).failures).toEqual([
      ["", expect.stringContaining("the explicit Provider has no apiKey.")],
    ]);
  });

  test("an explicit provider sends the environment's headers only to the environment's address", async () => {
    const env = { TUNNEL_EDGE_HEADERS: '{"X-Team":"edge"}', TUNNEL_EDGE_BASE_URL: emulator.url };
    for (const [baseUrl, sent] of [
      [emulator.url, "edge"],
      [emulator.url.replace("127.0.0.1", "localhost"), undefined],
    ] as const) {
      const explicit = await start({ "tunnel-edge:explicit": "true", "tunnel-edge:baseUrl": baseUrl }, env);
      await explicit.resource("ApiKey").up({});
      expect(emulator.requests.at(-1)!.headers["x-team"]).toBe(sent);
    }
  });

  test("another configuration is a change, and never a replacement", async () => {
    const request = new requests.DiffRequest().setUrn(providerUrn("account"));
    const diff = (olds: Properties, news: Properties) =>
      plugin.process.call("diffConfig", request, { setOlds: olds, setNews: news });
    const changed = await diff(
      { "tunnel-edge:apiKey": "a", "tunnel-edge:explicit": "true" },
      { apiKey: envelope("b") },
    );
    expect([changed.getChanges(), changed.getReplacesList(), changed.getDiffsList()]).toEqual([2, [], ["apiKey"]]);
    expect((await diff({ apiKey: "a" }, { apiKey: envelope("a") })).getChanges()).toBe(1);
  });

  test("missing settings are named where nothing was checked", async () => {
    const bare = await Plugin.start({ config: {}, env: { TUNNEL_EDGE_UNUSED: "" } });
    await expect(
      bare.read({ type: "ApiKey", name: "it" }, "ak_1", { outputs: { uri: "x" }, inputs: {} }),
    ).rejects.toThrow("tunnel-edge:apiKey is not set");
    await expect(invoke("getApiKeys", {}, bare)).rejects.toThrow("tunnel-edge:apiKey is not set");
  });
});

async function invoke(name: string, args: Properties, from = plugin): Promise<Properties> {
  const request = new requests.InvokeRequest().setTok(`tunnel-edge:index:${name}`);
  return (await from.process.call("invoke", request, { setArgs: args })).getReturn().toJavaScript();
}

describe("secrets", () => {
  const oidcArgs = () => {
    emulator.seed({ httpsEdges: [{ id: "edghts_1", routes: [{ id: "edghtsrt_1" }] }] });
    return { edgeId: "edghts_1", routeId: "edghtsrt_1", issuer: "https://id.example.com", clientSecret: "hush-hush" };
  };

  test("leave in envelopes: from check, create, read and functions", async () => {
    const args = oidcArgs();
    const urn = urnOf("HttpsEdgeRouteOidc", "it");
    const secret = envelope("hush-hush");
    const checked = await plugin.process.call("check", new requests.CheckRequest().setUrn(urn), { setNews: args });
    expect(checked.getInputs().toJavaScript().clientSecret).toEqual(secret);
    const created = await plugin.process.call("create", new requests.CreateRequest().setUrn(urn), {
      setProperties: args,
    });
    const outputs = created.getProperties().toJavaScript();
    expect(outputs.clientSecret).toEqual(secret);
    const request = new requests.ReadRequest().setUrn(urn).setId(created.getId());
    const read = await plugin.process.call("read", request, { setInputs: args, setProperties: reveal(outputs) });
    expect(read.getInputs().toJavaScript().clientSecret).toEqual(secret);
    expect(read.getProperties().toJavaScript().clientSecret).toEqual(secret);
    const { edgeId, routeId } = args;
    expect((await invoke("getHttpsEdgeRouteOidc", { edgeId, routeId }))["clientSecret"]).toEqual(secret);
    // If an argument is secret, all of the result is.
    const all = await invoke("getHttpsEdgeRouteOidc", { edgeId: envelope(edgeId), routeId });
    expect(Object.values(all)).toEqual(
      Object.values(reveal(all)).map((value) => (value === null ? null : envelope(value as never))),
    );
  });

  test("of an imported object: what the service does not return is left out, and a message names it", async () => {
    const masked = await startEmulator({ oidcSecrets: "masked" });
    try {
      masked.seed({ httpsEdges: [{ id: "edghts_1", routes: [{ id: "edghtsrt_1" }] }] });
      masked.api("PUT", "/edges/https/edghts_1/routes/edghtsrt_1/oidc", { client_secret: "hush", client_id: "c" });
      const other = await start({ "tunnel-edge:baseUrl": masked.url, "tunnel-edge:apiKey": masked.apiKey });
      const oidc = other.resource("HttpsEdgeRouteOidc");
      await oidc.import("edghts_1/edghtsrt_1");
      expect(oidc.state!.inputs).not.toHaveProperty("clientSecret");
      expect(other.logs.map(({ message }) => message)).toEqual([
        'HttpsEdgeRouteOidc "it": clientSecret is not imported, because the service does not return it. If it is set, ' +
          "declare it in the program.",
      ]);
    } finally {
      await masked.close();
    }
  });
});

test("what a check and a diff say stands on the resource's row", async () => {
  const other = await start();
  await other.check({ type: "TcpEdge", name: "wrong" }, {}, { description: 5 });
  const edge = other.resource("TcpEdge", "one");
  await edge.up({ description: "a" });
  await edge.up({ description: "a" }, { ignoreChanges: ["description"] });
  await waitUntil(() => other.logs.length > 1);
  expect(other.logs.map(({ message }) => message)).toEqual([
    'TcpEdge "wrong": Pulumi stops at the first invalid resource. There may be more.',
    'TcpEdge "one": description is no longer managed, because of ignoreChanges.',
  ]);
});

describe("a preview", () => {
  test("of a create knows what is declared, and sends nothing", async () => {
    const request = new requests.CreateRequest().setUrn(urnOf("ApiKey", "it")).setPreview(true);
    const response = await plugin.process.call("create", request, { setProperties: { description: "ci" } });
    expect(response.getId()).toBe("");
    expect(response.getProperties().toJavaScript()).toMatchObject({
      description: "ci",
      token: envelope(unknown),
      createdAt: unknown,
    });
    expect(emulator.calls()).toEqual([]);
  });

  test("of an update leaves a list that is not known as it is", async () => {
    const edge = plugin.resource("TcpEdge");
    await edge.up({ hostports: ["a.example:1"], ipRestriction: { ipPolicyIds: ["ipp_a"] } });
    const { id, outputs, inputs } = edge.state!;
    const news = { hostports: unknown, ipRestriction: { ipPolicyIds: unknown } };
    const request = new requests.UpdateRequest().setId(id).setUrn(urnOf("TcpEdge", "it")).setPreview(true);
    const properties = { setOlds: outputs, setOldInputs: inputs, setNews: news };
    const response = await plugin.process.call("update", request, properties);
    expect(response.getProperties().toJavaScript()).toMatchObject({
      hostports: unknown,
      ipRestriction: { enabled: true, ipPolicyIds: unknown },
    });
  });

  test("of an update keeps what does not change, and says of each change what it does", async () => {
    const edge = plugin.resource("TcpEdge");
    await edge.up({ description: "a", metadata: "m", backend: { backendId: "bkdhr_1" } });
    emulator.clearRequests();
    const { id, outputs, inputs } = edge.state!;
    const news = {
      description: unknown,
      backend: { backendId: "bkdhr_1", enabled: false },
      hostports: ["a.example:1"],
    };
    const properties = { setOlds: outputs, setOldInputs: inputs, setNews: news };
    const urn = urnOf("TcpEdge", "it");
    const preview = new requests.UpdateRequest().setId(id).setUrn(urn).setPreview(true);
    expect((await plugin.process.call("update", preview, properties)).getProperties().toJavaScript()).toEqual({
      description: unknown,
      backend: { backendId: "bkdhr_1", enabled: false },
      hostports: ["a.example:1"],
      createdAt: outputs["createdAt"],
      uri: outputs["uri"],
    });
    const diff = await plugin.process.call("diff", new requests.DiffRequest().setId(id).setUrn(urn), properties);
    const { ADD, UPDATE, DELETE } = PropertyDiff.Kind;
    const paths: [string][] = diff.getDetaileddiffMap().getEntryList();
    const kinds = paths.map(([path]) => [path, diff.getDetaileddiffMap().get(path).getKind()]);
    expect(Object.fromEntries(kinds)).toEqual({
      description: UPDATE,
      metadata: DELETE,
      hostports: ADD,
      "backend.enabled": UPDATE,
    });
    expect(diff.getDiffsList()).toEqual(["description", "metadata", "hostports", "backend"]);
    expect(emulator.calls()).toEqual([]);
  });
});

test("the preview of a replacement says which change replaces", async () => {
  const credential = plugin.resource("SshCredential");
  await credential.up({ publicKey: publicKey("old"), description: "a" });
  const { id, outputs, inputs } = credential.state!;
  const request = new requests.DiffRequest().setId(id).setUrn(urnOf("SshCredential", "it"));
  const news = { publicKey: publicKey("new"), description: "b" };
  const diff = await plugin.process.call("diff", request, { setOlds: outputs, setOldInputs: inputs, setNews: news });
  const kindOf = (name: string) => diff.getDetaileddiffMap().get(name).getKind();
  expect(kindOf("publicKey")).toBe(PropertyDiff.Kind.UPDATE_REPLACE);
  expect(kindOf("description")).toBe(PropertyDiff.Kind.UPDATE);
});

describe("an update that failed halfway", () => {
  const [before, after] = [{ description: "a", ipRestriction: { ipPolicyIds: ["ipp_a"] } }, { description: "b" }];

  test.each(["at once", "after a refresh"])("is finished by the next `pulumi up`, %s", async (when) => {
    const edge = plugin.resource("TcpEdge");
    await edge.up(before);
    emulator.fail({ method: "DELETE", status: 403 });
    await expect(edge.up(after)).rejects.toThrow("403");
    if (when === "after a refresh") await edge.refresh();
    expect((await edge.preview(after)).step).toBe("update");
    emulator.clearRequests();
    expect(await edge.up(after)).toBe("update");
    expect(emulator.calls()).toEqual(["DELETE /edges/tcp/{id}/ip_restriction"]);
    expect(edge.state!.outputs).not.toHaveProperty("__managed");
    expect(await edge.up(after)).toBe("same");
  });

  test("is asked for by diff alone, without the engine's own record of the failure", async () => {
    const edge = plugin.resource("TcpEdge");
    await edge.up(before);
    emulator.fail({ method: "DELETE", status: 403 });
    await expect(edge.up(after)).rejects.toThrow("403");
    delete edge.state!.hasInitErrors;
    expect(await edge.up(after)).toBe("update");
    expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: null }]);
  });
});

test("a record of what an update left unfinished goes when nothing is left to send", async () => {
  const edge = plugin.resource("TcpEdge");
  await edge.up({});
  edge.state!.outputs["__managed"] = "description";
  expect(await edge.up({})).toBe("update");
  expect(edge.state!.outputs).not.toHaveProperty("__managed");
});

test("the timeout of a read holds for a refresh and for the option import", async () => {
  const { id } = emulator.api("POST", "/edges/tcp", {});
  const edge = plugin.resource("TcpEdge");
  await edge.up({});
  const silence = emulator.fail({ method: "GET", hang: "headers", times: Number.POSITIVE_INFINITY });
  const options = { customTimeouts: { read: "300ms" } };
  const hint = "Timed out after 0.3s (customTimeouts.read).";
  await expect(edge.refresh(options)).rejects.toThrow(hint);
  await expect(plugin.resource("TcpEdge", "other").up({}, { ...options, import: String(id) })).rejects.toThrow(hint);
  silence.cancel();
});

describe("functions", () => {
  test("all of them read with the provider's settings, and fail with a reason", async () => {
    const names = [...definitions, ...readOnly].flatMap((each) => [
      `get${each.type}`,
      ...("plural" in each ? [`get${each.plural}`] : []),
    ]);
    const exported = Object.keys(tunnel).filter((name) => /^get.*(?<!Output)$/.test(name));
    expect([...names].sort()).toEqual(exported.sort());
    for (const name of names) {
      const result = await invoke(name, {}).catch((error: Error) => error.message);
      expect(result).toEqual(
        name.endsWith("s") && typeof result === "object"
          ? { [Object.keys(result)[0]!]: expect.any(Array) }
          : expect.stringMatching(/^(id|edgeId) is required$/),
      );
    }
    await expect(invoke("getTcpEdge", { id: "edgtcp_none" })).rejects.toThrow("there is no TCP edge edgtcp_none.");
    await expect(invoke("getNothing", {})).rejects.toThrow("has no function tunnel-edge:index:getNothing");
  });
});

describe("list", () => {
  interface Item {
    result?: { id: string; name: string };
  }
  const list = async (type: string, query: Properties = {}, limit = 0) => {
    const request = new requests.ListRequest().setToken(`tunnel-edge:index:${type}`).setLimit(limit);
    const items = await plugin.process.stream<Item>("list", request, { setQuery: query });
    // Without --all, the CLI stops at the first continuation, and does not say so.
    return items.map(({ result }) => result);
  };
  const seedEdges = (count: number) =>
    emulator.seed({
      tcpEdges: Array.from({ length: count }, (_, index) => ({
        id: `edgtcp_${index}`,
        description: index % 2 ? "odd" : "",
        hostports: [`a.example.com:${index + 1}`],
      })),
    });

  test("one call has the ids and names of all pages; with a limit, of as many pages as it needs", async () => {
    seedEdges(250);
    emulator.clearRequests();
    const all = await list("TcpEdge");
    expect(all).toHaveLength(250);
    expect(all).toContainEqual({ id: "edgtcp_3", name: "odd" });
    expect(all).toContainEqual({ id: "edgtcp_4", name: "edgtcp_4" });
    expect(emulator.calls()).toEqual(Array(3).fill("GET /edges/tcp"));
    emulator.clearRequests();
    expect(await list("TcpEdge", {}, 100)).toHaveLength(100);
    expect(await list("TcpEdge", { description: "odd" }, 60)).toHaveLength(60);
    expect(emulator.calls()).toEqual(Array(3).fill("GET /edges/tcp"));
  });

  test("every object has filters, as its schema says, and nothing else has a list", async () => {
    seedEdges(2);
    expect(await list("TcpEdge", { hostport: "A.example.com:2" })).toEqual([{ id: "edgtcp_1", name: "odd" }]);
    const { resources } = require("../../plugin/schema.json");
    for (const definition of definitions) {
      const { listInputs } = resources[`tunnel-edge:index:${definition.type}`];
      if (definition.kind === "module") {
        expect(listInputs).toBeUndefined();
        await expect(list(definition.type)).rejects.toThrow(`The service has no list of ${definition.displayName}.`);
      } else {
        expect(Object.keys(listInputs.properties).sort()).toEqual(Object.keys(definition.filters).sort());
        for (const name of Object.keys(listInputs.properties))
          expect(await list(definition.type, { [name]: "none" })).toEqual([]);
      }
    }
    await expect(list("TunnelSessionCommand")).rejects.toThrow("The service has no list of");
  });

  test("fails with a reason, and without secrets", async () => {
    await expect(list("TcpEdge", { hostports: "x" })).rejects.toThrow(
      'hostports is not a filter: did you mean "hostport"?',
    );
    emulator.fail({ path: "/edges/tcp", status: 403, body: { status_code: 403, msg: `not ${emulator.apiKey}` } });
    const message = await list("TcpEdge").catch(String);
    expect(message).toContain("GET /edges/tcp returned 403");
    expect(message).not.toContain(emulator.apiKey);
  });
});

describe("what the engine copies, and what it does not", () => {
  const edge = { type: "TcpEdge", name: "it" };

  test("an argument that begins with __ is rejected, unless the old inputs have it", async () => {
    const check = (olds: Properties, news: Properties) => plugin.check(edge, olds, news);
    const problem = "__imported is not an argument. Remove it.";
    expect((await check({}, { __imported: true })).failures).toEqual([problem]);
    expect((await check({ __imported: false }, { __imported: true })).failures).toEqual([problem]);
    expect(await check({ __imported: true }, { __imported: true })).toEqual({ inputs: {}, failures: [] });
  });

  test("a type or function in another module is rejected", async () => {
    const urn = urnOf("TcpEdge", "it").replace(":index:", ":other:");
    await expect(plugin.process.check({ urn }, {}, {})).rejects.toThrow(
      "tunnel-edge:other:TcpEdge does not exist. Use tunnel-edge:index:TcpEdge.",
    );
  });

  test("a replacement that replaceOnChanges asks for deletes first what the service would reject twice", async () => {
    const credential = plugin.resource("SshCredential");
    const args = { publicKey: publicKey("it"), description: "a" };
    await credential.up(args);
    const opts = { replaceOnChanges: ["description"] };
    expect(await credential.up({ ...args, description: "b" }, opts)).toBe("replace");
    const tcp = plugin.resource("TcpEdge");
    await tcp.up({ hostports: ["1.tcp.example.com:1"], description: "a" });
    expect(await tcp.up({ hostports: ["1.tcp.example.com:1"], description: "b" }, opts)).toBe("replace");
  });

  test("one id is imported under one name, before the engine has a second one in the state", async () => {
    emulator.seed({ tcpEdges: [{ id: "edgtcp_1", description: "a" }] });
    await plugin.startNewRun();
    const [one, two] = [plugin.resource("TcpEdge", "one"), plugin.resource("TcpEdge", "two")];
    const twice = 'TCP edge edgtcp_1 is already declared by TcpEdge "one". Declare it in one place.';
    await one.import("edgtcp_1");
    await expect(two.import("edgtcp_1")).rejects.toThrow(twice);
    // Also after the first one's check.
    await plugin.check(one, one.state!.inputs, { description: "a" });
    await expect(two.import("edgtcp_1")).rejects.toThrow(twice);
    await plugin.startNewRun();
    expect(await one.up({ description: "a" })).toBe("same");
  });

  test.each(["at once", "after a refresh"])("what was imported and is not declared is left alone, %s", async (when) => {
    emulator.seed({ tcpEdges: [{ id: "edgtcp_1", description: "a", metadata: "m" }] });
    await plugin.startNewRun();
    const imported = plugin.resource("TcpEdge");
    await imported.import("edgtcp_1");
    if (when === "after a refresh") await imported.refresh();
    await plugin.startNewRun();
    emulator.clearRequests();
    await imported.up({ description: "a" });
    expect(emulator.calls()).toEqual([]);
  });

  test("a string that the engine takes for unknown is not sent", async () => {
    const problem = "backend has a string that Pulumi takes for an unknown value. Use another.";
    const edge = plugin.resource("TcpEdge");
    const backend = { backendId: "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7" };
    await expect(edge.up({ backend })).rejects.toThrow(problem);
    await edge.up({});
    await expect(edge.up({ backend })).rejects.toThrow(problem);
    expect(emulator.calls()).toEqual(["POST /edges/tcp"]);
  });

  test("an import with an id of another kind says so", async () => {
    await expect(plugin.resource("TcpEdge").import("edgtls_1")).rejects.toThrow(
      "There is no TCP edge edgtls_1: that is the id of a TLS edge. Check the id.",
    );
  });
});

describe("the process", () => {
  const startOwn = (engine?: string) =>
    ProviderProcess.start({ script: join(root, "dist/plugin/main.js"), cwd: root, env: { ...process.env }, engine });

  test("is configured once, also after it has returned the schema", async () => {
    const own = await startOwn();
    // `pulumi do` asks for the schema, which is beside the bundled plugin only, and then configures.
    await own.call("getSchema", new requests.GetSchemaRequest(), {}).catch(() => {});
    await own.configure(providerUrn("default"), { baseUrl: emulator.url, apiKey: emulator.apiKey });
    const refused = "This process does not accept settings any more.";
    await expect(own.configure(providerUrn("default"), { baseUrl: "http://127.0.0.1:1" })).rejects.toThrow(refused);
    own.close();
  });

  test("started by hand, serves one account of an engine over one connection", async () => {
    const own = await startOwn("none");
    const attach = (address: string) => {
      const request = new PluginAttach();
      request.setAddress(address);
      return own.call("attach", request, {});
    };
    const account = { baseUrl: emulator.url, apiKey: emulator.apiKey };
    const refused = "from which it cannot tell this one apart. Remove tunnel-edge from PULUMI_DEBUG_PROVIDERS";
    await attach("127.0.0.1:1");
    await own.configure(providerUrn("default"), account);
    // `pulumi up --refresh` configures twice.
    await own.configure(providerUrn("default"), { ...account, maxRetries: 1 });
    for (const change of [{ apiKey: "other" }, { baseUrl: "http://127.0.0.1:1" }, { headers: { "X-Team": "a" } }]) {
      await expect(own.configure(providerUrn("staging"), { ...account, ...change })).rejects.toThrow(refused);
    }
    await attach("127.0.0.1:2");
    await own.configure(providerUrn("default"), { ...account, apiKey: "other" });
    own.close();
  });

  test("ends with its engine", async () => {
    const other = await start({}, { TUNNEL_EDGE_UNUSED: "ends" });
    await other.disconnectEngine();
    expect(other.process.hasExited).toBe(true);
  });

  test("cancelled, ends waits and records a write that was sent", async () => {
    const other = await start({}, { TUNNEL_EDGE_UNUSED: "cancel" });
    const key = other.resource("ApiKey");
    emulator.fail({ method: "POST", delayMs: 1_000 });
    const creating = key.up({ description: "slow" });
    await waitUntil(() => emulator.requests.length > 0);
    await other.process.call("cancel", new Empty(), {});
    await creating;
    expect(key.outputs["token"]).toEqual(expect.any(String));
    await expect(other.resource("ApiKey", "next").up({})).rejects.toThrow("was cancelled");
    expect(emulator.account.apiKeys.filter(({ description }) => description === "slow")).toHaveLength(1);
  });

  test("started by hand, serves the next deployment after one that was cancelled", async () => {
    const other = await start({}, { TUNNEL_EDGE_UNUSED: "again" });
    await other.process.call("cancel", new Empty(), {});
    await expect(other.resource("ApiKey").up({})).rejects.toThrow("was cancelled");
    await expect(invoke("getTcpEdges", {}, other)).rejects.toThrow("was cancelled");
    await other.startNewRun();
    expect(await invoke("getTcpEdges", {}, other)).toEqual({ tcpEdges: [] });
    expect(await other.resource("ApiKey").up({})).toBe("create");
  });

  test("prints its port and nothing else", () => {
    expect(plugin.printed).toBe("");
  });

  test("accepts messages of more than 4 MB", async () => {
    const text = "x".repeat(6_000_000);
    const { failures } = await plugin.check({ type: "ApiKey", name: "it" }, {}, { description: text });
    expect(failures).toEqual(["description must be at most 255 bytes, not 6000000"]);
  });
});
