/** A provider's process as the engine calls it: the real host provider, or the real plugin, without gRPC. */
import { Deployment } from "../../src/core/deployment/deployment";
import type { Log } from "../../src/core/log";
import type { Options } from "../../src/core/options";
import { sensitiveStrings } from "../../src/core/sensitive";
import { findResource } from "../../src/definitions";
import { CommandHostProvider, ResourceHostProvider } from "../../src/host/provider";
import { CommandResource } from "../../src/plugin/commandResource";
import { ObjectResource } from "../../src/plugin/objectResource";
import { type Resource, SavedFailure } from "../../src/plugin/resource";
import { readSettings } from "../../src/settings";
import {
  type Diff,
  OperationError,
  type Properties,
  type Registration,
  type SavedObject,
  type SavedResource,
} from "../support/provider";
import { withHiddenInputs } from "../support/registration";
import type { Network } from "./network";
import { type Process, Violation } from "./world";

export interface Message {
  severity: "info" | "warning" | "status" | "debug";
  text: string;
}

/** A resource of the program, which a plugin knows by its URN. */
export interface Identity extends Registration {
  urn: string;
}

export interface SimulatedProvider {
  readonly process: Process;
  check(resource: Identity, olds: Properties, args: Properties): Promise<{ inputs: Properties; failures: string[] }>;
  diff(resource: Identity, old: SavedResource, inputs: Properties): Promise<Diff>;
  create(resource: Identity, inputs: Properties): Promise<SavedObject>;
  read(resource: Identity, old: SavedResource): Promise<(SavedObject & { inputs?: Properties }) | undefined>;
  update(resource: Identity, old: SavedResource, inputs: Properties): Promise<Properties>;
  delete(resource: Identity, old: SavedResource): Promise<void>;
  /** What a plugin's create or, of what the state has, update would return; the dynamic provider has no previews. */
  preview?(resource: Identity, old: SavedResource | undefined, inputs: Properties): Promise<Properties>;
  /** Reads what the engine imports; the dynamic provider imports in create. */
  import?(resource: Identity, id: string): Promise<SavedResource>;
  /** What one Ctrl-C tells it. */
  cancel(): void;
}

export function startDeployment(
  process: Process,
  network: Network,
  config: Record<string, string>,
  onMessage: (message: Message) => void,
): Deployment {
  const say = (severity: Message["severity"]) => (text: string) => {
    if (process.isDead) return new Promise<void>(() => {});
    onMessage({ severity, text });
    return process.answer(Promise.resolve());
  };
  const log: Log = {
    debug: (text) => void say("debug")(text),
    info: say("info"),
    warn: say("warning"),
    status: (text) => void say("status")(text),
  };
  const { settings, problems } = readSettings(config, {});
  return new Deployment(settings, problems, log, process.clock, () => network.connect(process));
}

/** A copy, as the engine passes it on: its properties are sorted. The host fails on undefined. */
function copy<T>(value: T, name = "the result"): T {
  if (value === undefined) throw new Violation(`${name} is undefined`);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => copy(each, name)) as T;
  const copied: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) copied[key] = copy((value as Record<string, unknown>)[key], key);
  return copied as T;
}

/** What the engine receives of an operation: a copy of its result, or an error with what is to be saved. */
async function call<T>(process: Process, work: () => Promise<T>): Promise<T> {
  return process.answer(
    (async () => {
      try {
        const result = await work();
        return result === undefined ? result : copy(result);
      } catch (error) {
        if (error instanceof Violation) throw error;
        const { message, id, properties } = error as Error & { id?: string; properties?: Properties };
        const outputs = error instanceof SavedFailure ? (error.outputs as Properties) : properties;
        throw new OperationError(message, outputs && { id: id!, outputs: copy(outputs) });
      }
    })(),
  );
}

/** The dynamic provider host: a provider for each type, which all share one deployment. */
export class DynamicHost implements SimulatedProvider {
  private readonly providers = new Map<string, ResourceHostProvider | CommandHostProvider>();

  constructor(
    readonly process: Process,
    private readonly deployment: Deployment,
  ) {}

  private of({ type }: Identity): ResourceHostProvider & CommandHostProvider {
    let provider = this.providers.get(type);
    if (!provider) {
      const definition = findResource(type);
      const deploymentFor = () => this.deployment;
      provider =
        definition.kind === "command"
          ? new CommandHostProvider(definition, deploymentFor)
          : new ResourceHostProvider(definition, deploymentFor);
      provider.configure({ config: { get: () => undefined } });
      this.providers.set(type, provider);
    }
    return provider as ResourceHostProvider & CommandHostProvider;
  }

  check = (resource: Identity, olds: Properties, args: Properties) =>
    call(this.process, async () => {
      const { inputs, failures } = await this.of(resource).check(copy(olds), copy(withHiddenInputs(resource, args)));
      return { inputs: inputs as Properties, failures: failures.map(({ reason }) => reason) };
    });

  diff = (resource: Identity, { id, outputs }: SavedResource, inputs: Properties) =>
    call(this.process, async () => {
      const { changes, replaces, deleteBeforeReplace } = await this.of(resource).diff(id, copy(outputs), copy(inputs));
      return { ...(changes !== undefined && { changes }), replaces, deleteBeforeReplace };
    });

  create = (resource: Identity, inputs: Properties) =>
    call(this.process, async () => {
      const { id, outs } = await this.of(resource).create(copy(inputs));
      return { id, outputs: outs as Properties };
    });

  read = (resource: Identity, { id, outputs, inputs }: SavedResource) =>
    call(this.process, async () => {
      const provider = this.of(resource);
      // Without `read` the host leaves the state as it is.
      if (!(provider instanceof ResourceHostProvider)) return { id, outputs, inputs };
      const found = (await provider.read(id, copy(outputs))) as {
        id?: string;
        props?: Properties;
        inputs?: Properties;
      };
      return found.id === undefined ? undefined : { id: found.id, outputs: found.props!, inputs: found.inputs! };
    });

  update = (resource: Identity, { id, outputs }: SavedResource, inputs: Properties) =>
    call(
      this.process,
      async () => (await this.of(resource).update(id, copy(outputs), copy(inputs))).outs as Properties,
    );

  delete = (resource: Identity, { id, outputs }: SavedResource) =>
    call(this.process, async () => this.of(resource).delete?.(id, copy(outputs)));

  /** The host hears nothing of it. */
  cancel(): void {}
}

/** The plugin: what its service asks of each resource, without messages. */
export class Plugin implements SimulatedProvider {
  constructor(
    readonly process: Process,
    private readonly deployment: Deployment,
  ) {
    deployment.isPreview = true;
  }

  private operate<T>(
    { type, name, urn, opts = {} }: Identity,
    properties: Properties[],
    work: (resource: Resource, options: Options) => Promise<T>,
  ): Promise<T> {
    const { deployment } = this;
    const definition = findResource(type);
    const resource =
      definition.kind === "command"
        ? new CommandResource(definition, deployment)
        : new ObjectResource(definition, deployment);
    const options: Options = {
      key: urn,
      resource: `${type} ${JSON.stringify(name)}`,
      ignoreChanges: opts.ignoreChanges ?? [],
      replaceOnChanges: [],
      timeouts: {},
    };
    const secrets = properties.flatMap((each) => sensitiveStrings(definition, each));
    return call(this.process, () =>
      deployment.redaction.during(secrets, async () => {
        try {
          return await work(resource, options);
        } catch (error) {
          throw Object.assign(error as Error, { message: deployment.redaction.format((error as Error).message) });
        }
      }),
    );
  }

  check = (identity: Identity, olds: Properties, args: Properties) =>
    this.operate(identity, [olds, args], async (resource, options) => {
      const { inputs, problems } = await resource.check(copy(olds), copy(args), options);
      return { inputs: inputs as Properties, failures: problems };
    });

  diff = (identity: Identity, old: SavedResource, inputs: Properties) =>
    this.operate(identity, [old.outputs, old.inputs, inputs], async (resource, options) => {
      const { hasChanges, replaces, deleteBeforeReplace } = await resource.diff(copy(old), copy(inputs), options);
      return { changes: hasChanges, replaces, deleteBeforeReplace };
    });

  create = (identity: Identity, inputs: Properties) =>
    this.operate(
      identity,
      [inputs],
      (resource, options) => resource.create(copy(inputs), options) as Promise<SavedObject>,
    );

  read = (identity: Identity, old: SavedResource) =>
    this.operate(identity, [old.outputs, old.inputs], (resource, options) =>
      resource.read(copy(old), options),
    ) as ReturnType<SimulatedProvider["read"]>;

  preview = (identity: Identity, old: SavedResource | undefined, inputs: Properties) =>
    this.operate(identity, [...(old ? [old.outputs, old.inputs] : []), inputs], async (resource, options) =>
      resource.preview(old && copy(old), copy(inputs), options),
    ) as Promise<Properties>;

  import = (identity: Identity, id: string) =>
    this.operate(identity, [], (resource, options) => resource.import(id, options)) as Promise<SavedResource>;

  update = (identity: Identity, old: SavedResource, inputs: Properties) =>
    this.operate(identity, [old.outputs, old.inputs, inputs], (resource, options) =>
      resource.update(copy(old), copy(inputs), options),
    ) as Promise<Properties>;

  delete = (identity: Identity, old: SavedResource) =>
    this.operate(identity, [old.outputs, old.inputs], (resource, options) => resource.delete(copy(old), options));

  cancel(): void {
    void this.process.clock.cancel();
  }
}
