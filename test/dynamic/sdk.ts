/**
 * What src/dynamic/program and src/dynamic/host rely on in the SDK without the SDK promising it. Each test fails when the SDK changes
 * it, and says so before a user notices; the tests named "without" show that the package then does less, and works.
 */
import { join } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { runProgram } from "../support/cli/sdkProgram";
import { configOf, startService } from "../support/emulators";
import { OperationError, type Properties } from "../support/engine/provider";
import { RemoteProvider } from "../support/engine/remote";
import { root } from "../support/root";
import { waitUntil } from "../support/waitUntil";

const distFile = (name: string) => join(root, "dist", name);

/** Mocks whose state is what the program says, in a preview or not. */
const mocks = (isPreview: boolean, state = "args.inputs") => `
await pulumi.runtime.setMocks({
  newResource: (args) => ({ id: args.name + "-id", state: ${state} }),
  call: (args) => ({ tunnels: [{ id: args.token }] }),
}, "project", "stack", ${isPreview});`;

/** Formats stacks as Node does: a program that Pulumi runs has a formatter. Returns how often creating an edge does it. */
const countFormatted = `${mocks(false)}
let formatted = 0;
Error.prepareStackTrace = (error, frames) => {
  if (Error.stackTraceLimit < Infinity) formatted++;
  return [String(error), ...frames.map((frame) => "    at " + frame)].join("\\n");
};
new tunnel.TcpEdge("ssh", { description: "ssh" });
Error.prepareStackTrace = undefined;
return formatted;`;

/** Keeps what the SDK sends to the engine for each resource. */
const recordRequests = `
const requests = [];
const monitor = pulumi.runtime.getMonitor();
const register = monitor.registerResource;
monitor.registerResource = function (request, ...rest) {
  requests.push(request);
  return register.call(this, request, ...rest);
};
const requestOf = async (resource) => {
  await new Promise((done) => resource.urn.apply(done));
  return requests.find((each) => each.getName() === resource.__name);
};`;

/** Options that a stack's transformation sets, of an edge of the stack and of one of a component, each with a child. */
const transform = `${mocks(false)}${recordRequests}
const set = { import: "edgtcp_a", ignoreChanges: ["metadata"], customTimeouts: { create: "1m" }, replaceOnChanges: ["*"] };
const created = await new Promise((resolve) => pulumi.runtime.runInPulumiStack(async () => {
  pulumi.runtime.registerStackTransformation(({ props, opts, type }) =>
    type.endsWith("TcpEdge") ? { props, opts: { ...opts, ...set } } : undefined);
  const parents = [undefined, new pulumi.ComponentResource("test:Thing", "thing")];
  resolve(parents.map((parent, index) => {
    const edge = new tunnel.TcpEdge("ssh" + index, { description: "ssh" }, { parent });
    return [edge, new tunnel.ApiKey("child" + index, {}, { parent: edge })];
  }));
}));
return Promise.all(created.map(async ([edge, child]) => {
  const [request, other] = [await requestOf(edge), await requestOf(child)];
  const { __import, __ignored, __timeouts, __replaceOnChanges } = request.getObject().toJavaScript();
  return { hidden: [__import, __ignored, __timeouts, __replaceOnChanges], import: request.getImportid(),
    child: other.getObject().toJavaScript().__provider };
}));`;

const respondToTransform = `${mocks(false)}${recordRequests}
const { TransformResponse, TransformResourceOptions, RegisterResourceRequest } = require("@pulumi/pulumi/proto/resource_pb");
const { Struct } = require("google-protobuf/google/protobuf/struct_pb");
const { CallbackServer } = require("@pulumi/pulumi/runtime/callbacks");
const { __provider } = (await requestOf(new tunnel.ApiKey("key", {}))).getObject().toJavaScript();
const timeouts = new RegisterResourceRequest.CustomTimeouts();
timeouts.setCreate("1m");
const options = new TransformResourceOptions();
options.setImport("ak_a");
options.setIgnoreChangesList(["metadata"]);
options.setReplaceOnChangesList(["*"]);
options.setCustomTimeouts(timeouts);
const response = new TransformResponse();
response.setOptions(options);
response.setProperties(Struct.fromJavaScript({ __provider, __timeouts: { delete: "2m" } }));
const sent = TransformResponse.deserializeBinary(response.serializeBinary());
const { __import, __ignored, __replaceOnChanges, __timeouts } = sent.getProperties().toJavaScript();
return {
  sends: /response\\.serializeBinary\\(\\)/.test(CallbackServer.prototype.invoke),
  inputs: { __import, __ignored, __replaceOnChanges, __timeouts },
  import: sent.getOptions().getImport(),
  secrets: sent.getOptions().getAdditionalSecretOutputsList(),
};`;

const outputs = `${mocks(true, "{}")}
const { isKnown, promiseOf } = own("dynamic/program/sdk/knownOutputs");
const known = pulumi.output("value");`;
const readOutputs = (state: string) => `${mocks(true, state)}
const { isKnown, promiseOf } = own("dynamic/program/sdk/knownOutputs");
const edge = new tunnel.TcpEdge("ssh", {});
const outputs = [edge.hostports, edge.description, edge.createdAt];
return Promise.all(outputs.map(async (output) => [await isKnown(output), await promiseOf(output)]));`;

const keepAlive = `
const release = own("dynamic/program/sdk/keepAlive").keepAlive();
let hasEnded = false;
const ended = pulumi.runtime.waitForRPCs().then(() => (hasEnded = true));`;

const describeParents = (change: string, result: string) => `${mocks(false)}${recordRequests}
const site = new pulumi.ComponentResource("test:index:Site", "site");
const inner = new pulumi.ComponentResource("test:index:Box", "box", {}, { parent: site });
const edge = new tunnel.TcpEdge("ssh", {}, { parent: inner });
${change}
const { describeParents } = own("dynamic/program/sdk/parents");
const parentsOf = (parent) => describeParents(parent) ?? null;
const { __parents } = (await requestOf(edge)).getObject().toJavaScript();
return ${result};`;
const chain = "test:index:Site::site$test:index:Box::box";

const resetOptions = `pulumi.runtime.resetOptions("project", "stack", 1, "127.0.0.1:1", "127.0.0.1:1", false, "");`;
/** Whether the engine has started the process, inside and outside of an inline run. */
const isStarted = `
const { isStartedBy, runEngine } = own("dynamic/program/sdk/runEngine");
const look = () => { ${resetOptions} return isStartedBy(runEngine()); };
const found = [look(), await require("@pulumi/pulumi/runtime/state").withLocalStorage(async () => look())];`;

const emptyImport = 'TcpEdge "ssh": import is empty; it must be the id of an existing object.';

/** Programs that run in one process, one after the other, and what each returns. The first one has no mocks yet. */
const programs: [title: string, body: string, result: unknown][] = [
  [
    "mocks: they are recognized, and called by functions",
    `const { isMocked } = own("dynamic/program/sdk/mocks");
    const before = isMocked();
    ${mocks(false)}
    return [before, isMocked(), (await tunnel.getTunnels()).tunnels[0].id];`,
    [false, true, "tunnel-edge:index:getTunnels"],
  ],
  ["promiseStacks: the SDK formats no stacks for promises, which have no message", countFormatted, 0],
  [
    "transforms: the response is serialized with the options as hidden inputs",
    respondToTransform,
    {
      sends: true,
      inputs: { __import: "ak_a", __ignored: ["metadata"], __replaceOnChanges: ["*"], __timeouts: { create: "1m" } },
      import: "",
      secrets: ["token"],
    },
  ],
  [
    "plainSecrets: the SDK knows which configuration is secret",
    `pulumi.runtime.setAllConfig({ "a:b": "1", "a:c": "2" }, ["a:b"]);
    return ["a:b", "a:c"].map((key) => pulumi.runtime.isConfigSecret(key));`,
    [true, false],
  ],
  [
    "knownOutputs: isKnown and promise are those of the SDK",
    `${outputs}
    const unknown = new pulumi.CustomResource("test:index:Thing", "thing", { result: undefined }).result;
    return [await isKnown(known), await promiseOf(known), await isKnown(unknown), await promiseOf(unknown)];`,
    [true, "value", false, null],
  ],
  [
    "knownOutputs: without them an Output counts as known",
    `${outputs}
    const without = { apply: (then) => known.apply(then) };
    return [await isKnown(without), await promiseOf(without)];`,
    [true, "value"],
  ],
  [
    "unsetOutputs: a known state leaves out only unset outputs",
    readOutputs('{ __managed: [], createdAt: "today" }'),
    [
      [true, []],
      [true, null],
      [true, "today"],
    ],
  ],
  ["unsetOutputs: the outputs of a new resource are unknown", readOutputs("{}"), Array(3).fill([false, null])],
  [
    "keepAlive: the SDK waits until it is released",
    `${mocks(false)}${keepAlive}
    await new Promise((done) => setTimeout(done, 100));
    const before = hasEnded;
    release();
    return [before, await ended];`,
    [false, true],
  ],
  [
    "keepAlive: without it the SDK does not wait",
    `${mocks(false)}
    const { rpcKeepAlive } = pulumi.runtime;
    pulumi.runtime.rpcKeepAlive = undefined;
    ${keepAlive}
    await ended;
    pulumi.runtime.rpcKeepAlive = rpcKeepAlive;
    return hasEnded;`,
    true,
  ],
  [
    "parents: the SDK keeps each resource's type, name and parent",
    describeParents("", "[__parents, ...[inner, pulumi.runtime.getStackResource?.(), undefined, edge].map(parentsOf)]"),
    [chain, chain, null, null, `${chain}$pulumi-nodejs:dynamic/tunnel-edge:TcpEdge::ssh`],
  ],
  [
    "parents: without them a resource has none",
    describeParents("delete inner.__pulumiType;", "parentsOf(inner)"),
    null,
  ],
  [
    "hiddenInputs: the SDK sends inputs whose names begin with __, and knows a resource's type",
    `${mocks(false)}${recordRequests}
    const edge = new tunnel.TcpEdge("ssh", {}, { ignoreChanges: ["description"] });
    const { __provider, ...inputs } = (await requestOf(edge)).getObject().toJavaScript();
    return [inputs, __provider.includes("TcpEdge"), tunnel.TcpEdge.isInstance(edge), tunnel.TlsEdge.isInstance(edge)];`,
    [{ __resource: "ssh", __ignored: ["description"] }, true, true, false],
  ],
  [
    "core/unknown has the SDK's unknown value",
    'return own("core/unknown").unknownValue === pulumi.runtime.unknownValue;',
    true,
  ],
  [
    "runEngine: a program has the SDK's connection to its engine, and can watch it",
    `${resetOptions}
    const { runEngine } = own("dynamic/program/sdk/runEngine");
    return [typeof runEngine().getChannel().watchConnectivityState, runEngine() === runEngine()];`,
    ["function", true],
  ],
  [
    "runEngine: an inline run, and a process that inherits an address, are not the engine's own",
    `${isStarted} return found;`,
    [false, false],
  ],
  [
    "runEngine: a component provider, whose argument is the address, is the engine's own",
    `process.argv.push("127.0.0.1:1");${isStarted} return found[1];`,
    true,
  ],
  [
    "programError: an error in an input is a RunError, and is read as its message only",
    `${mocks(false)}
    const errors = [];
    const first = new Promise((done) => process.once("unhandledRejection", done));
    process.on("unhandledRejection", (error) => errors.push(error));
    new tunnel.TcpEdge("ssh", {}, { import: pulumi.output("") });
    await first;
    await new Promise((done) => setTimeout(done, 100)); // there may be more
    process.removeAllListeners("exit"); // the SDK's, which looks for promises that never resolve
    const described = errors.map((error) => JSON.stringify([pulumi.RunError.isInstance(error), error.message, error.stack]));
    return [...new Set(described)].map((each) => JSON.parse(each));`,
    [[true, emptyImport, emptyImport]],
  ],
];

/** One program of all of them, which returns their results or errors by their titles. */
const allPrograms = `
const results = {};
const programs = {${programs.map(([title, body]) => `${JSON.stringify(title)}: async () => {${body}}`).join(",\n")}};
for (const [title, program] of Object.entries(programs)) results[title] = await program().catch(String);
return results;`;

/** The tests of an SDK, which is in a folder. */
export function testSdk(folder: () => string): void {
  const run = (body: string, env: Record<string, string> = {}) => runProgram(folder(), body, env);
  let results: Promise<Record<string, unknown>>;
  beforeAll(() => {
    results = run(allPrograms) as Promise<Record<string, unknown>>;
    return results;
  });

  test.each(programs)("%s", async (title, _, result) => {
    expect((await results)[title]).toEqual(result);
  });

  test("promiseStacks: the SDK formats stacks for promises if a leak is looked for", async () => {
    expect(await run(countFormatted, { PULUMI_DEBUG_PROMISE_LEAKS: "1" })).toBeGreaterThan(20);
  });

  test("lastTransformation: options that a stack's transformation sets are seen, also in a component", async () => {
    const seen = {
      hidden: ["edgtcp_a", ["metadata"], { create: "1m" }, ["*"]],
      import: "",
      child: 'exports.handler=()=>require("pulumi-tunnel-edge/host").provider("ApiKey")',
    };
    expect(await run(transform)).toEqual([seen, seen]);
  });

  describe("the dynamic provider host", () => {
    let emulator: Emulator;
    let host: RemoteProvider;
    const start = (config: Record<string, string> = {}) =>
      RemoteProvider.start("dynamic", { sdk: folder(), config: configOf(emulator, config) });
    const resource = (name: string) => host.tested.resource("TcpEdge", name);
    beforeAll(async () => {
      emulator = await startService();
      host = await start();
    });

    test("hostEngine: messages reach the engine", async () => {
      const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", { description: "ssh" });
      await resource("imported").preview({ description: "ssh" }, { import: id });
      const message = expect.stringContaining(id);
      expect(host.deployment.logs).toMatchObject([{ severity: "INFO", message, ephemeral: false }]);
    });

    test("inputComparisons: diff has the inputs that check returned", async () => {
      const edge = resource("compared");
      await edge.up({ description: "ssh" });
      const inputs = await edge.check({ description: "shell", hostports: ["b.example.com:1", "a.example.com:1"] });
      const diff = (news: Properties) => host.diff(edge, edge.state!, news);
      expect(await diff(inputs)).toMatchObject({ changes: undefined });
      expect(await diff({ ...inputs, description: "other" })).toMatchObject({ changes: true });
    });

    test("partialFailures: the host recognizes them", async () => {
      const failure = `new (require("${distFile("core/errors")}").PartialFailure)("half done", "id", { done: 1 })`;
      const error = `require("${distFile("dynamic/host/hostError")}").toHostError(${failure})`;
      const text = `exports.handler=()=>({create(){throw ${error}}})`;
      const failed = await host.process.create({}, { __provider: text }).catch((error) => error);
      expect(failed).toBeInstanceOf(OperationError);
      expect(failed).toMatchObject({ message: "half done", partialState: { id: "id", outputs: { done: 1 } } });
    });

    test("hostErrors: the host prints errors, except those that the engine shows", async () => {
      const edge = resource("unreadable");
      await edge.up({});
      emulator.fail({ status: 403 });
      await expect(edge.refresh()).rejects.toThrow(/could not be read/);
      expect(host.process.printed).toBe("");
      const __provider = 'exports.handler=()=>({check(){throw new Error("a bug")}})';
      await expect(host.process.check({}, {}, { __provider })).rejects.toThrow("a bug");
      await waitUntil(() => /\n +at /.test(host.process.printed));
      expect(host.process.printed).toMatch(/^Error: a bug: Error: a bug\n +at /);
    });

    test("hostEngine: the host ends with its engine", async () => {
      await expect(host.disconnectEngine()).resolves.toBeUndefined();
    });

    test("hostConfig: misspelled keys are in the configuration", async () => {
      host = await start({ "tunnel-edge:maxRetrys": "1" });
      await expect(resource("it").preview({})).rejects.toThrow("did you mean tunnel-edge:maxRetries?");
    });
  });
}
