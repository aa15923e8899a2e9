/**
 * The dynamic provider over gRPC: Pulumi's own dynamic provider host, with the serialized provider that is in every
 * state, without the CLI.
 */
import { join } from "node:path";
import { PooledProvider, type ProviderOptions } from "./pooledProvider";
import { OperationError, type Properties, type Registration, type SavedObject, type TestedProvider } from "./provider";
import type { ProviderProcess } from "./providerProcess";
import { withHiddenInputs } from "./registration";

const dynamicProviderHost = require.resolve("@pulumi/pulumi/cmd/dynamic-provider");

/** How many runs each process has served. */
const runs = new WeakMap<ProviderProcess, number>();

export class Host extends PooledProvider implements TestedProvider {
  readonly kind = "dynamic";
  private run = 0;

  static script = ({ sdk }: ProviderOptions) => (sdk ? join(sdk, "cmd/dynamic-provider") : dynamicProviderHost);

  async startNewRun(): Promise<void> {
    this.run = (runs.get(this.process) ?? 0) + 1;
    runs.set(this.process, this.run);
    await this.process.configure(undefined, this.options.config ?? {});
  }

  async check(resource: Registration, olds: Properties, args: Properties) {
    const news = withHiddenInputs(resource, args);
    const { inputs, failures } = await this.process.check({}, this.encode(olds), this.encode(news));
    return { inputs: this.decode(inputs), failures };
  }

  diff(_: Registration, { id, outputs }: SavedObject, inputs: Properties) {
    return this.process.diff({}, { id, outputs: this.encode(outputs) }, this.encode(inputs));
  }

  create(_: Registration, inputs: Properties): Promise<SavedObject> {
    return this.decodeResult(this.process.create({}, this.encode(inputs)));
  }

  read(resource: Registration, id: string, old?: { outputs: Properties }) {
    const props = old?.outputs ?? withHiddenInputs(resource, {});
    return this.decodeResult(this.process.read({}, { id, outputs: this.encode(props) }));
  }

  async update(_: Registration, { id, outputs }: SavedObject, inputs: Properties): Promise<Properties> {
    const updating = this.process.update({}, { id, outputs: this.encode(outputs) }, this.encode(inputs));
    return (await this.decodeResult(updating.then((updated) => ({ id, outputs: updated })))).outputs;
  }

  delete(_: Registration, { id, outputs }: SavedObject): Promise<void> {
    return this.process.delete({}, { id, outputs: this.encode(outputs) });
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

/**
 * The text of a provider that, in a new run, first replaces `hostDeployment`, which keeps the last run's deployment: it
 * is a module of its own among those from which the host's one file is made.
 */
const reload = (run: number, text: string) => `
  if (globalThis.run !== ${run}) {
    globalThis.run = ${run};
    process.setMaxListeners(0); // each run adds those of a process of its own
    const bundle = require.resolve("pulumi-tunnel-edge/host");
    const host = require("node:path").join(bundle, "../dynamic/host");
    require(host + "/index");
    require.cache[bundle] = require.cache[require.resolve(host + "/index")];
    require(host + "/../../base/clock").systemTime.reset?.();
    const file = require.resolve(host + "/hostDeployment");
    const imported = require(file);
    const { [file]: cached } = require.cache;
    delete require.cache[file];
    Object.assign(imported, require(file));
    require.cache[file] = cached; // the exports that the package's other modules have imported
  }
  ${text}`;
