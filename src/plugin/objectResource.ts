/** Objects and modules, as the engine manages them. */

import type { Deployment } from "../core/deployment/deployment";
import type { Options } from "../core/options";
import { previewCreate } from "../core/plan/preview";
import { ResourceProvider } from "../core/resourceProvider";
import { parseArgs, type State } from "../core/state";
import type { Definition } from "../definitions/definition";
import { type Field, toOutputs } from "../definitions/fields";
import type { JsonObject } from "../json";
import { type Resource, type Saved, secretNames, withOutputs } from "./resource";
import { adoptClientOnly, importedKey, isImported, outputsOf, parseState, unfinishedNames } from "./state";

export class ObjectResource implements Resource {
  readonly secrets: string[];
  private readonly provider: ResourceProvider;

  constructor(
    private readonly definition: Definition,
    private readonly deployment: Deployment,
  ) {
    this.secrets = secretNames(definition);
    this.provider = new ResourceProvider(definition, deployment);
  }

  async check(olds: JsonObject, news: JsonObject, options: Options) {
    const old = Object.keys(olds).length > 0 ? this.args(olds) : undefined;
    const { args, problems } = await this.provider.check(old, this.args(news), options);
    return { inputs: args, problems: problems.map(this.deployment.redaction.format) };
  }

  async diff(old: Saved, news: JsonObject, options: Options) {
    const diff = await this.provider.diff(this.before(old, news), this.args(news), options);
    // Nothing may be left to send of what an update left unfinished; the record of it must go nevertheless.
    return { ...diff, hasChanges: diff.needsCall || unfinishedNames(this.definition, old.outputs, news).length > 0 };
  }

  async create(inputs: JsonObject, options: Options) {
    const state = await this.withOutputs(inputs, () => this.provider.create(this.args(inputs), options));
    return { id: state.id, outputs: this.outputs(this.provider.toProperties(state), inputs) };
  }

  async update(old: Saved, news: JsonObject, options: Options): Promise<JsonObject> {
    const update = () => this.provider.update(this.before(old, news), this.args(news), options);
    return this.outputs(this.provider.toProperties(await this.withOutputs(news, update)), news);
  }

  preview(old: Saved | undefined, news: JsonObject, options: Options): JsonObject {
    const { definition, provider } = this;
    const args = this.args(news);
    if (!old) return previewCreate(definition, args);
    return toOutputs(definition.fields, provider.previewUpdate(this.before(old, news), args, options));
  }

  async read({ id, outputs, inputs }: Saved, options: Options): Promise<Saved | undefined> {
    const { [importedKey]: imported, ...declared } = inputs;
    const isKnown = Object.keys(outputs).length > 0;
    const state = isKnown ? this.state({ id, outputs, inputs: declared }) : undefined;
    const found = await this.provider.read(id, state, options);
    if (!found) return undefined;
    return {
      id,
      // What is managed and exists is among the inputs, unfinished or not.
      outputs: this.outputs(this.provider.toProperties({ ...found.state, managed: [] }), found.inputs),
      inputs: { ...found.inputs, ...(isImported(inputs) && { [importedKey]: imported! }) },
    };
  }

  async import(id: string, options: Options): Promise<Saved> {
    const { definition, deployment } = this;
    const { values, args, omissions } = await this.provider.readForImport(id);
    const hidden = Object.entries<Field>(definition.fields).filter(([name, { writeOnly }]) => writeOnly && !args[name]);
    for (const reason of omissions) await deployment.warn(`Not imported: ${reason}.`, options);
    for (const [name] of hidden) {
      await deployment.warn(
        `${name} is not imported, because the service does not return it. If it is set, declare it in the program.`,
        options,
      );
    }
    return { id, outputs: toOutputs(definition.fields, values), inputs: { ...args, [importedKey]: true } };
  }

  async delete(old: Saved, options: Options): Promise<void> {
    await this.provider.delete(this.state(old), options);
  }

  private args = (inputs: JsonObject) => parseArgs(this.definition.fields, inputs);

  private state = ({ id, outputs, inputs }: Saved): State => parseState(this.definition, id, outputs, inputs);

  /** The state before these inputs are applied. */
  private before(old: Saved, news: JsonObject): State {
    return isImported(old.inputs)
      ? adoptClientOnly(this.definition, this.state(old), this.args(news))
      : this.state(old);
  }

  private outputs = (properties: JsonObject, inputs: JsonObject) => outputsOf(this.definition, properties, inputs);

  private withOutputs = <T>(inputs: JsonObject, work: () => Promise<T>): Promise<T> =>
    withOutputs(work, (properties) => this.outputs(properties, inputs), this.secrets);
}
