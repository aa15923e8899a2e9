/**
 * The provider of a resource type, as Pulumi's dynamic provider host calls it. The host gives `diff`, `update`, `read`
 * and `delete` the outputs in the state, never the old inputs.
 */

import { equal, type JsonObject } from "../../base/json";
import type { CommandState } from "../../core/agents/progress";
import { CommandProvider } from "../../core/commandProvider";
import type { Deployment } from "../../core/deployment/deployment";
import type { Options } from "../../core/options";
import type { Diff } from "../../core/plan/diff";
import { ResourceProvider } from "../../core/resourceProvider";
import { becomesSecret, encloseSecrets, type Marked, namedSecrets, type SecretMarks } from "../../core/secrets";
import {
  internalProperties,
  isImported,
  managedKey,
  parseArgs,
  parseNames,
  pathsOf,
  type State,
  withDeclared,
} from "../../core/state";
import { describeInvalidTimeout } from "../../core/timeouts";
import type { CommandDefinition, Definition } from "../../definitions/definition";
import { hiddenInputs, transientInputs } from "../hiddenInputs";
import type { HostConfig } from "./config";
import { hostDeployment } from "./hostDeployment";
import { toHostError } from "./hostError";
import { InputComparisons } from "./inputComparisons";
import { nameInput, parseOptions, persistedInputs, persistedTimeouts } from "./options";
import { declaredIn, encloseOutputs, recordedPlain, secretsInput } from "./secrets";

/** Whether the plugin managed the resource with these inputs or outputs, or the resource is new and has none. */
const isOfPlugin = (properties: JsonObject) => properties[hiddenInputs.provider] === undefined;

/** What the engine calls, for resources and for commands. */
interface Provider<S> {
  parseState(id: string, properties: JsonObject): S;
  toProperties(state: S): JsonObject;
  check(
    old: JsonObject | undefined,
    args: JsonObject,
    options: Options,
  ): Promise<{ args: JsonObject; problems: string[] }>;
  diff(state: S, args: JsonObject, options: Options): Promise<Diff>;
  create(args: JsonObject, options: Options): Promise<S>;
  update(state: S, args: JsonObject, options: Options): Promise<S>;
}

abstract class HostProvider<S extends { id: string }, P extends Provider<S>> {
  protected provider!: P;
  private deployment!: Deployment;
  private readonly comparisons = new InputComparisons();

  constructor(
    protected readonly definition: Definition | CommandDefinition,
    private readonly createProvider: (deployment: Deployment) => P,
    private readonly deploymentFor: (config: HostConfig) => Deployment,
  ) {}

  /** Synchronous, because the host does not wait for it. */
  configure({ config }: { config: HostConfig }): void {
    this.deployment = this.deploymentFor(config);
    this.provider = this.createProvider(this.deployment);
  }

  /** What the state keeps of the options, which are in `source`. */
  protected abstract persistedOptions(source: JsonObject): JsonObject;
  /** Hidden inputs for a resource whose old inputs these are, if it moves from the plugin to the classes. */
  protected abstract movedInputs(olds: JsonObject): JsonObject;
  /** The state before these inputs are applied. */
  protected abstract stateBefore(id: string, olds: JsonObject, news: JsonObject): S;
  /** Whether the resource changes. Undefined means that it does, and that the engine compares the inputs to show how. */
  protected abstract hasChanges(olds: JsonObject, news: JsonObject, diff: Diff): boolean | undefined;

  async check(olds: JsonObject, news: JsonObject) {
    this.deployment.announcesPlans = news[hiddenInputs.preview] === true;
    const inputs = Object.fromEntries(Object.entries(news).filter(([name]) => !transientInputs.includes(name)));
    const old = Object.keys(olds).length > 0 ? this.parseArgs(olds) : undefined;
    const { args, problems } = await this.runOperation(olds, news, async () => {
      const options = this.options(news);
      const checked = await this.provider.check(old, this.parseArgs(inputs), options);
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
    const diff = await this.runOperation(olds, news, () =>
      this.provider.diff(this.stateBefore(id, olds, news), this.parseArgs(news), this.options(news)),
    );
    const { replaces, deleteBeforeReplace } = diff;
    // The host reads and deletes only what records its provider.
    const changes = isOfPlugin(olds) || this.hasChanges(olds, news, diff);
    return { changes: changes === false ? this.becomesSecret(olds, news) : changes, replaces, deleteBeforeReplace };
  }

  async create(inputs: JsonObject): Promise<{ id: string; outs: JsonObject }> {
    const state = await this.runOperation({}, inputs, () =>
      this.provider.create(this.parseArgs(inputs), this.options(inputs)),
    );
    return { id: state.id, outs: this.outputs(this.provider.toProperties(state), {}, inputs) };
  }

  async update(id: string, olds: JsonObject, news: JsonObject): Promise<{ outs: JsonObject }> {
    const state = await this.runOperation(olds, news, () =>
      this.provider.update(this.stateBefore(id, olds, news), this.parseArgs(news), this.options(news)),
    );
    return { outs: this.outputs(this.provider.toProperties(state), olds, news) };
  }

  /** Whether inputs differ; undefined lets the engine compare them itself and show what differs. */
  protected someChanges = (news: JsonObject) => (this.comparisons.engineCanCompare(news) ? undefined : true);

  protected parseArgs = (inputs: JsonObject) => parseArgs(this.definition.fields, inputs);

  protected options = (properties: JsonObject) => parseOptions(this.definition.type, properties);

  private becomesSecret = (olds: JsonObject, news: JsonObject) =>
    becomesSecret(this.definition, { values: olds, marks: namedSecrets(olds) }, this.declared(news));

  /** What the program declares in these inputs. */
  private declared = (news: JsonObject) => declaredIn(this.parseArgs(news), news, this.options(news));

  /** The outputs after a create or an update, given by the state's properties. */
  private outputs(properties: JsonObject, olds: JsonObject, news: JsonObject): JsonObject {
    // Nothing was ignored in what is new.
    const isNew = Object.keys(olds).length === 0;
    const declared = isNew ? { values: this.parseArgs(news), marks: namedSecrets(news) } : this.declared(news);
    return this.enclose(properties, news, declared, namedSecrets(olds));
  }

  /** Outputs with what the state keeps of the options. */
  protected enclose(properties: JsonObject, source: JsonObject, declared: Marked, before?: SecretMarks): JsonObject {
    const values = { ...properties, ...this.persistedOptions(source) };
    return encloseOutputs(this.definition, values, declared, before);
  }

  /** Runs an operation on a resource, which has or gets these properties. */
  protected async runOperation<T>(olds: JsonObject, news: JsonObject, work: () => Promise<T>): Promise<T> {
    const properties = [olds, news].map((values) => ({ values, marks: namedSecrets(values) }));
    try {
      return await this.deployment.operate(this.definition, properties, work);
    } catch (error) {
      throw toHostError(error as Error, (partial) => ({
        ...this.outputs(partial, olds, news),
        [hiddenInputs.provider]: news[hiddenInputs.provider]!,
      }));
    }
  }
}

/** The provider of objects and modules. */
export class ResourceHostProvider extends HostProvider<State, ResourceProvider> {
  constructor(definition: Definition, deploymentFor = hostDeployment) {
    super(definition, (deployment) => new ResourceProvider(definition, deployment), deploymentFor);
  }

  async read(id: string, properties: JsonObject): Promise<{ id?: string; props?: JsonObject; inputs?: JsonObject }> {
    const state = properties[managedKey] === undefined ? undefined : this.provider.parseState(id, properties);
    const found = await this.runOperation({}, properties, () =>
      this.provider.read(id, state, this.options(properties)),
    );
    if (!found) return {};
    const values = this.provider.toProperties(found.state);
    const props = this.enclose(
      values,
      properties,
      recordedPlain(state ? properties : values),
      namedSecrets(properties),
    );
    const inputs = encloseSecrets({ values: found.inputs, marks: namedSecrets(props) });
    return { id, props, inputs: { ...nameInput(properties), ...secretsInput(props, inputs), ...inputs } };
  }

  async delete(id: string, properties: JsonObject): Promise<void> {
    await this.runOperation({}, properties, () =>
      this.provider.delete(this.provider.parseState(id, properties), this.options(properties)),
    );
  }

  protected persistedOptions(source: JsonObject): JsonObject {
    return persistedInputs(source);
  }

  /** The plugin's outputs do not say what is managed, and only check is given the old inputs. */
  protected movedInputs(olds: JsonObject): JsonObject {
    if (!isOfPlugin(olds) || isImported(olds)) return {};
    const paths = pathsOf(this.definition.fields, this.parseArgs(olds));
    return paths.length > 0 ? { [hiddenInputs.declared]: paths.join(" ") } : {};
  }

  protected stateBefore(id: string, olds: JsonObject, news: JsonObject): State {
    const state = this.provider.parseState(id, olds);
    // After the move, the old inputs still have the names, and a refresh compares with them.
    return isOfPlugin(olds) ? withDeclared(state, parseNames(news[hiddenInputs.declared])) : state;
  }

  /** The outputs record what is managed, so that a change of it alone is an update. In the plugin, the inputs do. */
  protected hasChanges(
    olds: JsonObject,
    news: JsonObject,
    { replaces, updates, needsCall }: Diff,
  ): boolean | undefined {
    if (!needsCall && updates.length === 0) {
      return !equal(persistedTimeouts(olds), persistedTimeouts(news));
    }
    // An engine that compares for itself would replace what is only declared in another form.
    if (replaces.length === 0 && news[hiddenInputs.replaceOnChanges] !== undefined) return true;
    return this.someChanges(news);
  }
}

/** The provider of commands. It has no `read` and no `delete`: without them the host leaves the state as it is. */
export class CommandHostProvider extends HostProvider<CommandState, CommandProvider> {
  constructor(definition: CommandDefinition, deploymentFor = hostDeployment) {
    super(definition, (deployment) => new CommandProvider(definition, deployment), deploymentFor);
  }

  protected persistedOptions(): JsonObject {
    return {};
  }

  protected movedInputs(): JsonObject {
    return {};
  }

  protected stateBefore(id: string, olds: JsonObject): CommandState {
    return this.provider.parseState(id, olds);
  }

  protected hasChanges(_: JsonObject, news: JsonObject, { updates }: Diff): boolean | undefined {
    return updates.length > 0 && this.someChanges(news);
  }
}
