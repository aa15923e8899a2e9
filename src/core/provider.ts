/** What the engine asks of a resource type: the provider of objects and modules implements it, and that of commands. */

import type { JsonObject } from "../base/json";
import type { Options } from "./options";
import type { Diff } from "./plan/diff";

/** `Recorded` is what the provider reads from a state's properties. Its callers know only the id. */
export interface Provider<Recorded extends { id: string } = { id: string }> {
  /** What is wrong with the arguments; or the arguments, in the form in which they were declared before. */
  check(
    old: JsonObject | undefined,
    args: JsonObject,
    options: Options,
  ): Promise<{ args: JsonObject; problems: string[] }>;
  diff(state: Recorded, args: JsonObject, options: Options): Promise<Diff>;
  create(args: JsonObject, options: Options): Promise<Recorded>;
  update(state: Recorded, args: JsonObject, options: Options): Promise<Recorded>;
  /** Undefined for a managed object that was deleted. */
  read(id: string, state: Recorded | undefined, options: Options): Promise<Found<Recorded> | undefined>;
  /** An existing object that no state has: its outputs, and the smallest set of arguments that declares it. */
  readUnmanaged(kind: "read" | "import", id: string, options: Options): Promise<Declaration>;
  delete(state: Recorded, options: Options): Promise<void>;
  /** The outputs after a create, or after an update of what the state has, as far as they are known. */
  preview(state: Recorded | undefined, args: JsonObject, options: Options): JsonObject;
  /** The state with these properties. */
  parse(id: string, properties: JsonObject): Recorded;
  /** The properties of a state. */
  properties(state: Recorded): JsonObject;
}

/** A resource as the service has it. */
export interface Found<Recorded> {
  state: Recorded;
  /** Undefined for what cannot be read: all stays as the state has it. */
  inputs?: JsonObject;
}

export interface Declaration {
  values: JsonObject;
  args: JsonObject;
  /** Why arguments are left out: values that no program can declare. */
  omissions: string[];
}
