/** What the engine calls for a resource, with properties in place of messages. */

import { equal, type JsonObject } from "../base/json";
import { nameOf } from "../base/quote";
import type { Deployment } from "../core/deployment/deployment";
import { PartialFailure, ProviderError } from "../core/errors";
import type { Options } from "../core/options";
import type { Diff } from "../core/plan/diff";
import type { Marked } from "../core/secrets";
import { internalProperties, parseArgs } from "../core/state";
import type { CommandDefinition, Definition } from "../definitions/definition";

/** A resource as the engine's state has it. */
export interface Saved {
  id: string;
  outputs: JsonObject;
  inputs: JsonObject;
}

export abstract class PluginResource<D extends Definition | CommandDefinition = Definition | CommandDefinition> {
  constructor(
    readonly definition: D,
    protected readonly deployment: Deployment,
  ) {}

  abstract check(olds: JsonObject, news: JsonObject, options: Options): Promise<Checked>;
  abstract diff(old: Saved, news: JsonObject, options: Options): Promise<Diff & { hasChanges: boolean }>;
  abstract create(inputs: JsonObject, options: Options): Promise<Omit<Saved, "inputs">>;
  abstract update(old: Saved, news: JsonObject, options: Options): Promise<JsonObject>;
  /** The outputs of a create, or of an update of what the state has, as far as they are known. */
  abstract preview(old: Saved | undefined, news: JsonObject, options: Options): JsonObject;
  /** Undefined if it was deleted. */
  abstract read(old: Saved, options: Options): Promise<Saved | undefined>;
  abstract import(id: string, options: Options): Promise<Saved>;
  abstract delete(old: Saved, options: Options): Promise<void>;

  protected args = (inputs: JsonObject): JsonObject => parseArgs(this.definition.fields, inputs);

  protected async checked(
    { args, problems }: { args: JsonObject; problems: string[] },
    [olds, news]: [JsonObject, JsonObject],
    options: Options,
  ) {
    const all = [...internalProblems(olds, news), ...problems];
    return { inputs: args, problems: await this.deployment.formatProblems(all, options) };
  }

  /** Turns the properties of a partial failure into outputs. */
  protected async withOutputs<T>(
    work: () => Promise<T>,
    toOutputs: (properties: JsonObject) => JsonObject,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PartialFailure)) throw error;
      throw new SavedFailure(error.message, error.id, { values: toOutputs(error.properties) });
    }
  }
}

/** What begins with `__` is the provider's own, unless the engine has copied it from the old inputs. */
const internalProblems = (olds: JsonObject, news: JsonObject): string[] =>
  Object.entries(internalProperties(news))
    .filter(([name, value]) => !equal(olds[name], value))
    .map(([name]) => `${nameOf([name])} is not an argument. Remove it.`);

export interface Checked {
  inputs: JsonObject;
  problems: string[];
}

/** An operation failed halfway: the engine saves these outputs, and the next `pulumi up` continues. */
export class SavedFailure extends ProviderError {
  constructor(
    message: string,
    readonly id: string,
    public outputs: Marked,
  ) {
    super(message);
  }
}
