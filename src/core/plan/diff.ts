/** What diff returns for a plan: what changes, whether that replaces the object, and what starts or stops being ignored. */

import { isObject, isUnset, type JsonObject } from "../../base/json";
import { joinWithAnd } from "../../base/quote";
import type { Definition, ObjectDefinition } from "../../definitions/definition";
import type { Value } from "../../definitions/fields/field";
import { topLevelNames } from "../arguments";
import { type Options, requiresReplacement } from "../options";
import type { State } from "../state";
import { changedNames, type Plan } from "./plan";

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

export const valueAt = (values: Value, path: string[]): Value =>
  path.reduce<Value>((value, key) => (isObject(value) ? value[key] : undefined), values);

/** The arguments whose change replaces the object, by definition or because of `replaceOnChanges`. */
export function replacedBy(
  { replaces, changes }: Plan,
  before: State,
  desired: JsonObject,
  options: Options,
): string[] {
  const forced = changes.filter((path) => requiresReplacement(options, path, before.values, desired));
  return [...replaces, ...changedNames({ changes: forced })];
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

/** The arguments that `ignoreChanges` covers. They are recorded, because their old values are among the inputs. */
export interface Ignored {
  /** The paths to record in the state. */
  paths: string[];
  /** The arguments that start and stop being ignored. */
  began: string[];
  ended: string[];
}

/** The ignored arguments after a state, from those that `ignoreChanges` covers and their paths in the inputs. */
export function trackIgnored(before: State, covered: string[], pathsInInputs: string[]): Ignored {
  // A refresh takes out of the inputs what the service no longer has.
  const kept = before.ignored.filter((path) => covered.includes(path.split(".")[0]!));
  const paths = [...new Set([...pathsInInputs, ...kept])];
  const [old, now] = [topLevelNames(before.ignored), topLevelNames(paths)];
  return {
    paths,
    began: [...now].filter((name) => !old.has(name)),
    ended: [...old].filter((name) => !now.has(name)),
  };
}

export const hasChanged = ({ began, ended }: Ignored) => began.length + ended.length > 0;

/** What the user should know of it, as sentences. */
export function describeIgnored({ began, ended }: Ignored, { managed }: State, desired: JsonObject): string[] {
  const wasManaged = topLevelNames(managed);
  const isDeclared = (name: string) => name in desired;
  const sentence = (names: string[], predicate: string, pluralPredicate: string) =>
    names.length > 0 ? [`${joinWithAnd(names)} ${names.length > 1 ? pluralPredicate : predicate}`] : [];
  return [
    ...sentence(
      began.filter((name) => wasManaged.has(name)),
      "is no longer managed, because of ignoreChanges.",
      "are no longer managed, because of ignoreChanges.",
    ),
    ...sentence(ended.filter(isDeclared), "is managed again.", "are managed again."),
    ...sentence(
      ended.filter((name) => !isDeclared(name)),
      "is no longer ignored. It is left alone until the program declares it.",
      "are no longer ignored. They are left alone until the program declares them.",
    ),
  ];
}
