/**
 * The dynamic provider over gRPC: Pulumi's own dynamic provider host, with the serialized provider that is in every
 * state, without the CLI. Starting a process takes most of the time, so the tests of a file use a process one after
 * the other.
 */
import { join } from "node:path";
import { lazySdk } from "./preload";
import { OperationError, type Properties, type Registration, type SavedObject, type TestedProvider } from "./provider";
import { ProviderProcess } from "./providerProcess";
import { providerText, withHiddenInputs } from "./registration";
import { ResourceDriver } from "./resourceDriver";
import { root } from "./root";
import { sdkEnv } from "./sdkProgram";

const dynamicProviderHost = require.resolve("@pulumi/pulumi/cmd/dynamic-provider");

export interface HostOptions {
  /** The stack's configuration, or an explicit provider's inputs. */
  config?: Record<string, string>;
  env?: Record<string, string>;
  /** The folder of another SDK than this repository's, whose host is started. */
  sdk?: string;
  /** The address of another engine than the one that collects the logs. */
  engine?: string;
  /** The script of another provider. */
  script?: string;
}

interface HostProcess extends ProviderProcess {
  /** How many runs the process has served. */
  runs?: number;
}

interface PooledProcess {
  process: HostProcess;
  /** How it was started. */
  key: string;
  /** Whether it is used by one test, and not by all tests of the file. */
  byTest: boolean;
}

/** The processes that no test uses at the moment. */
const idle: PooledProcess[] = [];
let inUse: PooledProcess[] = [];
let isTestRunning = false;
beforeEach(() => {
  isTestRunning = true;
});
afterEach(() => {
  isTestRunning = false;
  for (const used of inUse.filter(({ byTest }) => byTest)) {
    if (used.process.hasExited || used.process.pendingCalls > 0) used.process.close();
    else idle.push(used);
  }
  inUse = inUse.filter(({ byTest }) => !byTest);
});
afterAll(() => {
  for (const { process } of [...inUse, ...idle]) process.close();
});

export async function takeProcess({ sdk, engine, env, script }: HostOptions): Promise<HostProcess> {
  const key = JSON.stringify({ sdk, engine, env, script });
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("TUNNEL_EDGE_"));
  const index = idle.findIndex((each) => each.key === key);
  const taken =
    idle.splice(index, index < 0 ? 0 : 1)[0]?.process ??
    (await ProviderProcess.start({
      script: script ?? (sdk ? join(sdk, "cmd/dynamic-provider") : dynamicProviderHost),
      cwd: root,
      env: {
        ...Object.fromEntries(inherited),
        ...env,
        ...(sdk ? sdkEnv(sdk) : { NODE_OPTIONS: [lazySdk, env?.NODE_OPTIONS].filter(Boolean).join(" ") }),
      },
      engine,
    }));
  inUse.push({ process: taken, key, byTest: isTestRunning });
  return Object.assign(taken, { logs: [], debugLogs: [], printed: "" });
}

export class Host implements TestedProvider {
  readonly kind = "dynamic";
  private nextHost?: Promise<Host>;
  private run = 0;

  private constructor(
    readonly process: HostProcess,
    private readonly options: HostOptions,
  ) {}

  static async start(options: HostOptions = {}): Promise<Host> {
    const host = new Host(await takeProcess(options), options);
    await host.startNewRun();
    return host;
  }

  get logs() {
    return this.process.logs;
  }
  get debugLogs() {
    return this.process.debugLogs;
  }
  get printed() {
    return this.process.printed;
  }

  next(): Promise<Host> {
    this.nextHost ??= Host.start(this.options);
    return this.nextHost;
  }

  /** Simulates a new run of the CLI in the same process. */
  async startNewRun(): Promise<void> {
    this.process.runs = (this.process.runs ?? 0) + 1;
    this.run = this.process.runs;
    await this.process.configure(this.options.config ?? {});
  }

  /** A resource on this host. */
  resource(type: string, name = "it"): ResourceDriver {
    return new ResourceDriver(this, type, name);
  }

  kill(): void {
    this.process.kill();
  }

  disconnectEngine(): Promise<void> {
    return this.process.disconnectEngine();
  }

  async check(resource: Registration, olds: Properties, args: Properties) {
    const news = withHiddenInputs(resource, args);
    const { inputs, failures } = await this.process.check(this.encode(olds), this.encode(news));
    return { inputs: this.decode(inputs), failures };
  }

  diff(_: Registration, { id, outputs }: SavedObject, inputs: Properties) {
    return this.process.diff(id, this.encode(outputs), this.encode(inputs));
  }

  create(_: Registration, inputs: Properties): Promise<SavedObject> {
    return this.decodeResult(this.process.create(this.encode(inputs)));
  }

  read({ type, name }: Registration, id: string, old?: { outputs: Properties }) {
    const props = old?.outputs ?? { __provider: providerText(type), __resource: name };
    return this.decodeResult(this.process.read(id, this.encode(props)));
  }

  async update(_: Registration, { id, outputs }: SavedObject, inputs: Properties): Promise<Properties> {
    const updating = this.process.update(id, this.encode(outputs), this.encode(inputs));
    return (await this.decodeResult(updating.then((updated) => ({ id, outputs: updated })))).outputs;
  }

  delete(_: Registration, { id, outputs }: SavedObject): Promise<void> {
    return this.process.delete(id, this.encode(outputs));
  }

  /** In a process that has served another run, the provider's text is one that discards that run's deployment. */
  private encode({ __provider: text, ...props }: Properties): Properties {
    if (text === undefined) return props;
    return { ...props, __provider: this.run === 1 ? text : reload(this.run, text) };
  }

  private decode({ __provider: text, ...props }: Properties): Properties {
    return text === undefined ? props : { ...props, __provider: text.slice(text.lastIndexOf("exports.")) };
  }

  private async decodeResult<T extends (SavedObject & { inputs?: Properties }) | undefined>(
    result: Promise<T>,
  ): Promise<T> {
    try {
      const saved = await result;
      if (!saved) return saved;
      const { inputs, outputs } = saved;
      return { ...saved, outputs: this.decode(outputs), ...(inputs && { inputs: this.decode(inputs) }) };
    } catch (error) {
      const { message, partialState } = error as OperationError;
      if (!partialState) throw error;
      throw new OperationError(message, { ...partialState, outputs: this.decode(partialState.outputs) });
    }
  }
}

/** The text of a provider that, in a new run, first replaces `hostDeployment`, which keeps the last run's deployment. */
const reload = (run: number, text: string) => `
  if (globalThis.run !== ${run}) {
    globalThis.run = ${run};
    const host = require("node:path").dirname(require.resolve("pulumi-tunnel-edge/host"));
    require(host + "/../clock").systemTime.reset?.();
    const file = require.resolve(host + "/deployment");
    const imported = require(file);
    const { [file]: cached } = require.cache;
    delete require.cache[file];
    Object.assign(imported, require(file));
    require.cache[file] = cached; // the exports that the package's other modules have imported
  }
  ${text}`;
