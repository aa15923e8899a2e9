/** The provider processes of one deployment, all in the process of the tests, and the file that they share. */
import { Clock, type Time } from "../../../src/base/clock";
import type { Deployment } from "../../../src/core/deployment/deployment";
import { createLog } from "../../../src/core/log";
import type { RequestTime } from "../clock";
import { startDeployment, startInProcess } from "./inProcess";
import { nameOf } from "./pluginCalls";
import { type LogEntry, OperationError, type ProviderKind, type TestedProvider } from "./provider";
import { ProviderInTests } from "./providerInTests";
import type { RemoteDeployment } from "./remote";
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
      return new remote.RemoteProvider(kind, { config, env }, this.remote).tested;
    }
    let die: (error: Error) => void = () => {};
    const death = new Promise<never>((_, fail) => {
      die = fail;
    });
    death.catch(() => {});
    const clock = new Clock(this.time);
    const log = this.createLog(kind);
    const shared = this.file.join();
    const answer = <T>(call: () => Promise<T>) => Promise.race([death, call()]);
    const cancel = () => void clock.cancel();
    const kill = () => {
      die(new OperationError("error reading from server: EOF"));
      cancel();
    };
    const provider = startInProcess(kind, config, { env, clock, log, shared, answer });
    const next = () => new Processes(this.time).start(kind, config, env);
    return new ProviderInTests(provider, next, kill, cancel);
  }

  /** One more process, for a test of the code that a provider calls: what its resources share. */
  startDeployment(config: Record<string, string>): Deployment {
    const log = this.createLog();
    return startDeployment(config, { clock: new Clock(this.time), log, shared: this.file.join() });
  }

  private createLog(kind?: ProviderKind) {
    return createLog(async (severity, message, about, isStatus = false) => {
      // On a resource's own row a message need not name it. Here it does, as one on the stack's row.
      const name = about?.resource ?? (about && kind === "plugin" ? nameOf(about.key) : undefined);
      const named = name === undefined ? message : `${name}: ${message}`;
      if (severity === "DEBUG") this.debugLogs.push(named);
      else this.logs.push({ severity, message: named, ephemeral: isStatus });
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
