/** The provider processes of one deployment, all in the process of the tests, and the file that they share. */
import { Clock, type Time } from "../../../src/base/clock";
import type { Deployment } from "../../../src/core/deployment/deployment";
import { createLog } from "../../../src/core/log";
import type { RequestTime } from "../clock";
import { startDeployment, startInProcess } from "./inProcess";
import { nameOf } from "./pluginCalls";
import {
  type LogEntry,
  OperationError,
  type Properties,
  type Provider,
  type ProviderKind,
  type SavedResource,
  type TestedProvider,
} from "./provider";
import type { RemoteDeployment } from "./remote";
import { ResourceDriver } from "./resourceDriver";
import { withoutSecrets } from "./secrets";
import { SharedLines } from "./sharedLines";

/** With this, each provider has a process, and is called over gRPC, which takes much longer. */
const remote: typeof import("./remote") | undefined =
  process.env["TEST_TRANSPORT"] === "grpc" ? require("./remote") : undefined;

export class Processes {
  private remote?: RemoteDeployment;
  readonly file = new SharedLines();
  /** What all of them logged. */
  readonly logs: LogEntry[] = [];
  readonly debugLogs: string[] = [];

  constructor(private readonly time?: Time) {}

  /** One more process, with this configuration and environment. */
  start(kind: ProviderKind, config: Record<string, string>, env: Record<string, string> = {}): TestedProvider {
    if (remote) {
      this.remote ??= new remote.RemoteDeployment(this.time as RequestTime, this.logs, this.debugLogs);
      const next = async () => new Processes(this.time).start(kind, config, env);
      return new remote.RemoteProvider(kind, config, env, this.remote, next);
    }
    return new InProcessProvider(kind, config, env, this, this.time);
  }

  /** One more process, for a test of the code that a provider calls: what its resources share. */
  startDeployment(config: Record<string, string>): Deployment {
    const log = this.createLog();
    return startDeployment(config, { clock: new Clock(this.time), log, shared: this.file.join() });
  }

  /** The log of a process, which keeps it there, too. */
  createLog(kind?: ProviderKind, own?: { logs: LogEntry[]; debugLogs: string[] }) {
    return createLog(async (severity, message, about, isStatus = false) => {
      // On a resource's own row a message need not name it. Here it does, as one on the stack's row.
      const name = about?.resource ?? (about && kind === "plugin" ? nameOf(about.key) : undefined);
      const named = name === undefined ? message : `${name}: ${message}`;
      for (const { logs, debugLogs } of own ? [this, own] : [this]) {
        if (severity === "DEBUG") debugLogs.push(named);
        else logs.push({ severity, message: named, ephemeral: isStatus });
      }
    });
  }

  /** What was said, each after the name of the resource that it is about. */
  get said(): string[] {
    return this.logs.filter(({ ephemeral }) => !ephemeral).map(({ message }) => message);
  }

  /** The same without these names. */
  get messages(): string[] {
    return this.said.map(withoutName);
  }

  get statuses(): string[] {
    return this.logs.filter(({ ephemeral }) => ephemeral).map(({ message }) => message);
  }

  /** What debug logging has, without the names of resources. */
  get debugged(): string[] {
    return this.debugLogs.map(withoutName);
  }
}

const withoutName = (message: string) => message.replace(/^\w+ "[^"]*": /, "");

class InProcessProvider implements TestedProvider {
  readonly logs: LogEntry[] = [];
  readonly debugLogs: string[] = [];
  readonly returned: Properties[] = [];
  readonly printed = "";
  readonly preview: Provider["preview"];
  readonly import: Provider["import"];
  private provider!: Provider;
  private clock!: Clock;
  private die!: (error: Error) => void;
  /** Rejects when the process is killed, as every call of it does. */
  private readonly death = new Promise<never>((_, fail) => {
    this.die = fail;
  });
  private following?: Promise<TestedProvider>;

  constructor(
    readonly kind: ProviderKind,
    private readonly config: Record<string, string>,
    private readonly env: Record<string, string>,
    private processes: Processes,
    private readonly time?: Time,
  ) {
    this.death.catch(() => {});
    this.begin();
    if (kind === "plugin") {
      this.preview = (...args) => this.provider.preview!(...args);
      this.import = (...args) => this.keep(this.provider.import!(...args));
    }
  }

  private begin(): void {
    const shared = this.processes.file.join();
    this.clock = new Clock(this.time);
    const log = this.processes.createLog(this.kind, this);
    const answer = <T>(result: Promise<T>) => Promise.race([this.death, result]);
    this.provider = startInProcess(this.kind, this.config, { env: this.env, clock: this.clock, log, shared, answer });
  }

  check: Provider["check"] = async (...args) => {
    const { inputs, failures } = await this.provider.check(...args);
    return { ...(await this.keep(Promise.resolve({ inputs }))), failures };
  };
  diff: Provider["diff"] = (...args) => this.provider.diff(...args);
  create: Provider["create"] = (...args) => this.keep(this.provider.create(...args));
  read: Provider["read"] = (...args) => this.keep(this.provider.read(...args));
  update: Provider["update"] = async (resource, old, inputs) =>
    (await this.keep(this.provider.update(resource, old, inputs).then((outputs) => ({ outputs })))).outputs;
  delete: Provider["delete"] = (...args) => this.provider.delete(...args);
  cancel = (): void => void this.clock.cancel();

  /** Keeps what the provider returns, or has in the state after a failure, and returns it without envelopes. */
  private async keep<T extends Partial<SavedResource> | undefined>(result: Promise<T>): Promise<T> {
    const open = <S extends Partial<SavedResource>>(saved: S): S => {
      const properties = { outputs: saved.outputs, inputs: saved.inputs };
      const returned = Object.entries(properties).filter((each): each is [string, Properties] => each[1] !== undefined);
      this.returned.push(...returned.map(([, values]) => values));
      return { ...saved, ...Object.fromEntries(returned.map(([name, values]) => [name, withoutSecrets(values)])) };
    };
    try {
      const found = await result;
      return found && open(found);
    } catch (error) {
      const { message, partialState } = error as OperationError;
      throw partialState ? new OperationError(message, open(partialState)) : error;
    }
  }

  async startNewRun(): Promise<void> {
    this.processes = new Processes(this.time);
    this.begin();
    for (const list of [this.logs, this.debugLogs]) list.length = 0;
  }

  next(): Promise<TestedProvider> {
    this.following ??= Promise.resolve(new Processes(this.time).start(this.kind, this.config, this.env));
    return this.following;
  }

  kill(): void {
    this.die(new OperationError("error reading from server: EOF"));
    void this.clock.cancel();
  }

  async disconnectEngine(): Promise<void> {
    this.kill();
    await this.clock.cancel();
  }

  resource(type: string, name = "it"): ResourceDriver {
    return new ResourceDriver(this, type, name);
  }
}
