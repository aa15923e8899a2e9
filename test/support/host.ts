/**
 * Pulumi's own dynamic provider host, driven over gRPC without the CLI: the same process, protocol and serialized
 * provider, in milliseconds. `ResourceDriver` plays the engine's part for one resource.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { runtime } from "@pulumi/pulumi";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { sdkEnv } from "./sdkProgram";

const { credentials, Server, ServerCredentials } = require("@grpc/grpc-js");
const { ResourceProviderClient } = require("@pulumi/pulumi/proto/provider_grpc_pb");
const requests = require("@pulumi/pulumi/proto/provider_pb");
const { EngineService } = require("@pulumi/pulumi/proto/engine_grpc_pb");
const { LogSeverity } = require("@pulumi/pulumi/proto/engine_pb");
const { Empty } = require("google-protobuf/google/protobuf/empty_pb");
const { Status } = require("@pulumi/pulumi/proto/status_pb");

const root = resolve(__dirname, "../..");
const dynamicProviderHost = require.resolve("@pulumi/pulumi/cmd/dynamic-provider");

export const unknown = runtime.unknownValue;

// biome-ignore lint/suspicious/noExplicitAny: states and inputs are whatever a test states.
export type Properties = Record<string, any>;

export interface LogEntry {
  severity: "INFO" | "WARNING";
  message: string;
  ephemeral: boolean;
}

export interface HostOptions {
  /** The stack's configuration, or an explicit provider's inputs. */
  config?: Record<string, string>;
  env?: Record<string, string>;
  /** The folder of another SDK than this repository's, whose host is started. */
  sdk?: string;
  /** The address of another engine than the one that collects the logs. */
  engine?: string;
}

/** A failed operation. `partialState` is what the engine saves in the state anyway. */
export class HostError extends Error {
  constructor(
    message: string,
    readonly partialState?: { id: string; outputs: Properties },
  ) {
    super(message);
  }
}

const running: { kill(): void }[] = [];
afterAll(() => {
  for (const host of running.splice(0)) host.kill();
});

export class Host {
  /** What the provider logged through the engine. */
  readonly logs: LogEntry[] = [];
  /** What `pulumi up --debug` would show. */
  readonly debugLogs: string[] = [];
  /** What the host printed. It should print nothing. */
  printed = "";
  private nextHost?: Promise<Host>;
  private isReloading = false;

  private constructor(
    private readonly process: ChildProcess,
    // biome-ignore lint/suspicious/noExplicitAny: the SDK has no types for its gRPC clients.
    private readonly client: any,
    private readonly options: HostOptions,
    private readonly stopEngine: () => void,
  ) {}

  static async start(options: HostOptions = {}): Promise<Host> {
    const { config = {}, env = {} } = options;
    const logs: LogEntry[] = [];
    const debugLogs: string[] = [];
    const engine = new Server();
    engine.addService(EngineService, {
      // biome-ignore lint/suspicious/noExplicitAny: as above.
      log: (call: any, done: any) => {
        const { severity, message, ephemeral } = call.request.toObject();
        if (severity === LogSeverity.DEBUG) debugLogs.push(message);
        else logs.push({ severity: severity === LogSeverity.WARNING ? "WARNING" : "INFO", message, ephemeral });
        done(undefined, new Empty());
      },
      // biome-ignore lint/suspicious/noExplicitAny: as above.
      getRootResource: (_: any, done: any) => done(new Error("none")),
      // biome-ignore lint/suspicious/noExplicitAny: as above.
      setRootResource: (_: any, done: any) => done(new Error("none")),
      // biome-ignore lint/suspicious/noExplicitAny: as above.
      startDebugging: (_: any, done: any) => done(new Error("none")),
      // biome-ignore lint/suspicious/noExplicitAny: as above.
      requirePulumiVersion: (_: any, done: any) => done(new Error("none")),
    });
    const port = await new Promise<number>((done, fail) =>
      engine.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error: Error | null, bound: number) =>
        error ? fail(error) : done(bound),
      ),
    );
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("TUNNEL_EDGE_"));
    const script = options.sdk ? join(options.sdk, "cmd/dynamic-provider") : dynamicProviderHost;
    const child = spawn(process.execPath, [script, options.engine ?? `127.0.0.1:${port}`], {
      cwd: root,
      env: { ...Object.fromEntries(inherited), ...(options.sdk && sdkEnv(options.sdk)), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.push({
      kill: () => {
        child.kill("SIGKILL");
        engine.forceShutdown();
      },
    });
    const address = await new Promise<string>((done, fail) => {
      child.stdout!.once("data", (text) => done(`127.0.0.1:${String(text).trim()}`));
      child.once("exit", () => fail(new Error("the host did not start")));
    });
    const host = new Host(child, new ResourceProviderClient(address, credentials.createInsecure()), options, () =>
      engine.forceShutdown(),
    );
    running.push({ kill: () => host.client.close() });
    Object.assign(host, { logs, debugLogs });
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on("data", (text) => {
        host.printed += text;
      });
    }
    const request = new requests.ConfigureRequest();
    request.setArgs(Struct.fromJavaScript(config));
    await host.call("configure", request);
    return host;
  }

  /** Another process with the same settings, as the CLI starts one for each run. */
  next(): Promise<Host> {
    this.nextHost ??= Host.start(this.options);
    return this.nextHost;
  }

  /** Clears the package's module cache: simulates a new run in the same process. */
  async startNewRun(): Promise<void> {
    this.isReloading = true;
    await this.check(
      {},
      { __provider: "exports.handler=()=>({check:()=>{globalThis.run=(globalThis.run??0)+1;return{}}})" },
    );
  }

  /** Properties as they are sent to the host. */
  private encode(props: Properties) {
    const text = props.__provider;
    if (!this.isReloading || typeof text !== "string" || !text.includes(ownRequire))
      return Struct.fromJavaScript(props);
    return Struct.fromJavaScript({ ...props, __provider: `${reloadingHandler(text)}//${text}` });
  }

  /** Properties as they come back from the host. */
  private decode(struct: { toJavaScript(): Properties }): Properties {
    const props = struct.toJavaScript();
    const text = props.__provider;
    return typeof text === "string" ? { ...props, __provider: text.slice(text.lastIndexOf("exports.")) } : props;
  }

  /** A resource on this host. */
  resource(type: string, name = "it"): ResourceDriver {
    return new ResourceDriver(this, type, name);
  }

  /** Simulates a crash of the machine. */
  kill(): void {
    this.process.kill("SIGKILL");
  }

  /** Simulates a killed CLI. Resolves when the host has exited, too. */
  async disconnectEngine(): Promise<void> {
    const ended = once(this.process, "exit");
    this.stopEngine();
    await ended;
  }

  async check(olds: Properties, news: Properties): Promise<{ inputs: Properties; failures: string[] }> {
    const request = new requests.CheckRequest();
    request.setOlds(this.encode(olds));
    request.setNews(this.encode(news));
    const response = await this.call("check", request);
    return {
      inputs: this.decode(response.getInputs()),
      failures: response.getFailuresList().map((failure: Properties) => failure.getReason()),
    };
  }

  async diff(
    id: string,
    olds: Properties,
    news: Properties,
  ): Promise<{ changes?: boolean; replaces: string[]; deleteFirst: boolean }> {
    const request = new requests.DiffRequest();
    request.setId(id);
    request.setOlds(this.encode(olds));
    request.setNews(this.encode(news));
    const response = await this.call("diff", request);
    return {
      changes: [undefined, false, true][response.getChanges()],
      replaces: response.getReplacesList(),
      deleteFirst: response.getDeletebeforereplace(),
    };
  }

  async create(inputs: Properties): Promise<{ id: string; outputs: Properties }> {
    const request = new requests.CreateRequest();
    request.setProperties(this.encode(inputs));
    const response = await this.call("create", request);
    return { id: response.getId(), outputs: this.decode(response.getProperties()) };
  }

  async read(
    id: string,
    props: Properties,
  ): Promise<{ id: string; outputs: Properties; inputs?: Properties } | undefined> {
    const request = new requests.ReadRequest();
    request.setId(id);
    request.setProperties(this.encode(props));
    const response = await this.call("read", request);
    if (response.getId() === "") return undefined;
    return {
      id: response.getId(),
      outputs: this.decode(response.getProperties()),
      inputs: response.getInputs() && this.decode(response.getInputs()),
    };
  }

  async update(id: string, olds: Properties, news: Properties): Promise<Properties> {
    const request = new requests.UpdateRequest();
    request.setId(id);
    request.setOlds(this.encode(olds));
    request.setNews(this.encode(news));
    return this.decode((await this.call("update", request)).getProperties());
  }

  async delete(id: string, props: Properties): Promise<void> {
    const request = new requests.DeleteRequest();
    request.setId(id);
    request.setProperties(this.encode(props));
    await this.call("delete", request);
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above.
  private call(method: string, request: unknown): Promise<any> {
    return new Promise((done, fail) => {
      this.client[method](request, (error: Properties | null, response: unknown) => {
        if (!error) return done(response);
        const [details] = error.metadata?.get("grpc-status-details-bin") ?? [];
        fail(new HostError(error.details || error.message, details && this.parsePartialState(details)));
      });
    });
  }

  /** The partial state that an error carries. */
  private parsePartialState(details: Uint8Array): { id: string; outputs: Properties } {
    const [detail] = Status.deserializeBinary(details).getDetailsList();
    const failed = requests.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
    return { id: failed.getId(), outputs: this.decode(failed.getProperties()) };
  }
}

const ownRequire = 'require("pulumi-tunnel-edge/host")';

/** The source of a provider that reloads the package in each run. */
const reloadingHandler = (text: string) => `
  exports.handler = () => {
    let run, config, provider;
    const current = () => {
      if (run === globalThis.run) return provider;
      run = globalThis.run;
      if (globalThis.loaded !== run) {
        globalThis.loaded = run;
        console.error = globalThis.print ??= console.error;
        // The files that keep what a process knows.
        const dist = require("node:path").dirname(require.resolve("pulumi-tunnel-edge/host"));
        for (const file of ["host", "dynamic/hostProvider", "dynamic/hostDeployment"]) {
          const path = require.resolve(dist + "/" + file);
          delete require.cache[path];
        }
      }
      provider = ${text.slice(text.indexOf(ownRequire))};
      provider.configure(config);
      return provider;
    };
    const methods = ["check", "diff", "create", "read", "update", "delete"];
    const calls = methods.map((name) => [name, (...args) => current()[name](...args)]);
    return { configure: (given) => { config = given; }, ...Object.fromEntries(calls) };
  };
`;

export interface ResourceState {
  id: string;
  inputs: Properties;
  outputs: Properties;
  /** The last create or update failed halfway, so the engine updates the resource even if nothing changed. */
  hasInitErrors?: true;
}

/** The options that the constructor passes on as hidden inputs, and those that the engine applies. */
export interface Options {
  import?: string;
  replaceOnChanges?: string[];
  customTimeouts?: { create?: string; update?: string; delete?: string };
  ignoreChanges?: string[];
  deleteBeforeReplace?: boolean;
  /** `--target-replace`. */
  targetReplace?: boolean;
  /** `pulumi preview`. */
  preview?: true;
}

export type Step = "create" | "same" | "update" | "replace";

/** Drives one resource as the engine does. */
export class ResourceDriver {
  state: ResourceState | undefined;
  /** Replaced objects, which are deleted at the end of the run. */
  pendingDeletes: ResourceState[] = [];

  constructor(
    private host: Host,
    readonly type: string,
    readonly name: string,
  ) {}

  /** Continues with another host, as after a crash or in the next run of the CLI. */
  useHost(host: Host): this {
    this.host = host;
    return this;
  }

  /** The inputs that the constructor registers. */
  buildInputs(
    args: Properties,
    { import: id, replaceOnChanges, customTimeouts, ignoreChanges, preview }: Options,
  ): Properties {
    const hidden = {
      __resource: this.name,
      __preview: preview,
      __provider: `exports.handler=()=>require("pulumi-tunnel-edge/host").provider("${this.type}")`,
      __import: id,
      __replaceOnChanges: replaceOnChanges,
      __timeouts: customTimeouts,
      __ignored: ignoreChanges,
    };
    return Object.fromEntries(Object.entries({ ...args, ...hidden }).filter(([, value]) => value !== undefined));
  }

  private async checkInputs(olds: Properties, args: Properties, opts: Options): Promise<Properties> {
    const { inputs, failures } = await this.host.check(
      olds,
      this.buildInputs(applyIgnoreChanges(olds, args, opts), opts),
    );
    if (failures.length > 0) throw new HostError(failures.join("\n"));
    return inputs;
  }

  /**
   * If the provider does not say whether there are changes, the engine compares all inputs. Equal inputs replace
   * nothing.
   */
  private async diff({ id, inputs: before, outputs }: ResourceState, inputs: Properties) {
    const diff = await this.host.diff(id, outputs, inputs);
    if (diff.changes !== undefined) return diff;
    return isDeepStrictEqual(before, inputs) ? { changes: false, replaces: [], deleteFirst: false } : diff;
  }

  /** What a preview would do, and which arguments it displays as changed. */
  async preview(args: Properties, opts: Options = {}): Promise<{ step: Step; replaces: string[]; changed: string[] }> {
    const inputs = await this.checkInputs(this.state?.inputs ?? {}, args, { ...opts, preview: true });
    const changed = listChangedInputs(this.state?.inputs ?? {}, inputs);
    if (!this.state) return { step: "create", replaces: [], changed };
    const diff = await this.diff(this.state, inputs);
    if (diff.replaces.length > 0) return { step: "replace", replaces: diff.replaces, changed };
    return { step: diff.changes !== false || this.state.hasInitErrors ? "update" : "same", replaces: [], changed };
  }

  /** `X.get(name, id)`: reads an object that the program does not manage. */
  async get(id: string): Promise<Properties> {
    const found = await this.host.read(id, this.buildInputs({}, {}));
    if (!found) throw new HostError(`the provider says that ${id} does not exist`);
    this.state = { id: found.id, inputs: found.inputs ?? {}, outputs: found.outputs };
    return this.outputs;
  }

  async up(args: Properties, opts: Options = {}): Promise<Step> {
    const step = await this.register(args, opts);
    await this.deleteReplaced();
    return step;
  }

  /** Everything except deleting replaced objects, which the engine does at the end of a run. */
  async register(args: Properties, opts: Options = {}): Promise<Step> {
    const old = this.state;
    const inputs = await this.checkInputs(old?.inputs ?? {}, args, opts);
    if (!old) {
      await this.create(inputs);
      return "create";
    }
    const { changes, replaces, deleteFirst } = opts.targetReplace
      ? { changes: true, replaces: ["forced"], deleteFirst: opts.deleteBeforeReplace ?? false }
      : await this.diff(old, inputs);
    if (replaces.length > 0) {
      const fresh = await this.checkInputs({}, args, opts);
      if (opts.deleteBeforeReplace ?? deleteFirst) {
        await this.host.delete(old.id, old.outputs);
        this.state = undefined;
        await this.create(fresh);
      } else {
        try {
          await this.create(fresh);
        } finally {
          if (this.state !== old) this.pendingDeletes.push(old);
        }
      }
      return "replace";
    }
    if (changes === false && !old.hasInitErrors) {
      this.state = { ...old, inputs };
      return "same";
    }
    try {
      this.state = { id: old.id, inputs, outputs: await this.host.update(old.id, old.outputs, inputs) };
    } catch (error) {
      this.savePartialState(error, inputs);
    }
    return "update";
  }

  /** Deletes replaced objects. */
  async deleteReplaced(host = this.host): Promise<void> {
    for (const old of [...this.pendingDeletes]) {
      await host.delete(old.id, old.outputs);
      this.pendingDeletes.splice(this.pendingDeletes.indexOf(old), 1);
    }
  }

  private async create(inputs: Properties): Promise<void> {
    try {
      this.state = { ...(await this.host.create(inputs)), inputs };
    } catch (error) {
      this.savePartialState(error, inputs);
    }
  }

  private savePartialState(error: unknown, inputs: Properties): never {
    if (error instanceof HostError && error.partialState)
      this.state = { ...error.partialState, inputs, hasInitErrors: true };
    throw error;
  }

  /** Reads the object and returns whether the state changed. */
  async refresh(): Promise<"gone" | "changed" | "same"> {
    const old = this.state!;
    const now = await this.host.read(old.id, old.outputs);
    if (!now) {
      this.state = undefined;
      return "gone";
    }
    const inputs = now.inputs ?? old.inputs;
    this.state = { id: now.id, inputs, outputs: now.outputs };
    const same = isDeepStrictEqual(sortKeys([old.inputs, old.outputs]), sortKeys([inputs, now.outputs]));
    return same ? "same" : "changed";
  }

  /** Runs in a separate process: a process never deletes what it has just created. */
  async destroy(): Promise<void> {
    await this.delete(await this.host.next());
  }

  /** Deletes the resource as the engine does when it was removed from the program. */
  async delete(host = this.host): Promise<void> {
    await this.deleteReplaced(host);
    if (this.state) await host.delete(this.state.id, this.state.outputs);
    this.state = undefined;
  }

  /** The outputs that are set, without the internal ones. */
  get outputs(): Properties {
    const all = Object.entries(this.state?.outputs ?? {});
    return Object.fromEntries(all.filter(([name, value]) => !name.startsWith("__") && value !== null));
  }
}

/** The engine keeps the old values of top-level arguments in `ignoreChanges`, if the state has any. */
function applyIgnoreChanges(olds: Properties, args: Properties, { ignoreChanges = [] }: Options): Properties {
  const names = Object.keys(olds).length > 0 ? ignoreChanges.filter((path) => !/[.[]/.test(path)) : [];
  const kept = names.map((name) => [name, olds[name]]);
  return { ...args, ...Object.fromEntries(kept) };
}

/** The names of changed inputs, without the internal ones. */
function listChangedInputs(old: Properties, now: Properties): string[] {
  const names = new Set([...Object.keys(old), ...Object.keys(now)].filter((name) => !name.startsWith("__")));
  return [...names].filter((name) => !isDeepStrictEqual(old[name], now[name]));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  );
}
