/**
 * The two providers in the process of the tests, as the engine calls them: the real host provider, and the real plugin,
 * without gRPC. Only this file knows how the core is started.
 */

import type { Network } from "../../../src/api/transport";
import type { Clock } from "../../../src/base/clock";
import { readSettings } from "../../../src/base/settings";
import type { SharedFile } from "../../../src/base/sharedFile";
import { Deployment } from "../../../src/core/deployment/deployment";
import type { Log } from "../../../src/core/log";
import { type Options as CoreOptions, titleOf } from "../../../src/core/options";
import { encloseSecrets, type Marked } from "../../../src/core/secrets";
import type { Timeouts } from "../../../src/core/timeouts";
import { findResource } from "../../../src/definitions";
import { HostProvider } from "../../../src/dynamic/host/hostProvider";
import { PluginResource, type Saved } from "../../../src/plugin/resource";
import { applyReplaceOnChanges, timeoutOf, urnOf } from "./pluginCalls";
import {
  OperationError,
  type Properties,
  type Provider,
  type ProviderKind,
  type Registration,
  type SavedObject,
  type SavedResource,
  Violation,
} from "./provider";
import { withHiddenInputs } from "./registration";
import { annotateFailure, annotateSecrets, markWhole, openSecrets, withoutSecrets } from "./secrets";

/** What a process has around it. */
export interface Surroundings {
  env?: Record<string, string>;
  clock: Clock;
  log: Log;
  /** To which the processes of a deployment append what their resources claim. */
  shared?: SharedFile;
  /** In place of the machine's. */
  network?: Network;
  /** Makes a call, and returns its result to the engine: nothing once the process was killed. */
  answer?<T>(call: () => Promise<T>): Promise<T>;
}

/** Starts one of the providers, with the stack's configuration. */
export function startInProcess(
  kind: ProviderKind,
  config: Record<string, string>,
  { answer = (call) => call(), ...surroundings }: Surroundings,
): Provider {
  const deployment = startDeployment(config, surroundings);
  const call = <T>(work: () => Promise<T>) => answer(() => receive(work));
  return kind === "plugin" ? new Plugin(deployment, call) : new DynamicHost(deployment, call);
}

/** What the resources of a process share. */
export function startDeployment(
  config: Record<string, string>,
  { env = {}, clock, log, shared, network }: Surroundings,
) {
  const { settings, problems } = readSettings(config, env);
  return new Deployment(settings, problems, log, clock, shared, network);
}

type Call = <T>(work: () => Promise<T>) => Promise<T>;

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
async function receive<T>(work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    return result === undefined ? result : copy(result);
  } catch (error) {
    if (error instanceof Violation) throw error;
    const { message, id, properties } = error as Error & { id?: string; properties?: Properties };
    throw new OperationError(message, properties && { id: id!, outputs: copy(properties) });
  }
}

/** The host records the provider in whatever it returns (resultIncludingProvider). */
const withProvider = (result: object, { __provider }: Properties) => ({ ...result, __provider }) as Properties;

/** The host finds the provider by its text in the state (getProvider). */
const assertProvider = ({ __provider }: Properties): void => {
  if (__provider === undefined) throw new OperationError("code must be a string, not undefined");
};

/** Properties as a provider that does not accept secrets is sent them. */
const bare = (properties: Properties): Properties => withoutSecrets(copy(properties));

/** The dynamic provider host: a provider for each type, which all share one deployment. */
class DynamicHost implements Provider {
  readonly kind = "dynamic";
  private readonly providers = new Map<string, HostProvider>();

  constructor(
    private readonly deployment: Deployment,
    private readonly call: Call,
  ) {}

  private of({ type }: Registration): HostProvider {
    let provider = this.providers.get(type);
    if (!provider) {
      provider = new HostProvider(findResource(type), () => this.deployment);
      provider.configure({ config: { get: () => undefined } });
      this.providers.set(type, provider);
    }
    return provider;
  }

  check = (resource: Registration, olds: Properties, args: Properties) =>
    this.call(async () => {
      const news = withHiddenInputs(resource, markWhole(args));
      const { inputs, failures } = await this.of(resource).check(bare(olds), bare(news));
      return { inputs: annotateSecrets(inputs as Properties, news), failures: failures.map(({ reason }) => reason) };
    });

  diff = (resource: Registration, { id, outputs }: SavedResource, inputs: Properties) =>
    this.call(async () => {
      const { changes, replaces, deleteBeforeReplace } = await this.of(resource).diff(id, bare(outputs), bare(inputs));
      return { ...(changes !== undefined && { changes }), replaces, deleteBeforeReplace };
    });

  create = (resource: Registration, inputs: Properties) =>
    annotateFailure(inputs, () =>
      this.call(async () => {
        const { id, outs } = await this.of(resource).create(bare(inputs));
        return { id, outputs: annotateSecrets(withProvider(outs, inputs), inputs) };
      }),
    );

  read = (resource: Registration, id: string, old?: Omit<SavedResource, "id">) => {
    const { outputs, inputs } = old ?? { outputs: withHiddenInputs(resource, {}), inputs: {} };
    return this.call(async () => {
      assertProvider(outputs);
      const found = (await this.of(resource).read(id, bare(outputs))) as {
        id?: string;
        props?: Properties;
        inputs?: Properties;
      };
      if (found.id === undefined) return undefined;
      return {
        id: found.id,
        outputs: annotateSecrets(withProvider(found.props!, outputs), outputs),
        // The engine keeps the inputs where the host returns none.
        inputs: found.inputs ? annotateSecrets(withProvider(found.inputs, outputs), inputs) : inputs,
      };
    });
  };

  update = (resource: Registration, { id, outputs }: SavedResource, inputs: Properties) =>
    annotateFailure(inputs, () =>
      this.call(async () => {
        const { outs } = await this.of(resource).update(id, bare(outputs), bare(inputs));
        return annotateSecrets(withProvider(outs, inputs), inputs);
      }),
    );

  delete = (resource: Registration, { id, outputs }: SavedObject) =>
    this.call(async () => {
      assertProvider(outputs);
      return this.of(resource).delete(id, bare(outputs));
    });
}

/** The plugin: what its service asks of each resource, without messages. */
class Plugin implements Provider {
  readonly kind = "plugin";
  private readonly resources = new Map<string, PluginResource>();

  constructor(
    private readonly deployment: Deployment,
    private readonly call: Call,
  ) {
    deployment.informsOfPlans = true;
  }

  private operate<T>(
    { type, name, opts = {} }: Registration,
    properties: Marked[],
    work: (resource: PluginResource, options: CoreOptions) => Promise<T>,
    { timeout, isToldIgnored = false }: { timeout?: keyof Timeouts; isToldIgnored?: boolean } = {},
  ): Promise<T> {
    const { deployment } = this;
    const definition = findResource(type);
    const resource = this.resources.get(type) ?? new PluginResource(definition, deployment);
    this.resources.set(type, resource);
    const options: CoreOptions = {
      key: urnOf(type, name, opts.parents),
      resource: titleOf(type, name),
      // Only these requests of the protocol have them.
      ignoreChanges: (isToldIgnored && opts.ignoreChanges) || [],
      replaceOnChanges: [],
      timeouts: timeout ? { [timeout]: `${timeoutOf(opts, timeout)}s` } : {},
    };
    return this.call(() => deployment.operate(definition, properties, () => work(resource, options)));
  }

  check = (registration: Registration, oldInputs: Properties, args: Properties) => {
    const [olds, news] = [open(oldInputs), open(args)];
    return this.operate(registration, [olds, news], async (resource, options) => {
      const { inputs, problems } = await resource.check(olds, news, options);
      return { inputs: encloseSecrets(inputs) as Properties, failures: problems };
    });
  };

  diff = async (registration: Registration, saved: SavedResource, inputs: Properties) => {
    const [old, news] = [openSaved(saved), open(inputs)];
    const diff = async (resource: PluginResource, options: CoreOptions) => {
      const { hasChanges, changes, replaces, deleteBeforeReplace } = await resource.diff(old, news, options);
      const paths = hasChanges ? { paths: changes.map(({ path }) => path.join(".")) } : {};
      return { changes: hasChanges, replaces, deleteBeforeReplace, ...paths };
    };
    const properties = [old.outputs, old.inputs, news];
    return applyReplaceOnChanges(
      registration,
      await this.operate(registration, properties, diff, { isToldIgnored: true }),
    );
  };

  create = (registration: Registration, properties: Properties) => {
    const inputs = open(properties);
    const create = async (resource: PluginResource, options: CoreOptions) => {
      const { id, outputs } = await resource.create(inputs, options);
      return { id, outputs: encloseSecrets(outputs) as Properties };
    };
    return this.operate(registration, [inputs], create, { timeout: "create" });
  };

  /** The engine sends the timeout of a refresh, and none for `get`. */
  read = (registration: Registration, id: string, saved?: Omit<SavedResource, "id">) => {
    const old = openSaved({ outputs: {}, inputs: {}, ...saved, id });
    const read = async (resource: PluginResource, options: CoreOptions) => {
      const found = await resource.read(old, options);
      return found && encloseSaved(found);
    };
    return this.operate(registration, [old.outputs, old.inputs], read, saved && { timeout: "read" });
  };

  preview = (registration: Registration, saved: SavedResource | undefined, inputs: Properties) => {
    const [old, news] = [saved && openSaved(saved), open(inputs)];
    const preview = async (resource: PluginResource, options: CoreOptions) =>
      encloseSecrets(resource.preview(old, news, options)) as Properties;
    const properties = [...(old ? [old.outputs, old.inputs] : []), news];
    return this.operate(registration, properties, preview, { isToldIgnored: old !== undefined });
  };

  import = (registration: Registration, id: string) =>
    this.operate(registration, [], async (resource, options) => encloseSaved(await resource.import(id, options)), {
      timeout: "read",
    });

  update = (registration: Registration, saved: SavedResource, inputs: Properties) => {
    const [old, news] = [openSaved(saved), open(inputs)];
    const update = async (resource: PluginResource, options: CoreOptions) =>
      encloseSecrets(await resource.update(old, news, options)) as Properties;
    return this.operate(registration, [old.outputs, old.inputs, news], update, {
      timeout: "update",
      isToldIgnored: true,
    });
  };

  delete = (registration: Registration, saved: SavedResource) => {
    const old = openSaved(saved);
    const remove = (resource: PluginResource, options: CoreOptions) => resource.delete(old, options);
    return this.operate(registration, [old.outputs, old.inputs], remove, { timeout: "delete" });
  };

  cancel(): void {
    void this.deployment.clock.cancel();
  }
}

const open = (properties: Properties): Marked => openSecrets(copy(properties));

const openSaved = ({ id, outputs, inputs }: SavedResource): Saved => ({
  id,
  outputs: open(outputs),
  inputs: open(inputs),
});

const encloseSaved = ({ id, outputs, inputs }: Saved): SavedResource => ({
  id,
  outputs: encloseSecrets(outputs) as Properties,
  inputs: encloseSecrets(inputs) as Properties,
});
