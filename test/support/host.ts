/**
 * Pulumi's own dynamic provider host, driven over gRPC without the CLI: the same process, the same protocol and the
 * same provider text, in milliseconds. `Life` plays the engine's part for one resource.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { runtime } from "@pulumi/pulumi";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";

const { credentials, Server, ServerCredentials } = require("@grpc/grpc-js");
const { ResourceProviderClient } = require("@pulumi/pulumi/proto/provider_grpc_pb");
const requests = require("@pulumi/pulumi/proto/provider_pb");
const { EngineService } = require("@pulumi/pulumi/proto/engine_grpc_pb");
const { Empty } = require("google-protobuf/google/protobuf/empty_pb");
const { Status } = require("@pulumi/pulumi/proto/status_pb");

const root = resolve(__dirname, "../..");

export const unknown = runtime.unknownValue;

// biome-ignore lint/suspicious/noExplicitAny: states and inputs are whatever a test states.
export type Bag = Record<string, any>;

export interface Told {
  severity: "INFO" | "WARNING";
  message: string;
  passing: boolean;
}

export interface HostOptions {
  /** The stack's configuration, or an explicit provider's inputs. */
  config?: Record<string, string>;
  env?: Record<string, string>;
  /** The address of another engine than the one that collects what is told. */
  engine?: string;
}

/** A failure of an operation; `kept` is what the engine keeps in the state all the same. */
export class HostError extends Error {
  constructor(
    message: string,
    readonly kept?: { id: string; outputs: Bag },
  ) {
    super(message);
  }
}

const running: { kill(): void }[] = [];
afterAll(() => {
  for (const host of running.splice(0)) host.kill();
});

export class Host {
  /** What the provider said to the user through the engine. */
  readonly told: Told[] = [];
  /** What the host printed: nothing, if all is well. */
  printed = "";
  private following?: Promise<Host>;
  private isRenewed = false;

  private constructor(
    private readonly process: ChildProcess,
    // biome-ignore lint/suspicious/noExplicitAny: the SDK has no types for its gRPC clients.
    private readonly client: any,
    private readonly options: HostOptions,
    private readonly stopEngine: () => void,
  ) {}

  static async start(options: HostOptions = {}): Promise<Host> {
    const { config = {}, env = {} } = options;
    const told: Told[] = [];
    const engine = new Server();
    engine.addService(EngineService, {
      // biome-ignore lint/suspicious/noExplicitAny: as above.
      log: (call: any, done: any) => {
        const { severity, message, ephemeral } = call.request.toObject();
        told.push({ severity: severity === 2 ? "WARNING" : "INFO", message, passing: ephemeral });
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
    const child = spawn(
      process.execPath,
      [require.resolve("@pulumi/pulumi/cmd/dynamic-provider"), options.engine ?? `127.0.0.1:${port}`],
      { cwd: root, env: { ...Object.fromEntries(inherited), ...env }, stdio: ["ignore", "pipe", "pipe"] },
    );
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
    Object.assign(host, { told });
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on("data", (text) => {
        host.printed += text;
      });
    }
    const request = new requests.ConfigureRequest();
    request.setArgs(Struct.fromJavaScript(config));
    await host.ask("configure", request);
    return host;
  }

  /** Another process with the same settings, as the CLI starts one for each of its runs. */
  next(): Promise<Host> {
    this.following ??= Host.start(this.options);
    return this.following;
  }

  /** Forgets what the package keeps in memory: a run of its own without a process of its own. */
  async anew(): Promise<void> {
    this.isRenewed = true;
    await this.check(
      {},
      { __provider: "exports.handler=()=>({check:()=>{globalThis.run=(globalThis.run??0)+1;return{}}})" },
    );
  }

  /** Properties as they go to the host. */
  private going(props: Bag) {
    const text = props.__provider;
    if (!this.isRenewed || typeof text !== "string" || !text.includes(ours)) return Struct.fromJavaScript(props);
    return Struct.fromJavaScript({ ...props, __provider: `${renewing(text)}//${text}` });
  }

  /** Properties as they come back from it. */
  private coming(struct: { toJavaScript(): Bag }): Bag {
    const props = struct.toJavaScript();
    const text = props.__provider;
    return typeof text === "string" ? { ...props, __provider: text.slice(text.lastIndexOf("exports.")) } : props;
  }

  /** A life of a resource on this host. */
  resource(type: string, name = "it"): Life {
    return new Life(this, type, name);
  }

  /** As if the machine had failed. */
  kill(): void {
    this.process.kill("SIGKILL");
  }

  /** As if the CLI had been killed; resolves when the host has ended, too. */
  async abandon(): Promise<void> {
    const ended = once(this.process, "exit");
    this.stopEngine();
    await ended;
  }

  async check(olds: Bag, news: Bag): Promise<{ inputs: Bag; failures: string[] }> {
    const request = new requests.CheckRequest();
    request.setOlds(this.going(olds));
    request.setNews(this.going(news));
    const answer = await this.ask("check", request);
    return {
      inputs: this.coming(answer.getInputs()),
      failures: answer.getFailuresList().map((failure: Bag) => failure.getReason()),
    };
  }

  async diff(
    id: string,
    olds: Bag,
    news: Bag,
  ): Promise<{ changes?: boolean; replaces: string[]; deleteFirst: boolean }> {
    const request = new requests.DiffRequest();
    request.setId(id);
    request.setOlds(this.going(olds));
    request.setNews(this.going(news));
    const answer = await this.ask("diff", request);
    return {
      changes: [undefined, false, true][answer.getChanges()],
      replaces: answer.getReplacesList(),
      deleteFirst: answer.getDeletebeforereplace(),
    };
  }

  async create(inputs: Bag): Promise<{ id: string; outputs: Bag }> {
    const request = new requests.CreateRequest();
    request.setProperties(this.going(inputs));
    const answer = await this.ask("create", request);
    return { id: answer.getId(), outputs: this.coming(answer.getProperties()) };
  }

  async read(id: string, props: Bag): Promise<{ id: string; outputs: Bag; inputs?: Bag } | undefined> {
    const request = new requests.ReadRequest();
    request.setId(id);
    request.setProperties(this.going(props));
    const answer = await this.ask("read", request);
    if (answer.getId() === "") return undefined;
    return {
      id: answer.getId(),
      outputs: this.coming(answer.getProperties()),
      inputs: answer.getInputs() && this.coming(answer.getInputs()),
    };
  }

  async update(id: string, olds: Bag, news: Bag): Promise<Bag> {
    const request = new requests.UpdateRequest();
    request.setId(id);
    request.setOlds(this.going(olds));
    request.setNews(this.going(news));
    return this.coming((await this.ask("update", request)).getProperties());
  }

  async delete(id: string, props: Bag): Promise<void> {
    const request = new requests.DeleteRequest();
    request.setId(id);
    request.setProperties(this.going(props));
    await this.ask("delete", request);
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above.
  private ask(method: string, request: unknown): Promise<any> {
    return new Promise((done, fail) => {
      this.client[method](request, (error: Bag | null, answer: unknown) => {
        if (!error) return done(answer);
        const [details] = error.metadata?.get("grpc-status-details-bin") ?? [];
        fail(new HostError(error.details || error.message, details && this.keptIn(details)));
      });
    });
  }

  /** What an error says that the engine must keep. */
  private keptIn(details: Uint8Array): { id: string; outputs: Bag } {
    const [detail] = Status.deserializeBinary(details).getDetailsList();
    const failed = requests.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
    return { id: failed.getId(), outputs: this.coming(failed.getProperties()) };
  }
}

const ours = 'require("pulumi-tunnel-edge/host")';

/** A provider that is another one in each run, of a package that is loaded again then. */
const renewing = (text: string) => `
  exports.handler = () => {
    let run, config, provider;
    const current = () => {
      if (run === globalThis.run) return provider;
      run = globalThis.run;
      if (globalThis.loaded !== run) {
        globalThis.loaded = run;
        console.error = globalThis.print ??= console.error;
        delete require.cache[require.resolve("pulumi-tunnel-edge/host")];
      }
      provider = ${text.slice(text.indexOf(ours))};
      provider.configure(config);
      return provider;
    };
    const methods = ["check", "diff", "create", "read", "update", "delete"];
    const calls = methods.map((name) => [name, (...args) => current()[name](...args)]);
    return { configure: (given) => { config = given; }, ...Object.fromEntries(calls) };
  };
`;

export interface Kept {
  id: string;
  inputs: Bag;
  outputs: Bag;
  /** The last create or update did not finish: the engine updates it again, changed or not. */
  unfinished?: true;
}

/** The arguments of a resource, with the options that the constructor carries as hidden inputs. */
export interface Options {
  import?: string;
  replaceOnChanges?: string[];
  customTimeouts?: { create?: string; update?: string; delete?: string };
  ignoreChanges?: string[];
  deleteBeforeReplace?: boolean;
  /** `--target-replace`. */
  forced?: boolean;
  /** `pulumi preview`. */
  preview?: true;
}

export type Step = "create" | "same" | "update" | "replace";

/** One resource, treated as the engine treats it. */
export class Life {
  state: Kept | undefined;
  /** What was replaced, until the end of a run deletes it. */
  left: Kept[] = [];

  constructor(
    private host: Host,
    readonly type: string,
    readonly name: string,
  ) {}

  /** Goes on with another host, as after a crash or in the next run of the CLI. */
  on(host: Host): this {
    this.host = host;
    return this;
  }

  /** The inputs that the constructor registers. */
  stating(args: Bag, { import: id, replaceOnChanges, customTimeouts, ignoreChanges, preview }: Options): Bag {
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

  private async checked(olds: Bag, args: Bag, opts: Options): Promise<Bag> {
    const { inputs, failures } = await this.host.check(olds, this.stating(ignoring(olds, args, opts), opts));
    if (failures.length > 0) throw new HostError(failures.join("\n"));
    return inputs;
  }

  /** Where the provider leaves the question open, the engine compares all inputs, and equal ones replace nothing. */
  private async diff({ id, inputs: before, outputs }: Kept, inputs: Bag) {
    const diff = await this.host.diff(id, outputs, inputs);
    if (diff.changes !== undefined) return diff;
    return isDeepStrictEqual(before, inputs) ? { changes: false, replaces: [], deleteFirst: false } : diff;
  }

  /** What a preview says would happen, and which arguments it shows as changed. */
  async preview(args: Bag, opts: Options = {}): Promise<{ step: Step; replaces: string[]; changed: string[] }> {
    const inputs = await this.checked(this.state?.inputs ?? {}, args, { ...opts, preview: true });
    const changed = changes(this.state?.inputs ?? {}, inputs);
    if (!this.state) return { step: "create", replaces: [], changed };
    const diff = await this.diff(this.state, inputs);
    if (diff.replaces.length > 0) return { step: "replace", replaces: diff.replaces, changed };
    return { step: diff.changes !== false || this.state.unfinished ? "update" : "same", replaces: [], changed };
  }

  /** `X.get(name, id)`: reads what the program does not manage. */
  async get(id: string): Promise<Bag> {
    const found = await this.host.read(id, this.stating({}, {}));
    if (!found) throw new HostError(`the engine says that ${id} does not exist`);
    this.state = { id: found.id, inputs: found.inputs ?? {}, outputs: found.outputs };
    return this.outputs;
  }

  async up(args: Bag, opts: Options = {}): Promise<Step> {
    const step = await this.register(args, opts);
    await this.sweep();
    return step;
  }

  /** Everything but the deletion of what was replaced: that is the last thing the engine does in a run. */
  async register(args: Bag, opts: Options = {}): Promise<Step> {
    const old = this.state;
    const inputs = await this.checked(old?.inputs ?? {}, args, opts);
    if (!old) {
      await this.creating(inputs);
      return "create";
    }
    const { changes, replaces, deleteFirst } = opts.forced
      ? { changes: true, replaces: ["forced"], deleteFirst: opts.deleteBeforeReplace ?? false }
      : await this.diff(old, inputs);
    if (replaces.length > 0) {
      const fresh = await this.checked({}, args, opts);
      if (opts.deleteBeforeReplace ?? deleteFirst) {
        await this.host.delete(old.id, old.outputs);
        this.state = undefined;
        await this.creating(fresh);
      } else {
        try {
          await this.creating(fresh);
        } finally {
          if (this.state !== old) this.left.push(old);
        }
      }
      return "replace";
    }
    if (changes === false && !old.unfinished) {
      this.state = { ...old, inputs };
      return "same";
    }
    try {
      this.state = { id: old.id, inputs, outputs: await this.host.update(old.id, old.outputs, inputs) };
    } catch (error) {
      this.keep(error, inputs);
    }
    return "update";
  }

  /** Deletes what was replaced. */
  async sweep(host = this.host): Promise<void> {
    for (const old of [...this.left]) {
      await host.delete(old.id, old.outputs);
      this.left.splice(this.left.indexOf(old), 1);
    }
  }

  private async creating(inputs: Bag): Promise<void> {
    try {
      this.state = { ...(await this.host.create(inputs)), inputs };
    } catch (error) {
      this.keep(error, inputs);
    }
  }

  private keep(error: unknown, inputs: Bag): never {
    if (error instanceof HostError && error.kept) this.state = { ...error.kept, inputs, unfinished: true };
    throw error;
  }

  /** Reads the object; whether the state changed by it. */
  async refresh(): Promise<"gone" | "changed" | "same"> {
    const old = this.state!;
    const now = await this.host.read(old.id, old.outputs);
    if (!now) {
      this.state = undefined;
      return "gone";
    }
    const inputs = now.inputs ?? old.inputs;
    this.state = { id: now.id, inputs, outputs: now.outputs };
    const same = isDeepStrictEqual(sorted([old.inputs, old.outputs]), sorted([inputs, now.outputs]));
    return same ? "same" : "changed";
  }

  /** In a run of its own: a process never deletes what it has just made. */
  async destroy(): Promise<void> {
    await this.remove(await this.host.next());
  }

  /** What the engine does with what left the program. */
  async remove(host = this.host): Promise<void> {
    await this.sweep(host);
    if (this.state) await host.delete(this.state.id, this.state.outputs);
    this.state = undefined;
  }

  /** The outputs that are set, without the internal ones. */
  get outputs(): Bag {
    const all = Object.entries(this.state?.outputs ?? {});
    return Object.fromEntries(all.filter(([name, value]) => !name.startsWith("__") && value !== null));
  }
}

/** What the engine makes of the arguments that `ignoreChanges` names whole: the old ones, once there are any. */
function ignoring(olds: Bag, args: Bag, { ignoreChanges = [] }: Options): Bag {
  const names = Object.keys(olds).length > 0 ? ignoreChanges.filter((path) => !/[.[]/.test(path)) : [];
  const kept = names.map((name) => [name, olds[name]]);
  return { ...args, ...Object.fromEntries(kept) };
}

/** The names of the inputs that differ, internal ones left out. */
function changes(old: Bag, now: Bag): string[] {
  const names = new Set([...Object.keys(old), ...Object.keys(now)].filter((name) => !name.startsWith("__")));
  return [...names].filter((name) => !isDeepStrictEqual(old[name], now[name]));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
