/** From the state and the desired arguments to the calls, in order: decided before any of them is sent. */

import type { Route } from "../../api/routes";
import { isObject, type Json, type JsonObject, toSnakeCase } from "../../base/json";
import {
  type Definition,
  type ModuleDefinition,
  type ObjectDefinition,
  ownFields,
  routesOf,
} from "../../definitions/definition";
import { clearedValue, equalsDesired, type Field, writeFields } from "../../definitions/fields/field";
import { pathsOf, pathsWithin, topLevelNames } from "../arguments";
import type { State } from "../state";

export interface Call {
  route: Route;
  body?: JsonObject;
  /** The arguments that this call sets. */
  sets: string[];
  /** The module that this call removes. */
  removes?: string;
}

/** What the service has, as far as it is known. */
type Before = Pick<State, "values" | "managed" | "unconfirmed" | "isImported">;

export interface Plan {
  /** The arguments whose change replaces the object. */
  replaces: string[];
  /** The arguments whose change updates the object, or, without a call, only what is managed. */
  updates: string[];
  /** What differs from what the service has, as paths: `description`, and within a module, `backend.enabled`. */
  changes: string[][];
  calls: Call[];
}

/** The arguments in which something changes. */
export const changedNames = ({ changes }: Pick<Plan, "changes">) => [...new Set(changes.map(([name]) => name!))];

/** The arguments that a call is about. */
export const affectedFields = ({ sets, removes }: Call) => (removes === undefined ? sets : [removes]);

/** The call that creates an object with everything in it, or sets a module. */
export function planCreate(definition: Definition, args: JsonObject): Call {
  const body = bodyOf(definition, args);
  const sets = Object.keys(args).filter((name) => toSnakeCase(name) in body);
  return { route: routesOf(definition).create, body, sets };
}

/** The plan that makes the service have what is desired, whatever it has for the `ignored` arguments. */
export function planUpdate(
  definition: Definition,
  before: Before,
  desired: JsonObject,
  ignored: readonly string[] = [],
): Plan {
  const { values, managed } = before;
  const managedNames = topLevelNames(managed);
  const unconfirmed = [
    ...before.unconfirmed.filter((name) => name in desired || managedNames.has(name)),
    ...newlyManagedModules(definition, before, desired),
  ];
  const { replaces, changes } = findChanges(definition, { values, managed, unconfirmed }, desired, ignored);
  const changed = changedNames({ changes });
  const known = Object.fromEntries(Object.entries(values).filter(([name]) => !unconfirmed.includes(name)));
  const calls =
    definition.kind === "module"
      ? putWhole(definition, values, desired, changed)
      : patch(definition, known, desired, changed);
  const updates = [...new Set([...changed, ...managedChanges(definition, managed, desired)])];
  return { replaces, updates, changes, calls };
}

/** The modules that an edge begins to declare. A resource of their own may have set them since the state was written. */
export function newlyManagedModules(
  { fields }: Definition,
  { managed, isImported }: Pick<State, "managed" | "isImported">,
  desired: JsonObject,
): string[] {
  if (isImported) return [];
  const names = topLevelNames(managed);
  return Object.keys(desired).filter((name) => (fields[name] as Field | undefined)?.module?.put && !names.has(name));
}

/** What differs from what the service has, in all arguments except these. */
export function findChanges(
  definition: Definition,
  { values, managed, unconfirmed }: Before,
  desired: JsonObject,
  except: readonly string[] = [],
): Pick<Plan, "replaces" | "changes"> {
  const replaces: string[] = [];
  const changes: string[][] = [];
  for (const [name, field] of Object.entries<Field>(definition.fields)) {
    if (except.includes(name)) continue;
    if (unconfirmed.includes(name) && !field.replaces) {
      changes.push([name]);
    } else if (!field.replaces) {
      const isInModule = definition.kind === "module";
      changes.push(...changesIn({ field, name, before: values[name], desired: desired[name], managed, isInModule }));
    } else if (!equalsDesired(field, desired[name], values[name])) {
      // If an argument that replaces is dropped and has no default, nothing changes: the object keeps its value.
      replaces.push(name);
    }
  }
  return { replaces, changes };
}

/** A field, its value in the service, and the desired value. */
interface Comparison {
  field: Field;
  name: string;
  before: Json | undefined;
  desired: Json | undefined;
  managed: string[];
  isInModule: boolean;
}

/** What differs in a field from what the service has, as paths. */
function changesIn(comparison: Comparison): string[][] {
  const { field, name, before, desired, managed } = comparison;
  if (field.module && isObject(desired) && isObject(before)) {
    const within = pathsWithin(managed, name);
    return Object.entries(field.module.fields).flatMap(([key, inner]) => {
      const sides = { before: before[key], desired: desired[key] };
      const changes = changesIn({ field: inner, name: key, ...sides, managed: within, isInModule: true });
      return changes.map((path) => [name, ...path]);
    });
  }
  return differs(comparison) ? [[name]] : [];
}

function differs({ field, name, before, desired, managed, isInModule }: Comparison): boolean {
  if (desired !== undefined) return !field.equals(desired, before);
  const isDropped = topLevelNames(managed).has(name) && !field.equals(clearedValue(field), before);
  if (!isInModule) return isDropped && (field.module !== undefined || clearedValue(field) !== undefined);
  return !equalsDesired(field, undefined, before) || (isDropped && !("default" in field));
}

/** The arguments that the program started or stopped declaring, as a whole or in part, whatever their values. */
function managedChanges({ fields }: Definition, managed: string[], desired: JsonObject): Set<string> {
  const names = pathsOf(fields, desired);
  const changed = [
    ...names.filter((name) => !managed.includes(name)),
    ...managed.filter((name) => !names.includes(name)),
  ];
  return new Set([...topLevelNames(changed)].filter((name) => !fields[name]?.replaces));
}

/** The body of the call that creates an object or sets a module, whose parents are in the path. */
function bodyOf(definition: Definition, args: JsonObject): JsonObject {
  return writeFields(ownFields(definition), args);
}

/** A module is set whole: what is not declared is not sent. */
function putWhole(definition: ModuleDefinition, before: JsonObject, desired: JsonObject, changed: string[]): Call[] {
  const { fields, parents } = definition;
  // After a create whose response was lost it is not known whether it was ever set.
  const hasNoValues = Object.keys(fields).every((name) => parents.includes(name) || before[name] === undefined);
  if (changed.length === 0 && !hasNoValues) return [];
  return [{ route: routesOf(definition).update, body: bodyOf(definition, desired), sets: changed }];
}

/**
 * Changed fields and modules are sent together in one PATCH, or a single module by its own PUT; dropped modules are
 * removed afterwards by their own DELETE. So a restriction is sent before the change that opens the edge. Where the
 * service forces a restricting module to be removed before the update, new restrictions are sent ahead of that, in their
 * own call.
 */
function patch(definition: ObjectDefinition, known: JsonObject, desired: JsonObject, changed: string[]): Call[] {
  const { fields } = definition;
  const dropped = changed.filter((name) => fields[name]!.module && desired[name] === undefined);
  const sent = changed.filter((name) => !dropped.includes(name));
  const removals = dropped.map((name): Call => ({ route: fields[name]!.module!.remove!, sets: [], removes: name }));
  const protects = (name: string) => fields[name]!.module?.protects === true;
  const update = (names: string[], further?: JsonObject) =>
    names.length > 0 ? [updateCall(definition, desired, names, further)] : [];
  if (definition.removeBeforeUpdate?.(desired, known)) {
    const ahead = dropped.some(protects) ? sent.filter(protects) : [];
    const rest = sent.filter((name) => !ahead.includes(name));
    return [...update(ahead), ...removals, ...update(rest)];
  }
  const guarded = sent.some(protects) ? dropped : [];
  const untilRemoved = guarded.map((name) => [name, definition.setUntilRemoved?.(name, known)]);
  return [...update(sent, Object.fromEntries(untilRemoved)), ...removals];
}

/** The call that sets these arguments: the PUT of a single module, where it has one, else a PATCH. */
function updateCall(
  { fields, routes }: ObjectDefinition,
  desired: JsonObject,
  sets: string[],
  further: JsonObject = {},
): Call {
  const values = Object.fromEntries(sets.map((name) => [name, desired[name] ?? clearedValue(fields[name]!)!]));
  const body = writeFields(fields, { ...values, ...further });
  const put = Object.keys(body).length === 1 ? fields[sets[0]!]!.module?.put : undefined;
  return put ? { route: put, body: Object.values(body)[0] as JsonObject, sets } : { route: routes.update, body, sets };
}

/** A plan in debug logging, without values; `describe` adds the ids to a route. */
export const describePlan = ({ calls }: Plan, describe: (route: Route) => string): string =>
  calls
    .map(({ route, sets, removes }) => {
      const about =
        removes !== undefined ? ` (removes ${removes})` : sets.length > 0 ? ` (sets ${sets.join(", ")})` : "";
      return `${describe(route)}${about}`;
    })
    .join(", then ");
