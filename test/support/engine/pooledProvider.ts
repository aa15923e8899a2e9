/**
 * What both providers have in common in the tests. Starting a process takes most of the time, so the tests of a file use
 * a process one after the other.
 */

import { sdkEnv } from "../cli/sdkProgram";
import type { RequestTime } from "../clock";
import { lazySdk, ownFolder } from "../preload/preload";
import { root } from "../root";
import type { TestedProvider } from "./provider";
import { ProviderProcess } from "./providerProcess";
import { ResourceDriver } from "./resourceDriver";

export interface ProviderOptions {
  /** The stack's configuration, or an explicit provider's inputs. */
  config?: Record<string, string>;
  env?: Record<string, string>;
  /** The test's, which the process has too. */
  time?: RequestTime;
  /** The folder of another SDK than this repository's. */
  sdk?: string;
  /** The address of another engine than the one that collects the logs. */
  engine?: string;
}

interface PooledProcess {
  process: ProviderProcess;
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
    if (used.process.hasTestsTime || used.process.hasExited || used.process.pendingCalls > 0) used.process.close();
    else idle.push(used);
  }
  inUse = inUse.filter(({ byTest }) => !byTest);
});
afterAll(() => {
  for (const { process } of [...inUse, ...idle]) process.close();
});

async function takeProcess(script: string, { sdk, engine, env: own, time }: ProviderOptions): Promise<ProviderProcess> {
  const env = time ? { ...own, ...time.env } : own;
  const key = JSON.stringify({ sdk, engine, env, script });
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("TUNNEL_EDGE_"));
  const index = time ? -1 : idle.findIndex((each) => each.key === key);
  const taken =
    idle.splice(index, index < 0 ? 0 : 1)[0]?.process ??
    (await ProviderProcess.start({
      script,
      cwd: root,
      env: {
        ...Object.fromEntries(inherited),
        ...env,
        ...(sdk
          ? sdkEnv(sdk, ["ownFolder.js"])
          : { NODE_OPTIONS: [lazySdk, !time && ownFolder, env?.["NODE_OPTIONS"]].filter(Boolean).join(" ") }),
      },
      engine,
      time,
    }));
  inUse.push({ process: taken, key, byTest: isTestRunning });
  return Object.assign(taken, { logs: [], debugLogs: [], printed: "" });
}

interface ProviderClass<T> {
  new (process: ProviderProcess, options: ProviderOptions): T;
  /** The script that Node runs. */
  script(options: ProviderOptions): string;
}

export abstract class PooledProvider {
  private following?: Promise<this>;

  constructor(
    readonly process: ProviderProcess,
    protected readonly options: ProviderOptions,
  ) {}

  static async start<T extends PooledProvider>(this: ProviderClass<T>, options: ProviderOptions = {}): Promise<T> {
    const provider = new this(await takeProcess(this.script(options), options), options);
    await provider.startNewRun();
    return provider;
  }

  /** Simulates a new run of the CLI in the same process. */
  abstract startNewRun(): Promise<void>;

  next(): Promise<this> {
    this.following ??= PooledProvider.start.call<ProviderClass<this>, [ProviderOptions], Promise<this>>(
      this.constructor as unknown as ProviderClass<this>,
      this.options,
    );
    return this.following;
  }

  get logs() {
    return this.process.logs;
  }
  get debugLogs() {
    return this.process.debugLogs;
  }
  get returned() {
    return this.process.returned;
  }
  get printed() {
    return this.process.printed;
  }

  /** A resource on this provider. */
  resource(type: string, name = "it"): ResourceDriver {
    return new ResourceDriver(this as unknown as TestedProvider, type, name);
  }

  kill(): void {
    this.process.kill();
  }

  disconnectEngine(): Promise<void> {
    return this.process.disconnectEngine();
  }
}
