/**
 * The provider of a resource type, as Pulumi's dynamic provider host calls it: properties have hidden inputs and names of
 * secrets. They are taken off before the core is asked, and put on again on everything that leaves. The host gives `diff`,
 * `update`, `read` and `delete` the outputs in the state, never the old inputs.
 */

import { equal, type JsonObject } from "../../base/json";
import { createProvider, executeWrite } from "../../core/adapters";
import { parseArgs, pathsOf, withDeclared } from "../../core/arguments";
import type { Deployment } from "../../core/deployment/deployment";
import type { Diff } from "../../core/plan/diff";
import type { Provider } from "../../core/provider";
import { becomesSecret, encloseSecrets, type Marked, markOutputs, namedSecrets } from "../../core/secrets";
import { internalProperties, isImported, managedKey, parseNames } from "../../core/state";
import { describeInvalidTimeout } from "../../core/timeouts";
import type { CommandDefinition, Definition } from "../../definitions/definition";
import { hiddenInputs, transientInputs } from "../hiddenInputs";
import { type HostConfig, hostDeployment } from "./hostDeployment";
import { toHostError } from "./hostError";
import { InputComparisons } from "./inputComparisons";
import {
  declaredIn,
  markWhole,
  nameInput,
  parseOptions,
  persistedInputs,
  recordedPlain,
  secretsInput,
} from "./properties";

/** Whether the plugin managed the resource with these inputs or outputs, or the resource is new and has none. */
const isFromPlugin = (properties: JsonObject) => properties[hiddenInputs.provider] === undefined;

/** What the host understands: with `undefined`, the engine compares the inputs itself, and shows what differs. */
const hostChanges = { same: false, changed: true, compare: undefined };

export class HostProvider {
  /** Both are set in `configure`, which the host calls first. */
  private provider!: Provider;
  private deployment!: Deployment;
  private readonly comparisons = new InputComparisons();

  constructor(
    private readonly definition: Definition | CommandDefinition,
    private readonly deploymentFor = hostDeployment,
  ) {}

  /** Synchronous, because the host does not wait for it. */
  configure({ config }: { config: HostConfig }): void {
    this.deployment = this.deploymentFor(config);
    this.provider = createProvider(this.definition, this.deployment);
  }

  async check(olds: JsonObject, news: JsonObject) {
    this.deployment.informsOfPlans = news[hiddenInputs.preview] === true;
    const inputs = Object.fromEntries(Object.entries(news).filter(([name]) => !transientInputs.includes(name)));
    const old = Object.keys(olds).length > 0 ? this.args(olds) : undefined;
    const { args, problems } = await this.run(olds, news, async () => {
      const options = this.options(news);
      const checked = await this.provider.check(old, this.args(inputs), options);
      const timeout = describeInvalidTimeout(options.resource, options.timeouts);
      const problems = [...checked.problems, ...(timeout ? [timeout] : [])];
      return { ...checked, problems: await this.deployment.formatProblems(problems) };
    });
    // The engine prints the value of a property that a failure names, secret or not: the reason names it instead.
    if (problems.length > 0) return { inputs: news, failures: problems.map((reason) => ({ property: "", reason })) };
    const checked = { ...internalProperties(inputs), ...this.movedInputs(olds), ...args };
    this.comparisons.compare(olds, checked);
    return { inputs: checked, failures: [] };
  }

  async diff(id: string, olds: JsonObject, news: JsonObject) {
    const diff = await this.run(olds, news, () =>
      this.provider.diff(this.state(id, olds, news), this.args(news), this.options(news)),
    );
    const { replaces, deleteBeforeReplace } = diff;
    return { changes: hostChanges[this.compare(olds, news, diff)], replaces, deleteBeforeReplace };
  }

  async create(inputs: JsonObject): Promise<{ id: string; outs: JsonObject }> {
    return this.write({}, inputs, () => this.provider.create(this.args(inputs), this.options(inputs)));
  }

  async update(id: string, olds: JsonObject, news: JsonObject): Promise<{ outs: JsonObject }> {
    const { outs } = await this.write(olds, news, () =>
      this.provider.update(this.state(id, olds, news), this.args(news), this.options(news)),
    );
    return { outs };
  }

  async read(id: string, properties: JsonObject): Promise<{ id?: string; props?: JsonObject; inputs?: JsonObject }> {
    const state = properties[managedKey] === undefined ? undefined : this.provider.parse(id, properties);
    const found = await this.run({}, properties, () => this.provider.read(id, state, this.options(properties)));
    if (!found) return {};
    if (!found.inputs) return { id, props: properties };
    const values = this.provider.properties(found.state);
    const props = this.outputs(values, properties, recordedPlain(state ? properties : values), properties);
    const inputs = encloseSecrets({ values: found.inputs, marks: namedSecrets(props.values) });
    return {
      id,
      props: encloseSecrets(props),
      inputs: { ...nameInput(properties), ...secretsInput(props.values, inputs), ...inputs },
    };
  }

  async delete(id: string, properties: JsonObject): Promise<void> {
    await this.run({}, properties, () =>
      this.provider.delete(this.provider.parse(id, properties), this.options(properties)),
    );
  }

  private args = (inputs: JsonObject) => parseArgs(this.definition.fields, inputs);

  private options = (properties: JsonObject) => parseOptions(this.definition.type, properties);

  /**
   * The declarations of the plugin's program, for a resource with these old inputs. The plugin's outputs do not have
   * them, and only check gets the old inputs.
   */
  private movedInputs(olds: JsonObject): JsonObject {
    if (!isFromPlugin(olds) || isImported(olds)) return {};
    const paths = pathsOf(this.definition.fields, this.args(olds));
    return paths.length > 0 ? { [hiddenInputs.declared]: paths.join(" ") } : {};
  }

  /** The state before these inputs are applied. */
  private state(id: string, olds: JsonObject, news: JsonObject) {
    // After the move, the old inputs still have the names, and a refresh compares with them.
    const declared = isFromPlugin(olds) ? parseNames(news[hiddenInputs.declared]) : [];
    return this.provider.parse(id, declared.length > 0 ? withDeclared(olds, declared) : olds);
  }

  /** Whether the resource changes, or may: then the engine compares the inputs. */
  private compare(olds: JsonObject, news: JsonObject, diff: Diff): keyof typeof hostChanges {
    // The host reads and deletes only what records its provider.
    if (isFromPlugin(olds)) return "changed";
    // The outputs record what is managed, so that a change of it alone is an update. In the plugin, the inputs do.
    if (!diff.needsCall && diff.updates.length === 0) {
      const [before, after] = [olds, news].map((inputs) => this.persisted(inputs)[hiddenInputs.timeouts]);
      const isRecordChanged =
        !equal(before, after) || becomesSecret(this.definition, marked(olds), this.declared(news));
      return isRecordChanged ? "changed" : "same";
    }
    // If the engine compares by itself, it would replace a resource whose argument is only written in another form.
    if (diff.replaces.length === 0 && news[hiddenInputs.replaceOnChanges] !== undefined) return "changed";
    return this.comparisons.isComparable(news) ? "compare" : "changed";
  }

  /** What the program declares in these inputs. */
  private declared = (news: JsonObject) => declaredIn(this.args(news), news, this.options(news));

  /** Runs a create or an update. Nothing was ignored in what is new. */
  private async write(olds: JsonObject, news: JsonObject, work: () => Promise<{ id: string }>) {
    const isNew = Object.keys(olds).length === 0;
    const declared = isNew ? { ...marked(news), values: this.args(news) } : this.declared(news);
    const toOutputs = (properties: JsonObject) => this.outputs(properties, news, declared, olds);
    const { id, outputs } = await this.run(olds, news, () => executeWrite(this.provider, work, toOutputs));
    return { id, outs: encloseSecrets(outputs) };
  }

  /** The outputs of a state, given by its properties, with what it keeps of the hidden inputs in `source`. */
  private outputs(properties: JsonObject, source: JsonObject, declared: Marked, before: JsonObject): Marked {
    const values = { ...properties, ...this.persisted(source) };
    return markWhole(markOutputs(this.definition, values, declared, namedSecrets(before)));
  }

  /** What the outputs keep of the hidden inputs. A command is neither read nor deleted, for which the options are. */
  private persisted = (source: JsonObject): JsonObject => ({
    [hiddenInputs.provider]: source[hiddenInputs.provider]!,
    ...(this.definition.kind !== "command" && persistedInputs(source)),
  });

  /** Runs an operation on a resource, which has or gets these properties. */
  private async run<T>(olds: JsonObject, news: JsonObject, work: () => Promise<T>): Promise<T> {
    try {
      return await this.deployment.operate(this.definition, [olds, news].map(marked), work);
    } catch (error) {
      throw toHostError(error as Error);
    }
  }
}

const marked = (values: JsonObject): Marked => ({ values, marks: namedSecrets(values) });
