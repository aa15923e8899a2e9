/** Commands, as the engine manages them: there is nothing to read, import or delete. */

import type { JsonObject } from "../base/json";
import { CommandProvider } from "../core/commandProvider";
import { ProviderError } from "../core/errors";
import type { Options } from "../core/options";
import { previewCreate } from "../core/plan/preview";
import { managedKey } from "../core/state";
import type { CommandDefinition } from "../definitions/definition";
import { toOutputs } from "../definitions/fields/field";
import { PluginResource, type Saved } from "./pluginResource";

export class CommandResource extends PluginResource<CommandDefinition> {
  private readonly provider = new CommandProvider(this.definition, this.deployment);

  async check(olds: JsonObject, news: JsonObject, options: Options) {
    return this.checked(await this.provider.check(undefined, this.args(news)), [olds, news], options);
  }

  async diff({ id, outputs }: Saved, news: JsonObject, options: Options) {
    const diff = await this.provider.diff(this.provider.parseState(id, outputs), this.args(news), options);
    return { ...diff, hasChanges: diff.needsCall };
  }

  async create(inputs: JsonObject, options: Options) {
    const create = () => this.provider.create(this.args(inputs), options);
    const state = await this.withOutputs(create, this.outputs);
    return { id: state.id, outputs: this.outputs(this.provider.toProperties(state)) };
  }

  async update({ id, outputs }: Saved, news: JsonObject, options: Options): Promise<JsonObject> {
    const update = () => this.provider.update(this.provider.parseState(id, outputs), this.args(news), options);
    return this.outputs(this.provider.toProperties(await this.withOutputs(update, this.outputs)));
  }

  preview(_: Saved | undefined, news: JsonObject): JsonObject {
    return toOutputs(this.definition.fields, previewCreate(this.definition, this.args(news)));
  }

  async read(old: Saved): Promise<Saved> {
    return Object.keys(old.outputs).length > 0 ? old : this.import(old.id);
  }

  async import(id: string): Promise<Saved> {
    const { type } = this.definition;
    throw new ProviderError(`${type} ${id} cannot be imported or read: the service keeps nothing of a command.`);
  }

  async delete(): Promise<void> {}

  private outputs = ({ [managedKey]: _, ...properties }: JsonObject): JsonObject =>
    toOutputs(this.definition.fields, properties);
}
