/** Commands, as the engine manages them: there is nothing to read, import or delete. */

import { CommandProvider } from "../core/commandProvider";
import type { Deployment } from "../core/deployment/deployment";
import { ProviderError } from "../core/errors";
import type { Options } from "../core/options";
import { previewCreate } from "../core/plan/preview";
import { managedKey, parseArgs } from "../core/state";
import type { CommandDefinition } from "../definitions/definition";
import { toOutputs } from "../definitions/fields";
import type { JsonObject } from "../json";
import { type Resource, type Saved, secretNames, withOutputs } from "./resource";

export class CommandResource implements Resource {
  readonly secrets: string[];
  private readonly provider: CommandProvider;

  constructor(
    private readonly definition: CommandDefinition,
    private readonly deployment: Deployment,
  ) {
    this.secrets = secretNames(definition);
    this.provider = new CommandProvider(definition, deployment);
  }

  async check(_: JsonObject, news: JsonObject) {
    const { args, problems } = await this.provider.check(undefined, this.args(news));
    return { inputs: args, problems: problems.map(this.deployment.redaction.format) };
  }

  async diff({ id, outputs }: Saved, news: JsonObject, options: Options) {
    const diff = await this.provider.diff(this.provider.parseState(id, outputs), this.args(news), options);
    return { ...diff, hasChanges: diff.needsCall };
  }

  async create(inputs: JsonObject, options: Options) {
    const create = () => this.provider.create(this.args(inputs), options);
    const state = await withOutputs(create, this.outputs, this.secrets);
    return { id: state.id, outputs: this.outputs(this.provider.toProperties(state)) };
  }

  async update({ id, outputs }: Saved, news: JsonObject, options: Options): Promise<JsonObject> {
    const update = () => this.provider.update(this.provider.parseState(id, outputs), this.args(news), options);
    return this.outputs(this.provider.toProperties(await withOutputs(update, this.outputs, this.secrets)));
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

  private args = (inputs: JsonObject) => parseArgs(this.definition.fields, inputs);

  private outputs = ({ [managedKey]: _, ...properties }: JsonObject): JsonObject =>
    toOutputs(this.definition.fields, properties);
}
