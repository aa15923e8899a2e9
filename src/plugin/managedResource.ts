/** Objects and modules, as the engine manages them. */

import type { JsonObject } from "../base/json";
import type { Options } from "../core/options";
import { previewCreate } from "../core/plan/preview";
import { ResourceProvider } from "../core/resourceProvider";
import { importedKey, isImported, type State } from "../core/state";
import type { Definition } from "../definitions/definition";
import { type Field, toOutputs } from "../definitions/fields/field";
import { PluginResource, type Saved } from "./pluginResource";
import { adoptClientOnly, outputsOf, parseSaved, unfinishedNames } from "./savedState";

export class ManagedResource extends PluginResource<Definition> {
  private readonly provider = new ResourceProvider(this.definition, this.deployment);
  /** The ids that this deployment has imported, by the resource's key. */
  private readonly imports = new Map<string, string>();

  async check(olds: JsonObject, news: JsonObject, options: Options) {
    const old = Object.keys(olds).length > 0 ? this.args(olds) : undefined;
    const checked = await this.provider.check(old, this.args(news), this.importOptions(olds, options));
    return this.checked(checked, [olds, news], options);
  }

  async diff(old: Saved, news: JsonObject, options: Options) {
    const importOptions = this.importOptions(old.inputs, options);
    const diff = await this.provider.diff(this.before(old, news), this.args(news), importOptions);
    // An unfinished update may have nothing left to send. Its record must be removed nevertheless.
    const isUnfinished = unfinishedNames(this.definition, old.outputs, news).length > 0;
    return {
      ...diff,
      // A change only of what is managed is no update: the engine keeps the inputs, which say it. The classes differ.
      // Only an update records, in the import's own run, what the program declares: otherwise the next one does.
      hasChanges: diff.needsCall || diff.needsRecord || isUnfinished || importOptions.isImport === true,
    };
  }

  async create(inputs: JsonObject, options: Options) {
    const outputs = this.outputs(inputs);
    const state = await this.withOutputs(() => this.provider.create(this.args(inputs), options), outputs);
    return { id: state.id, outputs: outputs(this.provider.toProperties(state)) };
  }

  async update(old: Saved, news: JsonObject, options: Options): Promise<JsonObject> {
    const outputs = this.outputs(news);
    const update = () => this.provider.update(this.before(old, news), this.args(news), options);
    return outputs(this.provider.toProperties(await this.withOutputs(update, outputs)));
  }

  preview(old: Saved | undefined, news: JsonObject, options: Options): JsonObject {
    const { definition, provider } = this;
    const args = this.args(news);
    if (!old) return previewCreate(definition, args);
    return toOutputs(definition.fields, provider.previewUpdate(this.before(old, news), args, options));
  }

  async read({ id, outputs, inputs }: Saved, options: Options): Promise<Saved | undefined> {
    if (Object.keys(outputs).length === 0) return this.readUnmanaged(id, options);
    const { [importedKey]: imported, ...declared } = inputs;
    const found = await this.provider.read(id, this.state({ id, outputs, inputs: declared }), options);
    if (!found) return undefined;
    return {
      id,
      // Whatever is managed and exists is among the inputs, even after an unfinished update.
      outputs: this.outputs(found.inputs)(this.provider.toProperties({ ...found.state, managed: [] })),
      inputs: { ...found.inputs, ...(isImported(inputs) && { [importedKey]: imported! }) },
    };
  }

  /** `pulumi do` changes the inputs, which `get` ignores. */
  private async readUnmanaged(id: string, options: Options): Promise<Saved> {
    const { values, args } = await this.provider.readUnmanaged("read", id, options);
    return { id, outputs: toOutputs(this.definition.fields, values), inputs: args };
  }

  async import(id: string, options: Options): Promise<Saved> {
    const { definition, deployment } = this;
    const { values, args, omissions } = await this.provider.readUnmanaged("import", id, options);
    const hidden = Object.entries<Field>(definition.fields).filter(([name, { writeOnly }]) => writeOnly && !args[name]);
    for (const reason of omissions) await deployment.warn(`Not imported: ${reason}.`, options);
    for (const [name] of hidden) {
      await deployment.warn(
        `${name} is not imported, because the service does not return it. If it is set, declare it in the program.`,
        options,
      );
    }
    this.imports.set(options.key, id);
    return { id, outputs: toOutputs(definition.fields, values), inputs: { ...args, [importedKey]: true } };
  }

  async delete(old: Saved, options: Options): Promise<void> {
    await this.provider.delete(this.state(old), options);
  }

  /** The options of a resource with these old inputs, which this deployment may have imported. */
  private importOptions(olds: JsonObject, options: Options): Options {
    const importId = isImported(olds) ? this.imports.get(options.key) : undefined;
    return importId === undefined ? options : { ...options, importId, isImport: true };
  }

  private state = ({ id, outputs, inputs }: Saved): State => parseSaved(this.definition, id, outputs, inputs);

  /** The state before these inputs are applied. */
  private before(old: Saved, news: JsonObject): State {
    return isImported(old.inputs)
      ? adoptClientOnly(this.definition, this.state(old), this.args(news))
      : this.state(old);
  }

  /** The outputs of a resource with these inputs. */
  private outputs = (inputs: JsonObject) => (properties: JsonObject) => outputsOf(this.definition, properties, inputs);
}
