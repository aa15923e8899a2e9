/**
 * What src/dynamic/program and src/dynamic/host rely on in the SDK without the SDK promising it. Each test fails when the SDK changes
 * it, and says so before a user notices; the tests named "without" show that the package then does less, and works.
 */
import { join } from "node:path";
import { runProgram } from "../support/cli/sdkProgram";
import { connectHost, startHost } from "../support/engine/emulatorHost";
import type { Host } from "../support/engine/host";
import { OperationError, type Properties } from "../support/engine/provider";
import { root } from "../support/root";
import { waitUntil } from "../support/waitUntil";

const distFile = (name: string) => join(root, "dist", name);

/** Mocks whose state is what the program says, in a preview or not. */
const mocks = (isPreview: boolean, state = "args.inputs") => `
await pulumi.runtime.setMocks({
  newResource: (args) => ({ id: args.name + "-id", state: ${state} }),
  call: (args) => ({ tunnels: [{ id: args.token }] }),
}, "project", "stack", ${isPreview});`;

/** Formats stacks as Node does: a program that Pulumi runs has a formatter. */
const formatStacks = `
let formatted = 0;
Error.prepareStackTrace = (error, frames) => {
  if (Error.stackTraceLimit < Infinity) formatted++;
  return [String(error), ...frames.map((frame) => "    at " + frame)].join("\\n");
};`;

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

/** The tests of an SDK, which is in a folder. */
export function testSdk(folder: () => string): void {
  const run = (body: string, env: Record<string, string> = {}) => runProgram(folder(), body, env);

  describe("promiseStacks", () => {
    const create = `${mocks(false)}${formatStacks}
      new tunnel.TcpEdge("ssh", { description: "ssh" });
      return formatted;`;

    test("the SDK formats stacks for promises, which have no message, only if a leak is looked for", async () => {
      expect(await run(create)).toBe(0);
      expect(await run(create, { PULUMI_DEBUG_PROMISE_LEAKS: "1" })).toBeGreaterThan(20);
    });
  });

  describe("lastTransformation", () => {
    const create = (parent: string) => `${mocks(false)}${recordRequests}
      const set = { import: "edgtcp_a", ignoreChanges: ["metadata"], customTimeouts: { create: "1m" }, replaceOnChanges: ["*"] };
      const [edge, child] = await new Promise((resolve) => pulumi.runtime.runInPulumiStack(async () => {
        pulumi.runtime.registerStackTransformation(({ props, opts, type }) =>
          type.endsWith("TcpEdge") ? { props, opts: { ...opts, ...set } } : undefined);
        const edge = new tunnel.TcpEdge("ssh", { description: "ssh" }, { parent: ${parent} });
        resolve([edge, new tunnel.ApiKey("child", {}, { parent: edge })]);
      }));
      const [request, other] = [await requestOf(edge), await requestOf(child)];
      const { __import, __ignored, __timeouts, __replaceOnChanges } = request.getObject().toJavaScript();
      return { hidden: [__import, __ignored, __timeouts, __replaceOnChanges], import: request.getImportid(),
        child: other.getObject().toJavaScript().__provider };`;

    test.each(["undefined", 'new pulumi.ComponentResource("test:Thing", "thing")'])(
      "options that a stack's transformation sets are seen, with the parent %s",
      async (parent) => {
        expect(await run(create(parent))).toEqual({
          hidden: ["edgtcp_a", ["metadata"], { create: "1m" }, ["*"]],
          import: "",
          child: 'exports.handler=()=>require("pulumi-tunnel-edge/host").provider("ApiKey")',
        });
      },
    );
  });

  describe("transforms", () => {
    test("the response of a transform is serialized with the options as hidden inputs", async () => {
      const body = `const { TransformResponse, TransformResourceOptions, RegisterResourceRequest } = require("@pulumi/pulumi/proto/resource_pb");
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
        return {
          sends: /response\\.serializeBinary\\(\\)/.test(CallbackServer.prototype.invoke),
          inputs: sent.getProperties().toJavaScript(),
          import: sent.getOptions().getImport(),
          secrets: sent.getOptions().getAdditionalSecretOutputsList(),
        };`;
      expect(await run(`${mocks(false)}${recordRequests}${body}`)).toMatchObject({
        sends: true,
        inputs: { __import: "ak_a", __ignored: ["metadata"], __replaceOnChanges: ["*"], __timeouts: { create: "1m" } },
        import: "",
        secrets: ["token"],
      });
    });
  });

  describe("plainSecrets", () => {
    test("the SDK knows which configuration is secret", async () => {
      const body = `pulumi.runtime.setAllConfig({ "a:b": "1", "a:c": "2" }, ["a:b"]);
        return ["a:b", "a:c"].map((key) => pulumi.runtime.isConfigSecret(key));`;
      expect(await run(body)).toEqual([true, false]);
    });
  });

  describe("knownOutputs", () => {
    const outputs = `${mocks(true, "{}")}
      const { isKnown, promiseOf } = own("dynamic/program/sdk/knownOutputs");
      const known = pulumi.output("value");
      const unknown = new pulumi.CustomResource("test:index:Thing", "thing", { result: undefined }).result;`;

    test("isKnown and promise are those of the SDK", async () => {
      const body = `${outputs} return [await isKnown(known), await promiseOf(known), await isKnown(unknown), await promiseOf(unknown)];`;
      expect(await run(body)).toEqual([true, "value", false, null]);
    });

    test("without them an Output counts as known", async () => {
      const body = `${outputs}
        const without = { apply: (then) => known.apply(then) };
        return [await isKnown(without), await promiseOf(without)];`;
      expect(await run(body)).toEqual([true, "value"]);
    });
  });

  describe("unsetOutputs", () => {
    const read = (state: string) => `${mocks(true, state)}
      const { isKnown, promiseOf } = own("dynamic/program/sdk/knownOutputs");
      const edge = new tunnel.TcpEdge("ssh", {});
      const outputs = [edge.hostports, edge.description, edge.createdAt];
      return Promise.all(outputs.map(async (output) => [await isKnown(output), await promiseOf(output)]));`;

    test("what is not in a known state is unset", async () => {
      const state = '{ __managed: [], createdAt: "today" }';
      expect(await run(read(state))).toEqual([
        [true, []],
        [true, null],
        [true, "today"],
      ]);
    });

    test("what is not in the state of a new resource is unknown", async () => {
      expect(await run(read("{}"))).toEqual([
        [false, null],
        [false, null],
        [false, null],
      ]);
    });
  });

  describe("mocks", () => {
    test("the mocks are recognized, and called by functions", async () => {
      const body = `const { isMocked } = own("dynamic/program/sdk/mocks");
        const before = isMocked();
        ${mocks(false)}
        return [before, isMocked(), (await tunnel.getTunnels()).tunnels[0].id];`;
      expect(await run(body)).toEqual([false, true, "tunnel-edge:index:getTunnels"]);
    });
  });

  describe("keepAlive", () => {
    const keep = `
      const release = own("dynamic/program/sdk/keepAlive").keepAlive();
      let hasEnded = false;
      const ended = pulumi.runtime.waitForRPCs().then(() => (hasEnded = true));`;

    test("the SDK waits until it is released", async () => {
      const body = `${mocks(false)}${keep}
        await new Promise((done) => setTimeout(done, 100));
        const before = hasEnded;
        release();
        return [before, await ended];`;
      expect(await run(body)).toEqual([false, true]);
    });

    test("without it the SDK does not wait", async () => {
      const body = `${mocks(false)} pulumi.runtime.rpcKeepAlive = undefined; ${keep} return await ended;`;
      expect(await run(body)).toBe(true);
    });
  });

  describe("parents", () => {
    const describeParents = (change = "") => `${mocks(false)}${recordRequests}
      const site = new pulumi.ComponentResource("test:index:Site", "site");
      const inner = new pulumi.ComponentResource("test:index:Box", "box", {}, { parent: site });
      const edge = new tunnel.TcpEdge("ssh", {}, { parent: inner });
      ${change}
      const parents = [inner, pulumi.runtime.getStackResource?.(), undefined, edge];
      const { describeParents } = own("dynamic/program/sdk/parents");
      const { __parents } = (await requestOf(edge)).getObject().toJavaScript();
      return [__parents, ...parents.map((parent) => describeParents(parent) ?? null)];`;
    const chain = "test:index:Site::site$test:index:Box::box";

    test("the SDK keeps each resource's type, name and parent", async () => {
      const edge = `${chain}$pulumi-nodejs:dynamic/tunnel-edge:TcpEdge::ssh`;
      expect(await run(describeParents())).toEqual([chain, chain, null, null, edge]);
    });

    test("without them a resource has no parents", async () => {
      const [, parents] = (await run(describeParents("delete inner.__pulumiType;"))) as unknown[];
      expect(parents).toBeNull();
    });
  });

  describe("programError", () => {
    test("an error in an input is a RunError, and is read as its message only", async () => {
      const body = `${mocks(false)}
        const errors = [];
        const first = new Promise((done) => process.once("unhandledRejection", done));
        process.on("unhandledRejection", (error) => errors.push(error));
        new tunnel.TcpEdge("ssh", {}, { import: pulumi.output("") });
        await first;
        await new Promise((done) => setTimeout(done, 100)); // there may be more
        process.removeAllListeners("exit"); // the SDK's, which looks for promises that never resolve
        return errors.map((error) => [pulumi.RunError.isInstance(error), error.message, error.stack]);`;
      const message = 'TcpEdge "ssh": import is empty; it must be the id of an existing object.';
      const errors = (await run(body)) as unknown[];
      expect(errors.length).toBeGreaterThan(0);
      expect(errors).toEqual(errors.map(() => [true, message, message]));
    });
  });

  describe("hiddenInputs", () => {
    test("the SDK sends inputs whose names begin with __, and knows a resource's type", async () => {
      const body = `${mocks(false)}${recordRequests}
        const edge = new tunnel.TcpEdge("ssh", {}, { ignoreChanges: ["description"] });
        const { __provider, ...inputs } = (await requestOf(edge)).getObject().toJavaScript();
        return [inputs, __provider.includes("TcpEdge"), tunnel.TcpEdge.isInstance(edge), tunnel.TlsEdge.isInstance(edge)];`;
      expect(await run(body)).toEqual([{ __resource: "ssh", __ignored: ["description"] }, true, true, false]);
    });
  });

  describe("runEngine", () => {
    /** Whether the engine at an address has started the process, inside and outside of an inline run. */
    const isStarted = (address: string) => `
      const { isStartedBy, runEngine } = own("dynamic/program/sdk/runEngine");
      const reset = () => pulumi.runtime.resetOptions("project", "stack", 1, "${address}", "${address}", false, "");
      const look = () => (reset(), isStartedBy(runEngine()));
      return [look(), await require("@pulumi/pulumi/runtime/state").withLocalStorage(async () => look())];`;

    test("a program has the SDK's connection to its engine, and can watch it", async () => {
      const body = `
      pulumi.runtime.resetOptions("project", "stack", 1, "127.0.0.1:1", "127.0.0.1:1", false, "");
      const { runEngine } = own("dynamic/program/sdk/runEngine");
      return [typeof runEngine().getChannel().watchConnectivityState, runEngine() === runEngine()];`;
      expect(await run(body)).toEqual(["function", true]);
    });

    test("an inline run, and a process that inherits an address, are not the engine's own", async () => {
      expect(await run(isStarted("127.0.0.1:1"))).toEqual([false, false]);
    });

    test("a component provider is, whose argument is the address", async () => {
      const [, isOwn] = (await run(`process.argv.push("127.0.0.1:1");${isStarted("127.0.0.1:1")}`)) as boolean[];
      expect(isOwn).toBe(true);
    });
  });

  test("core/unknown has the SDK's unknown value", async () => {
    expect(await run('return own("core/unknown").unknownValue === pulumi.runtime.unknownValue;')).toBe(true);
  });

  describe("the dynamic provider host", () => {
    const start = () => startHost({}, { sdk: folder() });

    test("hostEngine: messages reach the engine, and the host ends with it", async () => {
      const { emulator, host } = await start();
      const { id } = emulator.api("POST", "/edges/tcp", { description: "ssh" }) as { id: string };
      await host.resource("TcpEdge").preview({ description: "ssh" }, { import: id });
      expect(host.logs).toMatchObject([{ severity: "INFO", message: expect.stringContaining(id), ephemeral: false }]);
      expect(host.printed).toBe("");
      await host.disconnectEngine();
    });

    test("hostErrors: the host prints errors, except those that the engine shows", async () => {
      const { emulator, host } = await start();
      const edge = host.resource("TcpEdge");
      await edge.up({});
      emulator.fail({ status: 403 });
      await expect(edge.refresh()).rejects.toThrow(/could not be read/);
      expect(host.printed).toBe("");
      const __provider = 'exports.handler=()=>({check(){throw new Error("a bug")}})';
      await expect((host as Host).process.check({}, {}, { __provider })).rejects.toThrow("a bug");
      await waitUntil(() => /\n +at /.test(host.printed));
      expect(host.printed).toMatch(/^Error: a bug: Error: a bug\n +at /);
    });

    test("partialFailures: the host recognizes them", async () => {
      const { host } = await start();
      const failure = `new (require("${distFile("core/errors")}").PartialFailure)("half done", "id", { done: 1 })`;
      const error = `require("${distFile("dynamic/host/hostError")}").toHostError(${failure})`;
      const text = `exports.handler=()=>({create(){throw ${error}}})`;
      const failed = await (host as Host).process.create({}, { __provider: text }).catch((error) => error);
      expect(failed).toBeInstanceOf(OperationError);
      expect(failed).toMatchObject({ message: "half done", partialState: { id: "id", outputs: { done: 1 } } });
    });

    test("hostConfig: misspelled keys are in the configuration", async () => {
      const { emulator } = await startHost();
      const host = await connectHost(emulator, { sdk: folder(), config: { "tunnel-edge:maxRetrys": "1" } });
      await expect(host.resource("TcpEdge").preview({})).rejects.toThrow("did you mean tunnel-edge:maxRetries?");
    });

    test("inputComparisons: diff has the inputs that check returned", async () => {
      const { host } = await start();
      const edge = host.resource("TcpEdge");
      await edge.up({ description: "ssh" });
      const inputs = await edge.check({ description: "shell", hostports: ["b.example.com:1", "a.example.com:1"] });
      const diff = (news: Properties) => host.diff(edge, edge.state!, news);
      expect(await diff(inputs)).toMatchObject({ changes: undefined });
      expect(await diff({ ...inputs, description: "other" })).toMatchObject({ changes: true });
    });
  });
}
