/** A provider's process as the engine calls it: the real host provider, or the real plugin, without gRPC. */

import { readSettings } from "../../src/base/settings";
import type { SharedRegister } from "../../src/base/sharedRegister";
import { Deployment } from "../../src/core/deployment/deployment";
import type { Log } from "../../src/core/log";
import type { Options } from "../../src/core/options";
import { encloseSecrets, type Marked } from "../../src/core/secrets";
import { findResource } from "../../src/definitions";
import { CommandHostProvider, ResourceHostProvider } from "../../src/dynamic/host/hostProvider";
import { createResource, type MarkedResource, type MarkedSaved } from "../../src/plugin/markedResource";
import { SavedFailure } from "../../src/plugin/pluginResource";
import {
  type Diff,
  OperationError,
  type Properties,
  type Registration,
  type SavedObject,
  type SavedResource,
} from "../support/engine/provider";
import { withHiddenInputs } from "../support/engine/registration";
import type { Network } from "./network";
import { annotateSecrets, markWhole, openSecrets, withoutSecrets } from "./secrets";
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
  shared: SharedRegister,
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
  return new Deployment(settings, problems, log, process.clock, shared, () => network.connect(process));
}

/** What the processes of a run have published, as the files of a deployment have it. */
export class SimulatedFiles {
  private readonly files = new Map<Process, string[]>();
  /** The processes that could not publish something, and say so. */
  private readonly incomplete = new Set<Process>();

  /** Each process can publish so many lines until its disk is full; without any, it has no file. */
  constructor(private readonly room = Number.POSITIVE_INFINITY) {}

  /** What a process publishes, and reads of the others. */
  of(own: Process): SharedRegister {
    const offsets = new Map<Process, number>();
    const { files, incomplete, room } = this;
    if (room > 0) files.set(own, []);
    let problem = room > 0 ? undefined : "a folder (belongs to another user)";
    return {
      get problem() {
        return problem;
      },
      publish(entry) {
        const lines = files.get(own);
        if (!lines || incomplete.has(own)) return;
        if (lines.length < room) lines.push(JSON.stringify(entry));
        else {
          incomplete.add(own);
          problem = "a folder (no space left)";
        }
      },
      read() {
        const others = [...files].filter(([each]) => each !== own);
        if (others.some(([each]) => incomplete.has(each))) problem = "a file (its process could no longer write)";
        return new Map(
          others.map(([each, lines]) => {
            const entries = lines.slice(offsets.get(each) ?? 0).map((line) => JSON.parse(line));
            offsets.set(each, lines.length);
            return [each.name, { entries, isDead: each.isDead }];
          }),
        );
      },
    };
  }
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
        const outputs = error instanceof SavedFailure ? encloseSecrets(error.outputs) : properties;
        throw new OperationError(message, outputs && { id: id!, outputs: copy(outputs) });
      }
    })(),
  );
}

/** The host records the provider in whatever it returns (resultIncludingProvider). */
const withProvider = (result: object, { __provider }: Properties) => ({ ...result, __provider }) as Properties;

/** The host finds the provider by its text in the state (getProvider). */
const assertProvider = ({ __provider }: Properties): void => {
  if (__provider === undefined) throw new OperationError("code must be a string, not undefined");
};

/** Properties as a provider that does not accept secrets is sent them. */
const bare = (properties: Properties): Properties => withoutSecrets(copy(properties));

/** The engine marks the outputs of a failure, too. */
const annotated = <T>(inputs: Properties, work: () => Promise<T>): Promise<T> =>
  work().catch((error: OperationError) => {
    const { partialState } = error;
    if (!partialState) throw error;
    throw new OperationError(error.message, {
      ...partialState,
      outputs: annotateSecrets(partialState.outputs, inputs),
    });
  });

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
      const news = withHiddenInputs(resource, markWhole(args));
      const { inputs, failures } = await this.of(resource).check(bare(olds), bare(news));
      return { inputs: annotateSecrets(inputs as Properties, news), failures: failures.map(({ reason }) => reason) };
    });

  diff = (resource: Identity, { id, outputs }: SavedResource, inputs: Properties) =>
    call(this.process, async () => {
      const { changes, replaces, deleteBeforeReplace } = await this.of(resource).diff(id, bare(outputs), bare(inputs));
      return { ...(changes !== undefined && { changes }), replaces, deleteBeforeReplace };
    });

  create = (resource: Identity, inputs: Properties) =>
    annotated(inputs, () =>
      call(this.process, async () => {
        const { id, outs } = await this.of(resource).create(bare(inputs));
        return { id, outputs: annotateSecrets(withProvider(outs, inputs), inputs) };
      }),
    );

  read = (resource: Identity, { id, outputs, inputs }: SavedResource) =>
    call(this.process, async () => {
      const provider = this.of(resource);
      assertProvider(outputs);
      // Without `read` the host leaves the state as it is.
      if (!(provider instanceof ResourceHostProvider)) return { id, outputs, inputs };
      const found = (await provider.read(id, bare(outputs))) as {
        id?: string;
        props?: Properties;
        inputs?: Properties;
      };
      if (found.id === undefined) return undefined;
      return {
        id: found.id,
        outputs: annotateSecrets(withProvider(found.props!, outputs), outputs),
        inputs: annotateSecrets(withProvider(found.inputs!, outputs), inputs),
      };
    });

  update = (resource: Identity, { id, outputs }: SavedResource, inputs: Properties) =>
    annotated(inputs, () =>
      call(this.process, async () => {
        const { outs } = await this.of(resource).update(id, bare(outputs), bare(inputs));
        return annotateSecrets(withProvider(outs, inputs), inputs);
      }),
    );

  delete = (resource: Identity, { id, outputs }: SavedResource) =>
    call(this.process, async () => {
      assertProvider(outputs);
      return this.of(resource).delete?.(id, bare(outputs));
    });

  /** The host hears nothing of it. */
  cancel(): void {}
}

/** The plugin: what its service asks of each resource, without messages. */
export class Plugin implements SimulatedProvider {
  private readonly resources = new Map<string, MarkedResource>();

  constructor(
    readonly process: Process,
    private readonly deployment: Deployment,
  ) {
    deployment.announcesPlans = true;
  }

  private operate<T>(
    { type, name, urn, opts = {} }: Identity,
    properties: Marked[],
    work: (resource: MarkedResource, options: Options) => Promise<T>,
  ): Promise<T> {
    const { deployment } = this;
    const definition = findResource(type);
    const resource = this.resources.get(type) ?? createResource(definition, deployment);
    this.resources.set(type, resource);
    const options: Options = {
      key: urn,
      resource: `${type} ${JSON.stringify(name)}`,
      ignoreChanges: opts.ignoreChanges ?? [],
      replaceOnChanges: [],
      timeouts: {},
    };
    return call(this.process, () => deployment.operate(definition, properties, () => work(resource, options)));
  }

  check = (identity: Identity, oldInputs: Properties, args: Properties) => {
    const [olds, news] = [open(oldInputs), open(args)];
    return this.operate(identity, [olds, news], async (resource, options) => {
      const { inputs, problems } = await resource.check(olds, news, options);
      return { inputs: encloseSecrets(inputs) as Properties, failures: problems };
    });
  };

  diff = (identity: Identity, saved: SavedResource, inputs: Properties) => {
    const [old, news] = [openSaved(saved), open(inputs)];
    return this.operate(identity, [old.outputs, old.inputs, news], async (resource, options) => {
      const { hasChanges, changes, replaces, deleteBeforeReplace } = await resource.diff(old, news, options);
      const paths = hasChanges ? { paths: changes.map(({ path }) => path.join(".")) } : {};
      return { changes: hasChanges, replaces, deleteBeforeReplace, ...paths };
    });
  };

  create = (identity: Identity, properties: Properties) => {
    const inputs = open(properties);
    return this.operate(identity, [inputs], async (resource, options) => {
      const { id, outputs } = await resource.create(inputs, options);
      return { id, outputs: encloseSecrets(outputs) as Properties };
    });
  };

  read = (identity: Identity, saved: SavedResource) => {
    const old = openSaved(saved);
    return this.operate(identity, [old.outputs, old.inputs], async (resource, options) => {
      const found = await resource.read(old, options);
      return found && encloseSaved(found);
    });
  };

  preview = (identity: Identity, saved: SavedResource | undefined, inputs: Properties) => {
    const [old, news] = [saved && openSaved(saved), open(inputs)];
    return this.operate(identity, [...(old ? [old.outputs, old.inputs] : []), news], async (resource, options) =>
      encloseSecrets(resource.preview(old, news, options)),
    ) as Promise<Properties>;
  };

  import = (identity: Identity, id: string) =>
    this.operate(identity, [], async (resource, options) => encloseSaved(await resource.import(id, options)));

  update = (identity: Identity, saved: SavedResource, inputs: Properties) => {
    const [old, news] = [openSaved(saved), open(inputs)];
    return this.operate(identity, [old.outputs, old.inputs, news], async (resource, options) =>
      encloseSecrets(await resource.update(old, news, options)),
    ) as Promise<Properties>;
  };

  delete = (identity: Identity, saved: SavedResource) => {
    const old = openSaved(saved);
    return this.operate(identity, [old.outputs, old.inputs], (resource, options) => resource.delete(old, options));
  };

  cancel(): void {
    void this.process.clock.cancel();
  }
}

const open = (properties: Properties): Marked => openSecrets(copy(properties));

const openSaved = ({ id, outputs, inputs }: SavedResource): MarkedSaved => ({
  id,
  outputs: open(outputs),
  inputs: open(inputs),
});

const encloseSaved = ({ id, outputs, inputs }: MarkedSaved): SavedResource => ({
  id,
  outputs: encloseSecrets(outputs) as Properties,
  inputs: encloseSecrets(inputs) as Properties,
});
