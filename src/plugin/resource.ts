/** What the engine calls for a resource, with properties in place of messages. */

import { PartialFailure, ProviderError } from "../core/errors";
import type { Options } from "../core/options";
import type { Diff } from "../core/plan/diff";
import type { Definition } from "../definitions/definition";
import type { Field } from "../definitions/fields";
import type { JsonObject } from "../json";

/** A resource as the engine's state has it. */
export interface Saved {
  id: string;
  outputs: JsonObject;
  inputs: JsonObject;
}

export interface Resource {
  /** The names of the properties that are always secrets. */
  readonly secrets: string[];
  check(olds: JsonObject, news: JsonObject, options: Options): Promise<{ inputs: JsonObject; problems: string[] }>;
  diff(old: Saved, news: JsonObject, options: Options): Promise<Diff & { hasChanges: boolean }>;
  create(inputs: JsonObject, options: Options): Promise<Omit<Saved, "inputs">>;
  update(old: Saved, news: JsonObject, options: Options): Promise<JsonObject>;
  /** The outputs of a create or, of what the state has, of an update, as far as they are known. */
  preview(old: Saved | undefined, news: JsonObject, options: Options): JsonObject;
  /** Undefined if it was deleted. */
  read(old: Saved, options: Options): Promise<Saved | undefined>;
  import(id: string, options: Options): Promise<Saved>;
  delete(old: Saved, options: Options): Promise<void>;
}

/** An operation failed halfway: the engine saves these outputs, and the next `pulumi up` continues. */
export class SavedFailure extends ProviderError {
  constructor(
    message: string,
    readonly id: string,
    readonly outputs: JsonObject,
    readonly secrets: string[],
  ) {
    super(message);
  }
}

/** Turns the properties of a partial failure into outputs. */
export async function withOutputs<T>(
  work: () => Promise<T>,
  toOutputs: (properties: JsonObject) => JsonObject,
  secrets: string[],
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PartialFailure)) throw error;
    throw new SavedFailure(error.message, error.id, toOutputs(error.properties), secrets);
  }
}

export const secretNames = ({ fields, computed }: Pick<Definition, "fields" | "computed">): string[] =>
  [...Object.entries<Pick<Field, "secret">>(fields), ...Object.entries(computed)]
    .filter(([, { secret }]) => secret)
    .map(([name]) => name);
