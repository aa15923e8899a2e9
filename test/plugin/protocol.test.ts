/** What the engine sends to the plugin, and what it gets back. */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { definitions } from "../../src/definitions";
import { publicKey } from "../support/data/publicKey";
import { configOf, startService } from "../support/emulators";
import { urnOf } from "../support/engine/pluginCalls";
import { type Properties, unknown } from "../support/engine/provider";
import { requests } from "../support/engine/providerProcess";
import { RemoteProvider } from "../support/engine/remote";
import type { ResourceDriver } from "../support/engine/resourceDriver";
import { secret as envelope, withoutSecrets } from "../support/engine/secrets";
import { waitUntil } from "../support/waitUntil";

const { Empty } = require("google-protobuf/google/protobuf/empty_pb");
const { PluginAttach } = require("@pulumi/pulumi/proto/plugin_pb");
const schema = require("../../plugin/schema.json");
const { ADD, UPDATE, UPDATE_REPLACE, DELETE } = requests.PropertyDiff.Kind;

let emulator: Emulator;
/** Whoever starts a process by hand can attach it to one engine after another. Each test is a deployment of its own. */
let plugin: RemoteProvider;
beforeAll(async () => {
  emulator = await startService();
  plugin = await RemoteProvider.start("plugin", { isByHand: true });
});
beforeEach(async () => {
  emulator.reset();
  await deploy();
});

/** Begins another deployment, with this configuration. */
async function deploy(config: Record<string, string> = {}, by = plugin): Promise<void> {
  await attach((await by.deployment.startEngine()).address, by);
  await by.configure(configOf(emulator, config));
  by.deployment.logs.length = 0;
}

async function attach(address: string, to = plugin): Promise<void> {
  const request = new PluginAttach();
  request.setAddress(address);
  await to.process.call("attach", request, {});
}

const said = () => plugin.deployment.logs.map(({ message }) => message);
const resource = (type: string, name?: string) => plugin.tested.resource(type, name);

/** A diff of this resource of the state, or a preview of its update. */
function ask(method: "diff" | "update", { type, name, state }: ResourceDriver, news: Properties) {
  const { id, outputs, inputs } = state!;
  const request = method === "diff" ? new requests.DiffRequest() : new requests.UpdateRequest().setPreview(true);
  const properties = { setOlds: outputs, setOldInputs: inputs, setNews: news };
  return plugin.process.call(method, request.setId(id).setUrn(urnOf(type, name)), properties);
}

/** What a diff says of each path. */
function kindsIn(diff: { getDetaileddiffMap(): Map<string, { getKind(): number }> }): Record<string, number> {
  const paths = diff.getDetaileddiffMap();
  return Object.fromEntries([...paths.keys()].map((path) => [path, paths.get(path)!.getKind()]));
}

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
    await resource("ApiKey").up({ description: "ci" });
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

  describe("with settings of the environment", () => {
    let other: RemoteProvider;
    beforeAll(async () => {
      const env = {
        TUNNEL_EDGE_API_KEY: "key-of-environment",
        TUNNEL_EDGE_BASE_URL: emulator.url,
        TUNNEL_EDGE_HEADERS: '{"X-Team":"edge"}',
      };
      other = await RemoteProvider.start("plugin", { env, isByHand: true });
    });

    test("uses them and never returns them, except an explicit provider's key", async () => {
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
      for (const [baseUrl, sent] of [
        [emulator.url, "edge"],
        [emulator.url.replace("127.0.0.1", "localhost"), undefined],
      ] as const) {
        await deploy({ "tunnel-edge:explicit": "true", "tunnel-edge:baseUrl": baseUrl }, other);
        await other.tested.resource("ApiKey").up({});
        expect(emulator.requests.at(-1)!.headers["x-team"]).toBe(sent);
      }
    });
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
    await attach("127.0.0.1:1");
    await plugin.configure({});
    const saved = { outputs: { uri: "x" }, inputs: {} };
    await expect(plugin.read({ type: "ApiKey", name: "it" }, "ak_1", saved)).rejects.toThrow(
      "tunnel-edge:apiKey is not set",
    );
    await expect(invoke("getApiKeys", {})).rejects.toThrow("tunnel-edge:apiKey is not set");
  });
});

async function invoke(name: string, args: Properties): Promise<Properties> {
  const request = new requests.InvokeRequest().setTok(`tunnel-edge:index:${name}`);
  return (await plugin.process.call("invoke", request, { setArgs: args })).getReturn().toJavaScript();
}

describe("secrets", () => {
  const httpsEdges = [{ id: "edghts_1", routes: [{ id: "edghtsrt_1" }] }];

  test("leave in envelopes: from check, create, read and functions", async () => {
    emulator.seed({ httpsEdges });
    const args = { edgeId: "edghts_1", routeId: "edghtsrt_1", issuer: "https://id.example.com", clientSecret: "hush" };
    const urn = urnOf("HttpsEdgeRouteOidc", "it");
    const secret = envelope("hush");
    const checked = await plugin.process.call("check", new requests.CheckRequest().setUrn(urn), { setNews: args });
    expect(checked.getInputs().toJavaScript().clientSecret).toEqual(secret);
    const created = await plugin.process.call("create", new requests.CreateRequest().setUrn(urn), {
      setProperties: args,
    });
    const outputs = created.getProperties().toJavaScript();
    expect(outputs.clientSecret).toEqual(secret);
    const request = new requests.ReadRequest().setUrn(urn).setId(created.getId());
    const read = await plugin.process.call("read", request, {
      setInputs: args,
      setProperties: withoutSecrets(outputs),
    });
    expect(read.getInputs().toJavaScript().clientSecret).toEqual(secret);
    expect(read.getProperties().toJavaScript().clientSecret).toEqual(secret);
    const { edgeId, routeId } = args;
    expect((await invoke("getHttpsEdgeRouteOidc", { edgeId, routeId }))["clientSecret"]).toEqual(secret);
    // If an argument is secret, all of the result is.
    const all = await invoke("getHttpsEdgeRouteOidc", { edgeId: envelope(edgeId), routeId });
    expect(Object.values(all)).toEqual(
      Object.values(withoutSecrets(all)).map((value) => (value === null ? null : envelope(value as never))),
    );
  });

  test("of an imported object are left out if the service does not return them, and a message names them", async () => {
    const masked = await startService({ oidcSecrets: "masked" });
    masked.seed({ httpsEdges });
    masked.api("PUT", "/edges/https/edghts_1/routes/edghtsrt_1/oidc", { client_secret: "hush", client_id: "c" });
    await deploy(configOf(masked));
    const oidc = resource("HttpsEdgeRouteOidc");
    await oidc.import("edghts_1/edghtsrt_1");
    expect(oidc.state!.inputs).not.toHaveProperty("clientSecret");
    expect(said()).toEqual([
      'HttpsEdgeRouteOidc "it": clientSecret is not imported, because the service does not return it. If it is set, ' +
        "declare it in the program.",
    ]);
  });
});

test("messages of a check and a diff are on the resource's row", async () => {
  await plugin.check({ type: "TcpEdge", name: "wrong" }, {}, { description: 5 });
  const edge = resource("TcpEdge", "one");
  await edge.up({ description: "a" });
  await edge.up({ description: "a" }, { ignoreChanges: ["description"] });
  await waitUntil(() => said().length > 1);
  expect(said()).toEqual([
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
    const edge = resource("TcpEdge");
    await edge.up({ hostports: ["a.example:1"], ipRestriction: { ipPolicyIds: ["ipp_a"] } });
    const response = await ask("update", edge, { hostports: unknown, ipRestriction: { ipPolicyIds: unknown } });
    expect(response.getProperties().toJavaScript()).toMatchObject({
      hostports: unknown,
      ipRestriction: { enabled: true, ipPolicyIds: unknown },
    });
  });

  test("of an update keeps unchanged values, and shows whether each change adds, updates or deletes", async () => {
    const edge = resource("TcpEdge");
    await edge.up({ description: "a", metadata: "m", backend: { backendId: "bkdhr_1" } });
    emulator.clearRequests();
    const { createdAt, uri } = edge.outputs;
    const backend = { backendId: "bkdhr_1", enabled: false };
    const news = { description: unknown, backend, hostports: ["a.example:1"] };
    const preview = await ask("update", edge, news);
    expect(preview.getProperties().toJavaScript()).toEqual({ ...news, createdAt, uri });
    const diff = await ask("diff", edge, news);
    expect(kindsIn(diff)).toEqual({ description: UPDATE, metadata: DELETE, hostports: ADD, "backend.enabled": UPDATE });
    expect(diff.getDiffsList()).toEqual(["description", "metadata", "hostports", "backend"]);
    expect(emulator.calls()).toEqual([]);
  });
});

test("the preview of a replacement shows which change replaces", async () => {
  const credential = resource("SshCredential");
  await credential.up({ publicKey: publicKey("old"), description: "a" });
  const diff = await ask("diff", credential, { publicKey: publicKey("new"), description: "b" });
  expect(kindsIn(diff)).toEqual({ publicKey: UPDATE_REPLACE, description: UPDATE });
});

describe("an update that failed halfway", () => {
  const [before, after] = [{ description: "a", ipRestriction: { ipPolicyIds: ["ipp_a"] } }, { description: "b" }];

  async function failHalfway() {
    const edge = resource("TcpEdge");
    await edge.up(before);
    emulator.fail({ method: "DELETE", status: 403 });
    await expect(edge.up(after)).rejects.toThrow("403");
    return edge;
  }

  test.each(["at once", "after a refresh"])("is finished by the next `pulumi up`, %s", async (when) => {
    const edge = await failHalfway();
    if (when === "after a refresh") await edge.refresh();
    expect((await edge.preview(after)).step).toBe("update");
    emulator.clearRequests();
    expect(await edge.up(after)).toBe("update");
    expect(emulator.calls()).toEqual(["DELETE /edges/tcp/{id}/ip_restriction"]);
    expect(edge.state!.outputs).not.toHaveProperty("__managed");
    expect(await edge.up(after)).toBe("same");
  });

  test("is finished even without the engine's own record of the failure", async () => {
    const edge = await failHalfway();
    delete edge.state!.hasInitErrors;
    expect(await edge.up(after)).toBe("update");
    expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: null }]);
  });
});

test("the record of an unfinished update is removed when nothing is left to send", async () => {
  const edge = resource("TcpEdge");
  await edge.up({});
  edge.state!.outputs["__managed"] = "description";
  expect(await edge.up({})).toBe("update");
  expect(edge.state!.outputs).not.toHaveProperty("__managed");
});

test("the timeout of a read holds for a refresh and for the option import", async () => {
  const { id } = emulator.api("POST", "/edges/tcp", {});
  const edge = resource("TcpEdge");
  await edge.up({});
  const silence = emulator.fail({ method: "GET", hang: "headers", times: Number.POSITIVE_INFINITY });
  const options = { customTimeouts: { read: "300ms" } };
  const hint = "Timed out after 0.3s (customTimeouts.read).";
  await expect(edge.refresh(options)).rejects.toThrow(hint);
  await expect(resource("TcpEdge", "other").up({}, { ...options, import: String(id) })).rejects.toThrow(hint);
  silence.cancel();
});

test("all functions of the schema read with the provider's settings, and fail with a reason", async () => {
  for (const token of Object.keys(schema.functions)) {
    const name = token.replace("tunnel-edge:index:", "");
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
    for (const definition of definitions) {
      const { listInputs } = schema.resources[`tunnel-edge:index:${definition.type}`];
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

describe("a resource of the engine", () => {
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

  test("a replacement because of replaceOnChanges deletes the old object first, if the service would reject a second one", async () => {
    const credential = resource("SshCredential");
    const args = { publicKey: publicKey("it"), description: "a" };
    await credential.up(args);
    const opts = { replaceOnChanges: ["description"] };
    expect(await credential.up({ ...args, description: "b" }, opts)).toBe("replace");
    const tcp = resource("TcpEdge");
    await tcp.up({ hostports: ["1.tcp.example.com:1"], description: "a" });
    expect(await tcp.up({ hostports: ["1.tcp.example.com:1"], description: "b" }, opts)).toBe("replace");
  });

  test("one id is imported under one name, before the engine has a second one in the state", async () => {
    emulator.seed({ tcpEdges: [{ id: "edgtcp_1", description: "a" }] });
    await deploy();
    const [one, two] = [resource("TcpEdge", "one"), resource("TcpEdge", "two")];
    const twice = 'TCP edge edgtcp_1 is already declared by TcpEdge "one". Declare it in one place.';
    await one.import("edgtcp_1");
    await expect(two.import("edgtcp_1")).rejects.toThrow(twice);
    // Also after the first one's check.
    await plugin.check(one, one.state!.inputs, { description: "a" });
    await expect(two.import("edgtcp_1")).rejects.toThrow(twice);
    await deploy();
    expect(await one.up({ description: "a" })).toBe("same");
  });

  test.each(["at once", "after a refresh"])("an imported, undeclared value is left alone, %s", async (when) => {
    emulator.seed({ tcpEdges: [{ id: "edgtcp_1", description: "a", metadata: "m" }] });
    await deploy();
    const imported = resource("TcpEdge");
    await imported.import("edgtcp_1");
    if (when === "after a refresh") await imported.refresh();
    await deploy();
    emulator.clearRequests();
    await imported.up({ description: "a" });
    expect(emulator.calls()).toEqual([]);
  });

  test("a string that the engine takes for unknown is not sent", async () => {
    const problem = "backend has a string that Pulumi takes for an unknown value. Use another.";
    const edge = resource("TcpEdge");
    const backend = { backendId: "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7" };
    await expect(edge.up({ backend })).rejects.toThrow(problem);
    await edge.up({});
    await expect(edge.up({ backend })).rejects.toThrow(problem);
    expect(emulator.calls()).toEqual(["POST /edges/tcp"]);
  });
});

describe("the process", () => {
  const account = () => ({ baseUrl: emulator.url, apiKey: emulator.apiKey });
  const configure = (name: string, args: Properties, of = plugin) => of.process.configure(providerUrn(name), args);

  test("is configured once, also after it has returned the schema", async () => {
    const own = await RemoteProvider.start("plugin", { config: configOf(emulator) });
    // `pulumi do` asks for the schema, which is beside the bundled plugin only, and then configures.
    await own.process.call("getSchema", new requests.GetSchemaRequest(), {}).catch(() => {});
    await expect(configure("default", { baseUrl: "http://127.0.0.1:1" }, own)).rejects.toThrow(
      "This process does not accept settings any more.",
    );
  });

  test("started by hand, serves one account of an engine over one connection", async () => {
    const refused = "from which it cannot tell this one apart. Remove tunnel-edge from PULUMI_DEBUG_PROVIDERS";
    // `pulumi up --refresh` configures twice.
    await configure("default", { ...account(), maxRetries: 1 });
    for (const change of [{ apiKey: "other" }, { baseUrl: "http://127.0.0.1:1" }, { headers: { "X-Team": "a" } }]) {
      await expect(configure("staging", { ...account(), ...change })).rejects.toThrow(refused);
    }
    await attach("127.0.0.1:2");
    await configure("default", { ...account(), apiKey: "other" });
  });

  test("configured again by its engine, has forgotten what was declared", async () => {
    const args = { hostports: ["1.tcp.example.com:20022"] };
    expect(await resource("TcpEdge", "one").problems(args)).toEqual([]);
    await configure("default", account());
    expect(await resource("TcpEdge", "two").problems(args)).toEqual([]);
  });

  test("cancelled, ends waits and records a write that was sent", async () => {
    const key = resource("ApiKey");
    emulator.fail({ method: "POST", delayMs: 300 });
    const creating = key.up({ description: "slow" });
    await waitUntil(() => emulator.requests.length > 0);
    expect(emulator.requests[0]!.status).toBe("pending");
    await plugin.process.call("cancel", new Empty(), {});
    await creating;
    expect(key.outputs["token"]).toEqual(expect.any(String));
    await expect(resource("ApiKey", "next").up({})).rejects.toThrow("was cancelled");
    expect(emulator.account.apiKeys.filter(({ description }) => description === "slow")).toHaveLength(1);
  });

  test("started by hand, serves the next deployment after one that was cancelled", async () => {
    await plugin.process.call("cancel", new Empty(), {});
    await expect(resource("ApiKey").up({})).rejects.toThrow("was cancelled");
    await expect(invoke("getTcpEdges", {})).rejects.toThrow("was cancelled");
    await configure("default", account());
    expect(await invoke("getTcpEdges", {})).toEqual({ tcpEdges: [] });
    expect(await resource("ApiKey").up({})).toBe("create");
  });

  test("prints its port and nothing else", () => {
    expect(plugin.process.printed).toBe("");
  });

  test("accepts messages of more than 4 MB", async () => {
    const text = "x".repeat(6_000_000);
    const { failures } = await plugin.check({ type: "ApiKey", name: "it" }, {}, { description: text });
    expect(failures).toEqual(["description must be at most 255 bytes, not 6000000"]);
  });
});
