/** The provider processes of one deployment, over gRPC: they have one engine, one folder for claims, and the test's time. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { RequestTime } from "../clock";
import { root } from "../root";
import { Host } from "./host";
import { Plugin } from "./plugin";
import type { LogEntry, Properties, Provider, ProviderKind, TestedProvider } from "./provider";
import { type Engine, startEngine } from "./providerProcess";
import { ResourceDriver } from "./resourceDriver";

const engines: Promise<Engine>[] = [];
afterAll(async () => {
  for (const engine of engines.splice(0)) (await engine).stop();
});

let count = 0;

export class RemoteDeployment {
  readonly folder = join(root, ".work/test/deployments", `${process.pid}-${Date.now()}-${++count}`);
  private engine: Promise<Engine> | undefined;

  constructor(
    readonly time: RequestTime,
    private readonly logs: LogEntry[],
    private readonly debugLogs: string[],
  ) {}

  /** The engine starts with the first process. */
  startEngine(): Promise<Engine> {
    if (!this.engine) {
      mkdirSync(this.folder, { recursive: true });
      this.engine = startEngine(({ severity, message, ephemeral }) => {
        if (severity === "DEBUG") this.debugLogs.push(message);
        else this.logs.push({ severity, message, ephemeral });
      });
      engines.push(this.engine);
    }
    return this.engine;
  }
}

/** A process that starts when it is first called. */
export class RemoteProvider implements TestedProvider {
  readonly logs: LogEntry[] = [];
  readonly debugLogs: string[] = [];
  readonly returned: Properties[] = [];
  readonly printed = "";
  readonly import: Provider["import"];
  private started?: Promise<Host | Plugin>;

  constructor(
    readonly kind: ProviderKind,
    private readonly config: Record<string, string>,
    private readonly env: Record<string, string>,
    private readonly deployment: RemoteDeployment,
    readonly next: () => Promise<TestedProvider>,
  ) {
    if (kind === "plugin")
      this.import = async (...args) => this.settle(((await this.start()) as Plugin).import(...args));
  }

  private start(): Promise<Host | Plugin> {
    const { config, deployment } = this;
    this.started ??= deployment.startEngine().then(async ({ address }): Promise<Host | Plugin> => {
      const env = { ...this.env, TMPDIR: deployment.folder };
      const options = { config, env, engine: address, time: deployment.time };
      return this.kind === "plugin" ? Plugin.start(options) : Host.start(options);
    });
    return this.started;
  }

  /** What it logs without waiting for it arrives soon after its result. */
  private async settle<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } finally {
      await new Promise((done) => setTimeout(done, 10));
      const { returned } = (await this.start()).process;
      this.returned.push(...returned.splice(0));
    }
  }

  check: Provider["check"] = async (...args) => this.settle((await this.start()).check(...args));
  diff: Provider["diff"] = async (...args) => this.settle((await this.start()).diff(...args));
  create: Provider["create"] = async (...args) => this.settle((await this.start()).create(...args));
  read: Provider["read"] = async (...args) => this.settle((await this.start()).read(...args));
  update: Provider["update"] = async (...args) => this.settle((await this.start()).update(...args));
  delete: Provider["delete"] = async (...args) => this.settle((await this.start()).delete(...args));

  async startNewRun(): Promise<void> {
    throw new Error("A process has one deployment.");
  }

  kill(): void {
    void this.start().then((provider) => provider.kill());
  }

  async disconnectEngine(): Promise<void> {
    const { process } = await this.start();
    (await this.deployment.startEngine()).stop();
    await process.exited;
  }

  resource(type: string, name = "it"): ResourceDriver {
    return new ResourceDriver(this, type, name);
  }
}
