/** What every class registers with the engine: the program's side of a resource, tested with mocks. */
import * as pulumi from "@pulumi/pulumi";
import * as tunnel from "pulumi-tunnel-edge";
import { agentCommands, definitions } from "../../src/definitions";
import type { Fields } from "../../src/definitions/fields/field";
import { readOutput } from "../functions/support";
import { sampleOf } from "../support/data/samples";
import { secret } from "../support/engine/secrets";

const { getMonitor } = require("@pulumi/pulumi/runtime/settings");
const secretSignature = "4dabf18193072939515e22adb298388d";

// biome-ignore lint/suspicious/noExplicitAny: the SDK has no types for its protocol.
let requests: Record<string, any>[];
/** What the state has in addition to the inputs. */
let further: object;
beforeEach(async () => {
  requests = [];
  further = {};
  await useMocks();
});

async function useMocks({ preview = false } = {}) {
  const mocks: pulumi.runtime.Mocks = {
    newResource: ({ name, inputs, id }) => ({ id: id || `${name}-id`, state: { ...inputs, ...further } }),
    call: ({ inputs }) => inputs,
  };
  await pulumi.runtime.setMocks(mocks, "project", "stack", preview);
  const monitor = getMonitor();
  for (const method of ["registerResource", "readResource"]) {
    const original = monitor[method].bind(monitor);
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    monitor[method] = (request: any, done: unknown) => {
      requests.push({
        method,
        ...request.toObject(),
        object: (request.getObject?.() ?? request.getProperties()).toJavaScript(),
      });
      return original(request, done);
    };
  }
}

type Class = {
  new (name: string, args: object, opts?: pulumi.CustomResourceOptions): pulumi.CustomResource;
  get(name: string, id: string): pulumi.CustomResource;
  isInstance(value: unknown): boolean;
};
const getClass = (type: string) => (tunnel as unknown as Record<string, Class>)[type]!;

/** What one class registers. */
async function register(create: () => pulumi.CustomResource) {
  const resource = create();
  await new Promise((done) => resource.urn.apply(done));
  return { resource, request: requests.at(-1)! };
}

const isSecret = (value: unknown) =>
  Object.values((value ?? {}) as object).includes(secretSignature) || secretSignature in Object(value);

/** The outputs that are lists. */
const listsOf = (type: string) =>
  type === "TunnelSessionCommand" ? ["commands", "triggers"] : (sampleOf(type).lists ?? []);

describe.each(
  [...definitions, ...agentCommands].map(({ type, fields, computed }) => [type, [fields, computed]] as const),
)("an unset value in the state of a %s", (type, tables) => {
  const names = tables.flatMap((table) => Object.keys(table));
  const shown = async () => {
    const resource = new (getClass(type))("name", {}) as unknown as Record<string, pulumi.Output<unknown>>;
    const each = names.map(async (name) => {
      const { value, known } = await readOutput(resource[name]!);
      return [name, { value, known }];
    });
    return Object.fromEntries(await Promise.all(each));
  };
  const unset = (name: string) => (listsOf(type).includes(name) ? [] : undefined);
  const known = Object.fromEntries(names.map((name) => [name, { value: unset(name), known: true }]));

  test("is an empty list or undefined after pulumi up", async () => {
    expect(await shown()).toEqual(known);
    further = Object.fromEntries(names.map((name) => [name, null]));
    expect(await shown()).toEqual(known);
  });

  test("is the same in a preview if the state is known, and otherwise unknown", async () => {
    await useMocks({ preview: true });
    expect(await shown()).toEqual(
      Object.fromEntries(names.map((name) => [name, expect.objectContaining({ known: false })])),
    );
    further = { __managed: "" };
    expect(await shown()).toEqual(known);
  });
});

test("the lists of a module are never undefined, and nothing else in it changes", async () => {
  const edge = new tunnel.TlsEdge("edge", {
    backend: { backendId: "bkdhr_1" },
    mutualTls: {} as tunnel.MutualTlsArgs,
    policy: { inbound: [{ name: "all" }, { actions: [{ type: "deny", config: { snake_Key: null } }] }] },
  });
  expect((await readOutput(edge.backend)).value).toEqual({ backendId: "bkdhr_1" });
  expect((await readOutput(edge.mutualTls)).value).toEqual({ certificateAuthorityIds: [] });
  expect((await readOutput(edge.policy)).value).toEqual({
    inbound: [
      { name: "all", expressions: [], actions: [] },
      { expressions: [], actions: [{ type: "deny", config: { snake_Key: null } }] },
    ],
    outbound: [],
  });
  expect((await readOutput(edge.ipRestriction)).value).toBeUndefined();
});

describe("an argument", () => {
  const route = { edgeId: "edghts_1", routeId: "edghtsrt_1" };
  const addOf = async (add: pulumi.Input<Record<string, pulumi.Input<string>>>) =>
    (await register(() => new tunnel.HttpsEdgeRouteRequestHeaders("name", { ...route, add }))).request.object.add;
  const [header, unknown] = [pulumi.secret("hush"), pulumi.output(Promise.resolve("later"))];

  test("that contains a secret is secret as a whole", async () => {
    const whole = secret({ "X-Key": "hush", "X-Team": "edge" });
    expect(await addOf({ "X-Key": header, "X-Team": "edge" })).toEqual(whole);
    expect(await addOf({ "X-Key": Promise.resolve(header) as never, "X-Team": "edge" })).toEqual(whole);
    expect(await addOf(Promise.resolve({ "X-Key": header, "X-Team": "edge" }))).toEqual(whole);
    expect(await addOf(pulumi.output("edge").apply((team) => ({ "X-Key": header, "X-Team": team })))).toEqual(whole);
    const { request } = await register(
      () => new tunnel.TcpEdge("edge", { policy: { inbound: [{ actions: [{ config: { deep: [header] } }] }] } }),
    );
    expect(request.object.policy).toEqual(secret({ inbound: [{ actions: [{ config: { deep: ["hush"] } }] }] }));
  });

  test("that contains a secret and an unknown value is not unknown as a whole", async () => {
    await useMocks({ preview: true });
    const edge = new tunnel.TcpEdge("edge");
    const add = await addOf({ "X-Key": header, "X-Id": edge.uri, "X-Team": "edge" });
    expect(add).toMatchObject({ "X-Key": secret("hush"), "X-Team": "edge" });
  });

  test("without a secret is not secret", async () => {
    expect(await addOf({ "X-Key": unknown, "X-Team": "edge" })).toEqual({ "X-Key": "later", "X-Team": "edge" });
  });
});

test.each(["import", "id"])("a command cannot have the option %s", (option) => {
  const create = () =>
    new tunnel.TunnelSessionCommand("c", { sessionId: "ts_1", commands: ["stop"] }, { [option]: "ts_1" });
  expect(create).toThrow(`TunnelSessionCommand "c": remove the option ${option}. Commands cannot be read or imported`);
  expect(tunnel.TunnelSessionCommand).not.toHaveProperty("get");
});

describe("arguments", () => {
  const command = { sessionId: "ts_1", commands: ["stop" as const] };
  const failure = async (create: () => pulumi.CustomResource): Promise<string> => {
    try {
      const { urn } = create();
      await (urn as unknown as { promise(): Promise<string> }).promise();
      return "created";
    } catch (error) {
      return (error as Error).message;
    }
  };

  test("that JSON cannot carry are rejected with their paths, at any depth", async () => {
    const problem = "is a Date, which JSON cannot carry. Pass a string, number, boolean, list or object.";
    const triggers = [new Date()];
    expect(await failure(() => new tunnel.TunnelSessionCommand("c", { ...command, triggers }))).toBe(
      `TunnelSessionCommand "c": triggers[0] ${problem}`,
    );
    const config = { when: triggers };
    const create = () => new tunnel.TcpEdge("e", { policy: { inbound: [{ actions: [{ config }] }] } });
    expect(await failure(create)).toBe(`TcpEdge "e": policy.inbound[0].actions[0].config.when[0] ${problem}`);
  });

  test("that contain themselves are rejected", async () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    expect(await failure(() => new tunnel.TunnelSessionCommand("c", { ...command, triggers: [circular] }))).toContain(
      "triggers[0].self is an object that contains itself",
    );
  });

  test("that only the class writes are rejected, also in a transformation", async () => {
    const problem = 'TcpEdge "e": __ignored is not an argument. Remove it.';
    const args = { __ignored: ["ipRestriction"] } as tunnel.TcpEdgeArgs;
    expect(await failure(() => new tunnel.TcpEdge("e", args))).toBe(problem);
    const transformations = [({ opts }: pulumi.ResourceTransformationArgs) => ({ props: args, opts })];
    expect(await failure(() => new tunnel.TcpEdge("e", {}, { transformations }))).toBe(problem);
  });

  test("with a string that the engine takes for unknown are rejected", async () => {
    const backendId = "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7";
    expect(await failure(() => new tunnel.TcpEdge("e", { backend: { backendId } }))).toBe(
      'TcpEdge "e": backend.backendId is a string that Pulumi takes for an unknown value, and drops. Use another.',
    );
  });

  test("with the key __proto__ in a map are rejected", async () => {
    const map = JSON.parse('{ "__proto__": "a" }');
    const problem = 'has the key "__proto__", which cannot be sent. Use another.';
    expect(await failure(() => new tunnel.ApiKey("k", { keepers: map }))).toBe(`ApiKey "k": keepers ${problem}`);
    const provider = () => new tunnel.Provider("p", { apiKey: "key", headers: map }) as never;
    expect(await failure(provider)).toBe(`Provider "p": headers ${problem}`);
  });

  test("with other objects are passed on unchanged", async () => {
    class Settings {
      constructor(readonly level = 1) {}
    }
    const triggers = [new Settings(), Object.create(null), [pulumi.output({ at: "1" })], Promise.resolve("2")];
    const { request } = await register(() => new tunnel.TunnelSessionCommand("c", { ...command, triggers }));
    expect(request.object.triggers).toEqual([{ level: 1 }, {}, [{ at: "1" }], "2"]);
  });
});

test("the types allow reading the first item of a list without a check for undefined", async () => {
  const edge = new tunnel.TcpEdge("edge", { hostports: ["a.example.com:1"], policy: { inbound: [{ name: "all" }] } });
  const hostport: pulumi.Output<string> | undefined = edge.hostports[0];
  expect((await readOutput(hostport!)).value).toBe("a.example.com:1");
  const actions = edge.policy.apply((policy) =>
    policy?.inbound.flatMap((rule) => rule.actions.map(({ type }) => type)),
  );
  expect((await readOutput(actions)).value).toEqual([]);
  expect((await readOutput(new tunnel.TcpEdge("bare").hostports[0]!)).value).toBeUndefined();
});

describe.each(definitions.map((definition) => [definition.type, definition] as const))("%s", (type, definition) => {
  const { computed } = definition;
  const fields: Fields = definition.fields;
  const deleteBeforeReplace = definition.kind === "object" ? definition.deleteBeforeReplace : undefined;
  const Resource = getClass(type);
  const secrets = [...Object.entries(fields), ...Object.entries(computed)].filter(([, { secret }]) => secret);
  const args = Object.fromEntries(Object.keys(fields).map((name) => [name, `${name} of the program`]));

  test("registers its type, the serialized provider, and the declared arguments", async () => {
    const { request } = await register(() => new Resource("name", args));
    expect(request).toMatchObject({ type: `pulumi-nodejs:dynamic/tunnel-edge:${type}`, name: "name", custom: true });
    const { __provider, __resource, ...object } = request.object;
    expect(__resource).toBe("name");
    expect(__provider).toBe(`exports.handler=()=>require("pulumi-tunnel-edge/host").provider("${type}")`);
    expect(Buffer.byteLength(__provider)).toBeLessThanOrEqual(150);
    expect(Object.keys(object).sort()).toEqual(Object.keys(args).sort());
  });

  test("encrypts secrets, whether or not the program marks them", async () => {
    const { request } = await register(() => new Resource("name", args));
    expect(request.additionalsecretoutputsList.sort()).toEqual(secrets.map(([name]) => name).sort());
    const encrypted = Object.keys(args).filter((name) => isSecret(request.object[name]));
    expect(encrypted).toEqual(Object.keys(fields).filter((name) => fields[name]!.secret));
  });

  test("passes the options that the engine does not pass on", async () => {
    const { request } = await register(
      () =>
        new Resource("name", args, {
          import: "some_id",
          replaceOnChanges: ["description"],
          customTimeouts: { delete: "5m" },
        }),
    );
    expect(request.importid).toBe("");
    expect(request.object).toMatchObject({
      __import: "some_id",
      __replaceOnChanges: ["description"],
      __timeouts: { delete: "5m" },
    });
  });

  test(`${deleteBeforeReplace ? "is deleted before its replacement" : "leaves the order of a replacement to the engine"}`, async () => {
    const readDeleteBeforeReplace = async (opts: pulumi.CustomResourceOptions) => {
      const { request } = await register(() => new Resource("name", args, opts));
      return request.deletebeforereplacedefined ? request.deletebeforereplace : undefined;
    };
    expect(await readDeleteBeforeReplace({})).toBe(deleteBeforeReplace);
    expect(await readDeleteBeforeReplace({ deleteBeforeReplace: false })).toBe(false);
    expect(await readDeleteBeforeReplace({ deleteBeforeReplace: true })).toBe(true);
    expect(await readDeleteBeforeReplace({ import: "some_id" })).toBeFalsy(); // the replacement is the same object
  });

  test("reads an existing object by its id", async () => {
    const { request, resource } = await register(() => Resource.get("name", "some_id"));
    expect(request).toMatchObject({ method: "readResource", id: "some_id" });
    expect(Object.keys(request.object)).toEqual(["__provider", "__resource"]);
    expect(await new Promise((done) => resource.id.apply(done))).toBe("some_id");
  });

  test.each([undefined, null, "", " "])("rejects the id %j before any request", (id) => {
    const problem = (argument: string) =>
      `${type} "name": ${argument} is empty; it must be the id of an existing object.`;
    const unset = id as string;
    expect(() => Resource.get("name", unset)).toThrow(problem("id"));
    if (id !== undefined) {
      expect(() => new Resource("name", args, { id: unset })).toThrow(problem("id"));
      expect(() => new Resource("name", args, { import: unset })).toThrow(problem("import"));
    }
    expect(requests).toEqual([]);
  });

  test("has an output for every field, and isInstance recognizes only its own class", async () => {
    const { resource } = await register(() => new Resource("name", {}));
    for (const name of [...Object.keys(fields), ...Object.keys(computed)]) {
      expect(pulumi.Output.isInstance((resource as unknown as Record<string, unknown>)[name])).toBe(true);
    }
    for (const other of definitions) expect(getClass(other.type).isInstance(resource)).toBe(other.type === type);
    expect(Resource.isInstance({})).toBe(false);
  });
});

test.each([
  ["maxRetry", 'did you mean "maxRetries"?'],
  [
    "account",
    "the arguments are apiKey, baseUrl, headers, maxRetries, timeoutSeconds, requestsPerMinute, logRequests.",
  ],
])("a Provider rejects the unknown argument %s and names the known ones", (argument, hint) => {
  const wrong = { apiKey: "key", [argument]: 3 } as tunnel.ProviderArgs;
  expect(() => new tunnel.Provider("other", wrong)).toThrow(
    `Provider "other": ${argument} is not an argument: ${hint}`,
  );
});

test("a Provider rejects a misspelled setting of the stack, whose other settings it uses", () => {
  pulumi.runtime.setAllConfig({ "tunnel-edge:baseURL": "https://api.example.com", "tunnel-edge:edges": "mine" });
  expect(() => new tunnel.Provider("other", { apiKey: "key" })).toThrow(
    "tunnel-edge:baseURL is not a setting; did you mean tunnel-edge:baseUrl? Remove it with " +
      "`pulumi config rm tunnel-edge:baseURL`.",
  );
  pulumi.runtime.setAllConfig({});
});

test.each([undefined, null, "", "\n"])("a Provider rejects the key %j before any request", (apiKey) => {
  expect(() => new tunnel.Provider("other", { apiKey } as tunnel.ProviderArgs)).toThrow(
    'Provider "other": apiKey is empty. An ApiKey has a token only if this stack created it, not if it was imported ' +
      "or read with get.",
  );
  expect(requests).toEqual([]);
});

test("a Provider accepts the token of a key", async () => {
  further = { token: "a-token" };
  const { config } = new tunnel.Provider("other", { apiKey: new tunnel.ApiKey("key").token });
  expect(await readOutput(pulumi.output(config["tunnel-edge:apiKey"]!))).toMatchObject({
    value: "a-token",
    secret: true,
  });
});

test("an argument of a Provider that turns out to be unset comes from the stack", async () => {
  pulumi.runtime.setConfig("tunnel-edge:baseUrl", "https://stack.example.com");
  for (const [baseUrl, used] of [
    [pulumi.output(undefined), "https://stack.example.com"],
    [pulumi.output(null), "https://stack.example.com"],
    [pulumi.output("https://own.example.com"), "https://own.example.com"],
  ]) {
    const { config } = new tunnel.Provider("other", { apiKey: "key", baseUrl } as tunnel.ProviderArgs);
    expect((await readOutput(pulumi.output(config["tunnel-edge:baseUrl"]))).value).toBe(used);
  }
  const { config } = new tunnel.Provider("other", { apiKey: "key", maxRetries: pulumi.output(null) as never });
  expect((await readOutput(pulumi.output(config["tunnel-edge:maxRetries"]))).value).toBeUndefined();
  pulumi.runtime.setAllConfig({});
});

test("an error of a transformation, and later ones, have their stacks", () => {
  // Pulumi runs programs with source maps, which are installed this way. jest does not.
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (error, frames) => [error, ...frames].join("\n    at ");
  const failing = () => {
    throw new Error("no such thing");
  };
  let error: Error | undefined;
  try {
    new tunnel.TcpEdge("edge", {}, { transformations: [failing] });
  } catch (caught) {
    error = caught as Error;
  }
  const stacks = [error?.stack, new Error("").stack];
  Error.prepareStackTrace = prepareStackTrace;
  expect(stacks[0]).toMatch(/failing.*classes\.test\.ts/);
  expect(stacks[1]).toMatch(/classes\.test\.ts/);
});
