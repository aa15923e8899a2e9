/** What diff returns for a plan: what changes, and whether that replaces the object. */

import { isObject, isUnset, type JsonObject } from "../../base/json";
import type { Definition, ObjectDefinition } from "../../definitions/definition";
import type { Value } from "../../definitions/fields/field";
import { type Options, requiresReplacement } from "../options";
import type { State } from "../state";
import type { Plan } from "./plan";

export interface Diff extends Pick<Plan, "replaces" | "updates"> {
  /** What differs from what the service has, in detail. */
  changes: Change[];
  /** Whether anything is sent. Otherwise only what is managed changes. */
  needsCall: boolean;
  /** Whether something starts or stops being ignored, which only the outputs record. */
  needsRecord: boolean;
  deleteBeforeReplace: boolean;
}

export interface Change {
  path: string[];
  action: "add" | "update" | "delete";
  replaces: boolean;
}

/** What differs, from the service's values to the desired ones, and whether that replaces the object. */
export function describeChanges(
  paths: string[][],
  replaces: string[],
  before: JsonObject,
  desired: JsonObject,
): Change[] {
  return paths.map((path) => {
    const [old, next] = [before, desired].map((values) => valueAt(values, path)) as [Value, Value];
    const action = next === undefined ? "delete" : isUnset(old) ? "add" : "update";
    return { path, action, replaces: replaces.includes(path[0]!) };
  });
}

const valueAt = (values: Value, path: string[]): Value =>
  path.reduce<Value>((value, key) => (isObject(value) ? value[key] : undefined), values);

/** The arguments whose change replaces the object, by definition or because of `replaceOnChanges`. */
export function replacedBy(
  { replaces, changes }: Plan,
  before: State,
  desired: JsonObject,
  options: Options,
): string[] {
  const forced = changes.filter((path) => requiresReplacement(options, path, before.values, desired));
  return [...replaces, ...new Set(forced.map(([name]) => name!))];
}

export function describeDiff(
  definition: Definition,
  plan: Plan & Pick<Diff, "needsRecord">,
  replaces: string[],
  { values: before }: State,
  desired: JsonObject,
  { importId }: Options,
): Diff {
  // Also if nothing here replaces it: the engine applies a plugin's replaceOnChanges only after its diff.
  const { deleteBeforeReplaceWhen, deleteBeforeReplace } = definition as Partial<ObjectDefinition>;
  // With the option import, the replacement is the object itself, which must stay.
  const deletesFirst = deleteBeforeReplaceWhen?.(replaces) || (deleteBeforeReplace && importId === undefined);
  return {
    replaces,
    updates: plan.updates,
    changes: describeChanges([...plan.replaces.map((name) => [name]), ...plan.changes], replaces, before, desired),
    needsCall: replaces.length + plan.calls.length > 0,
    needsRecord: plan.needsRecord,
    deleteBeforeReplace: deletesFirst || false,
  };
}
