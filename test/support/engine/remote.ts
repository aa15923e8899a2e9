/** Providers in processes of their own, over gRPC: those of a deployment have one engine, one folder for claims, and one time. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Timeouts } from "../../../src/core/timeouts";
import { sdkEnv } from "../cli/sdkProgram";
import type { RequestTime } from "../clock";
import { lazySdk } from "../preload/preload";
import { root } from "../root";
import { applyReplaceOnChanges, timeoutOf, urnOf } from "./pluginCalls";
import {
  type LogEntry,
  OperationError,
  type Properties,
  type Provider,
  type ProviderKind,
  type Registration,
  type SavedResource,
  type TestedProvider,
} from "./provider";
import { ProviderInTests } from "./providerInTests";
import { type Engine, ProviderProcess, startEngine, type Target } from "./providerProcess";
import { withHiddenInputs } from "./registration";
import { annotateFailure, annotateSecrets, markWhole, withoutSecrets } from "./secrets";

const { Empty } = require("google-protobuf/google/protobuf/empty_pb");

const scripts: Record<ProviderKind, string> = {
  dynamic: require.resolve("@pulumi/pulumi/cmd/dynamic-provider"),
  plugin: join(root, "dist/plugin/main.js"),
};

export interface RemoteOptions {
  /** The stack's configuration, or an explicit provider's inputs. */
  config?: Record<string, string>;
  env?: Record<string, string>;
  /** Another file of the plugin. */
  script?: string;
  /** The folder of another SDK than this repository's. */
  sdk?: string;
  /** The address of another engine than that of the deployment. */
  engine?: string;
  /** The plugin is started by hand, and configured by the test. */
  isByHand?: boolean;
}

/** What ends after each test or, if it was started before all of them, at the end of the file. */
const ending: { ofTest: (() => void)[]; ofFile: (() => void)[] } = { ofTest: [], ofFile: [] };
let scope: keyof typeof ending = "ofFile";
const end = (which: keyof typeof ending) => {
  for (const close of ending[which].splice(0)) close();
};
beforeEach(() => {
  scope = "ofTest";
});
afterEach(() => {
  scope = "ofFile";
  end("ofTest");
});
afterAll(() => end("ofFile"));

let count = 0;

export class RemoteDeployment {
  readonly folder = join(root, ".work/test/deployments", `${process.pid}-${Date.now()}-${++count}`);
  private engine?: Promise<Engine>;

  constructor(
    readonly time?: RequestTime,
    readonly logs: LogEntry[] = [],
    private readonly debugLogs: string[] = [],
  ) {}

  /** The engine starts with the first process. */
  startEngine(): Promise<Engine> {
    if (!this.engine) {
      mkdirSync(this.folder, { recursive: true });
      const engine = startEngine(({ severity, message, ephemeral }) => {
        if (severity === "DEBUG") this.debugLogs.push(message);
        else this.logs.push({ severity, message, ephemeral });
      });
      this.engine = engine;
      ending[scope].push(() => {
        void engine.then(({ stop }) => stop());
        rmSync(this.folder, { recursive: true, force: true });
      });
    }
    return this.engine;
  }
}

/** A process that starts when it is first called. */
export class RemoteProvider implements Provider {
  /** Once it has started. */
  process!: ProviderProcess;
  readonly import: Provider["import"];
  readonly cancel: Provider["cancel"];
  readonly tested: TestedProvider;
  private started?: Promise<Provider>;

  constructor(
    readonly kind: ProviderKind,
    private readonly options: RemoteOptions = {},
    readonly deployment = new RemoteDeployment(),
  ) {
    if (kind === "plugin") {
      this.import = (...args) => this.call((provider) => provider.import!(...args));
      this.cancel = () => void this.start().then(() => this.process.call("cancel", new Empty(), {}));
    }
    const next = () => new RemoteProvider(kind, options, new RemoteDeployment(deployment.time)).tested;
    this.tested = new ProviderInTests(this, next, this.kill, this.cancel);
  }

  /** Starts the only provider of a deployment, by the real time. */
  static async start(kind: ProviderKind, options: RemoteOptions = {}): Promise<RemoteProvider> {
    const provider = new RemoteProvider(kind, options);
    await provider.start();
    return provider;
  }

  private start(): Promise<Provider> {
    this.started ??= this.startProcess();
    return this.started;
  }

  private async startProcess(): Promise<Provider> {
    const { kind, deployment, options } = this;
    const { address } = await deployment.startEngine();
    const hosts = options.sdk ? join(options.sdk, "cmd/dynamic-provider") : scripts[kind];
    this.process = await ProviderProcess.start({
      script: options.script ?? hosts,
      env: environmentOf(options, deployment),
      engine: options.isByHand ? undefined : (options.engine ?? address),
      time: deployment.time,
    });
    ending[scope].push(() => this.process.close());
    if (!options.isByHand) await this.configure();
    return kind === "plugin" ? callPlugin(this.process) : callHost(this.process);
  }

  /** As the engine configures a default provider or, if it has inputs, an explicit one. */
  async configure(config = this.options.config ?? {}): Promise<void> {
    if (this.kind === "dynamic") return this.process.configure(undefined, config);
    const { "tunnel-edge:explicit": explicit, ...args } = config;
    const urn = `urn:pulumi:dev::test::pulumi:providers:tunnel-edge::${explicit ? "account" : "default"}`;
    const inputs = Object.entries(args).map(([name, value]) => [name.replace("tunnel-edge:", ""), value]);
    await this.process.configure(urn, Object.fromEntries(inputs));
  }

  /** Log messages that no result waits for arrive soon after it. */
  private async call<T>(work: (provider: Provider) => Promise<T>): Promise<T> {
    const provider = await this.start();
    try {
      return await work(provider);
    } catch (error) {
      const { message, partialState } = error as OperationError;
      throw new OperationError(this.withoutFolder(message), partialState);
    } finally {
      await new Promise((done) => setTimeout(done, 10));
    }
  }

  /** In the process of the tests, the file of claims has this name. */
  private withoutFolder = (message: string) =>
    message.replace(new RegExp(`${this.deployment.folder}\\S*-\\d+`, "g"), "/tmp/claims");

  check: Provider["check"] = async (...args) => {
    const { inputs, failures } = await this.call(({ check }) => check(...args));
    return { inputs, failures: failures.map(this.withoutFolder) };
  };
  diff: Provider["diff"] = (...args) => this.call(({ diff }) => diff(...args));
  create: Provider["create"] = (...args) => this.call(({ create }) => create(...args));
  read: Provider["read"] = (...args) => this.call(({ read }) => read(...args));
  update: Provider["update"] = (...args) => this.call(({ update }) => update(...args));
  delete: Provider["delete"] = (...args) => this.call((provider) => provider.delete(...args));

  kill = (): void => void this.start().then(() => this.process.kill());

  /** As when the CLI is killed. Resolves when the process has ended, too. */
  async disconnectEngine(): Promise<void> {
    (await this.deployment.startEngine()).stop();
    await this.process.exited;
  }
}

function environmentOf({ env = {}, sdk }: RemoteOptions, { folder, time }: RemoteDeployment) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("TUNNEL_EDGE_"));
  const all: Record<string, string>[] = [sdk ? sdkEnv(sdk) : { NODE_OPTIONS: lazySdk }, env, time?.env ?? {}];
  const options = all.flatMap(({ NODE_OPTIONS = [] }) => NODE_OPTIONS);
  return {
    ...Object.fromEntries(inherited),
    TMPDIR: folder,
    ...Object.assign({}, ...all),
    NODE_OPTIONS: options.join(" "),
  };
}

/** The dynamic provider host accepts no secrets. The engine marks its results where it was sent some. */
function callHost(host: ProviderProcess): Provider {
  const old = ({ id, outputs }: SavedResource) => ({ id, outputs: withoutSecrets(outputs) });
  return {
    kind: "dynamic",
    check: async (resource, olds, args) => {
      const news = withHiddenInputs(resource, markWhole(args));
      const { inputs, failures } = await host.check({}, withoutSecrets(olds), withoutSecrets(news));
      return { inputs: annotateSecrets(inputs, news), failures };
    },
    diff: (_, saved, inputs) => host.diff({}, old(saved), withoutSecrets(inputs)),
    create: (_, inputs) =>
      annotateFailure(inputs, async () => {
        const { id, outputs } = await host.create({}, withoutSecrets(inputs));
        return { id, outputs: annotateSecrets(outputs, inputs) };
      }),
    read: async (resource, id, saved = { outputs: withHiddenInputs(resource, {}), inputs: {} }) => {
      const found = await host.read({}, { id, outputs: withoutSecrets(saved.outputs) });
      if (!found) return undefined;
      const outputs = annotateSecrets(found.outputs, saved.outputs);
      return {
        id: found.id,
        outputs,
        inputs: found.inputs ? annotateSecrets(found.inputs, saved.inputs) : saved.inputs,
      };
    },
    update: (_, saved, inputs) =>
      annotateFailure(inputs, async () =>
        annotateSecrets(await host.update({}, old(saved), withoutSecrets(inputs)), inputs),
      ),
    delete: (_, saved) => host.delete({}, old(saved)),
  };
}

/** The engine tells the plugin of a resource and of some of its options. */
function callPlugin(plugin: ProviderProcess): Provider {
  const targetOf = ({ type, name, opts = {} }: Registration, operation?: keyof Timeouts): Target => ({
    urn: urnOf(type, name, opts.parents),
    ignoreChanges: opts.ignoreChanges,
    timeout: operation && timeoutOf(opts, operation),
  });
  const set = (args: Properties) => Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
  return {
    kind: "plugin",
    check: (resource, olds, args) => plugin.check(targetOf(resource), olds, set(args)),
    diff: async (resource, old, news) =>
      applyReplaceOnChanges(resource, await plugin.diff(targetOf(resource), old, news)),
    create: (resource, inputs) => plugin.create(targetOf(resource, "create"), inputs),
    // The engine sends the timeout of a refresh, and none for `get`.
    read: (resource, id, old) =>
      plugin.read(targetOf(resource, old && "read"), { id, ...(old ?? { outputs: {}, inputs: {} }) }),
    import: async (resource, id) => (await plugin.read(targetOf(resource, "read"), { id })) as SavedResource,
    update: (resource, old, news) => plugin.update(targetOf(resource, "update"), old, news),
    delete: (resource, old) => plugin.delete(targetOf(resource, "delete"), old),
  };
}
