/** The resources of one stack, whose deployments all run in this process (see processes.ts). */
import type { Emulator, EmulatorOptions } from "pulumi-tunnel-edge/emulator";
import type { Time } from "../../../src/base/clock";
import type { Options } from "../../../src/core/options";
import type { ResourceProvider } from "../../../src/core/resourceProvider";
import type { Definition } from "../../../src/definitions/definition";
import { startService } from "../emulators";
import { Processes } from "./processes";
import { Resource } from "./resource";

export class Stack {
  /** Those of the current deployment. */
  processes: Processes;
  private readonly resources: [Resource, Definition][] = [];
  private provide: (definition: Definition) => ResourceProvider;

  private constructor(
    readonly emulator: Emulator,
    private readonly time: Time,
  ) {
    this.processes = new Processes(time);
    this.provide = this.startProcess();
  }

  static async start(time: Time, options: EmulatorOptions = {}): Promise<Stack> {
    return new Stack(await startService({ clock: time.now, ...options }), time);
  }

  /** A resource of the program. */
  resource(definition: Definition, name: string, options: Partial<Options> = {}): Resource {
    const resource = new Resource(this.provide(definition), name, options);
    this.resources.push([resource, definition]);
    return resource;
  }

  /** One more process of the deployment. */
  startProcess(): (definition: Definition) => ResourceProvider {
    return this.processes.start(this.emulator.url, this.emulator.apiKey).provider;
  }

  /** Begins the next deployment, in which no resource has been seen yet. */
  next(): void {
    this.processes = new Processes(this.time);
    this.provide = this.startProcess();
    for (const [resource, definition] of this.resources) resource.provider = this.provide(definition);
    this.emulator.clearRequests();
  }

  get messages(): string[] {
    return this.processes.messages;
  }

  /** The calls since the deployment began. */
  get calls(): string[] {
    return this.emulator.calls();
  }
}
