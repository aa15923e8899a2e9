/** One stack: its resources, the processes of its current deployment, and the account. Time is the test's. */
import type { Emulator, EmulatorOptions } from "pulumi-tunnel-edge/emulator";
import { RequestTime } from "../clock";
import { configOf, startService } from "../emulators";
import { startGateway } from "../gateway";
import { Processes } from "./processes";
import type { Options, ProviderKind, TestedProvider } from "./provider";
import { ResourceDriver } from "./resourceDriver";
import { testedProvider } from "./testedProvider";

export interface StackOptions extends EmulatorOptions {
  /** The stack's configuration, besides the service's address and key. */
  config?: Record<string, string>;
  /** Where the provider has its settings from; by default, from the stack's configuration. */
  settings?: "environment" | "explicit provider";
  /** By default, the stack has a time of its own. */
  time?: RequestTime;
  /** The account; by default, an empty one in a service of its own. */
  emulator?: Emulator;
  /** By default, the one that the test runs with. */
  kind?: ProviderKind;
}

export class Stack {
  /** The first process of the current deployment. */
  provider: TestedProvider;
  private processes: Processes;
  private readonly resources: ResourceDriver[] = [];

  private constructor(
    readonly emulator: Emulator,
    readonly time: RequestTime,
    private readonly config: Record<string, string>,
    private kind: ProviderKind,
    private readonly settings?: StackOptions["settings"],
  ) {
    this.processes = new Processes(time);
    this.provider = this.startProcess();
  }

  static async start(options: StackOptions = {}): Promise<Stack> {
    const { config = {}, kind = testedProvider(), settings, time = new RequestTime(), emulator, ...service } = options;
    const account = emulator ?? (await startService({ clock: time.now, ...service }));
    return new Stack(account, time, config, kind, settings);
  }

  /** A stack whose requests pass a gateway. */
  static async startBehindGateway({ config, time = new RequestTime(), ...options }: StackOptions = {}) {
    const emulator = await startService({ clock: time.now, ...options });
    const gateway = await startGateway(emulator.port);
    const stack = await Stack.start({ emulator, time, config: { ...config, "tunnel-edge:baseUrl": gateway.url } });
    return { stack, emulator, gateway };
  }

  /** A resource of the program. */
  resource(type: string, name = "it", options: Options = {}): ResourceDriver {
    const resource = new ResourceDriver(this.provider, type, name, options);
    this.resources.push(resource);
    return resource;
  }

  /** One more process of the deployment, as each explicit provider has one. */
  startProcess(config: Record<string, string> = {}): TestedProvider {
    const all = configOf(this.emulator, this.config);
    if (this.settings === "environment") return this.processes.start(this.kind, config, environmentOf(all));
    const explicit = this.settings && { "tunnel-edge:explicit": "true" };
    return this.processes.start(this.kind, { ...all, ...explicit, ...config });
  }

  /** Begins the next deployment, in which no resource has been seen yet. The stack may have moved to the other provider. */
  next(kind = this.kind): void {
    this.kind = kind;
    this.processes = new Processes(this.time);
    this.provider = this.startProcess();
    for (const resource of this.resources) resource.useProvider(this.provider);
    this.emulator.clearRequests();
  }

  /** What was said in this deployment, each after the name of the resource that it is about. */
  get said(): string[] {
    return this.processes.said;
  }

  /** The same without these names, and without what a plugin says beforehand: it does not know whether it previews. */
  get messages(): string[] {
    const { messages } = this.processes;
    return messages.filter((message) => this.kind === "dynamic" || !/ will be (sent|replaced)/.test(message));
  }

  /** Those since the last call. */
  takeMessages(): string[] {
    const { messages } = this;
    this.processes.logs.length = 0;
    return messages;
  }

  get statuses(): string[] {
    return this.processes.statuses;
  }

  /** What debug logging has, without the names of resources. */
  get debugged(): string[] {
    return this.processes.debugged;
  }

  /** The calls since the deployment began. */
  get calls(): string[] {
    return this.emulator.calls();
  }

  /** Those that are no reads. */
  get writes(): string[] {
    return this.calls.filter((call) => !call.startsWith("GET "));
  }

  /** From now on, in this deployment, the file of claims can no longer be appended to, for this reason. */
  set unwritable(reason: string | undefined) {
    this.processes.file.unwritable = reason;
  }

  /** Or it can no longer be read. */
  set unreadable(reason: string | undefined) {
    this.processes.file.unreadable = reason;
  }
}

/** The environment that has the same settings as this configuration. */
const environmentOf = (config: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(config).map(([key, value]) => {
      const name = key.replace("tunnel-edge:", "").replace(/[A-Z]/g, "_$&");
      return [`TUNNEL_EDGE_${name.toUpperCase()}`, value];
    }),
  );
