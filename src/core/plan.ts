/** From what the state says to what the program states: the calls, in their order, decided before any is made. */

import type { Route } from "../api/routes";
import type { Definition } from "../definitions/definition";
import { equalsDesired, type Field, writeFields } from "../definitions/fields";
import { isObject, type Json, type JsonObject } from "../json";
import { managedArguments, managedIn, managedNames, managedWithin, unconfirmedIn } from "./state";
import { hasUnknown } from "./unknown";

export interface Call {
  route: Route;
  body?: JsonObject;
  /** The arguments that this call sets. */
  sets: string[];
  /** The module that this call removes. */
  removes?: string;
}

/** The arguments that a call is about. */
export const affectedFields = ({ sets, removes }: Call) => (removes === undefined ? sets : [removes]);

export interface Plan {
  /** The arguments whose change makes a new object. */
  replaces: string[];
  /** The arguments that change the object in place, or stop being managed. */
  updates: string[];
  /** What the service must be told of, as paths: `description`, and within a module that stays, `backend.enabled`. */
  changes: string[][];
  calls: Call[];
}

/** The plan for an object in the state, `before`, that the program now states as `stated`, whatever the `ignored` arguments are. */
export function plan(
  definition: Definition,
  before: JsonObject,
  desired: JsonObject,
  ignored: readonly string[] = [],
): Plan {
  const { fields, parents } = definition;
  const managed = managedIn(before);
  const unconfirmed = unconfirmedIn(before).filter((name) => name in desired || managedArguments(managed).has(name));
  const replaces: string[] = [];
  const changes: string[][] = [];
  for (const [name, field] of Object.entries(fields)) {
    if (ignored.includes(name)) continue;
    if (unconfirmed.includes(name)) {
      changes.push([name]);
    } else if (!field.replaces) {
      changes.push(...changesIn(field, name, before[name], desired[name], managed, parents !== undefined));
    } else if (!equalsDesired(field, desired[name], before[name])) {
      replaces.push(name);
    }
  }
  const changed = [...new Set(changes.map(([name]) => name!))];
  const restated = [...managedChanges(definition, managed, desired)].filter((name) => !changed.includes(name));
  const calls = parents ? putWhole(definition, before, desired, changed) : patch(definition, before, desired, changed);
  return { replaces, updates: [...changed, ...restated], changes, calls };
}

/** What the service must be told of a field, as paths. */
function changesIn(
  field: Field,
  name: string,
  before: Json | undefined,
  desired: Json | undefined,
  managed: string[],
  partOfModule: boolean,
): string[][] {
  if (field.module && isObject(desired) && isObject(before)) {
    const inside = managedWithin(managed, name);
    return Object.entries(field.module.fields).flatMap(([key, inner]) =>
      changesIn(inner, key, before[key], desired[key], inside, true).map((path) => [name, ...path]),
    );
  }
  return differs(field, name, before, desired, managed, partOfModule) ? [[name]] : [];
}

function differs(
  field: Field,
  name: string,
  before: Json | undefined,
  desired: Json | undefined,
  managed: string[],
  partOfModule: boolean,
): boolean {
  if (hasUnknown(desired)) return true;
  if (desired !== undefined) return !field.equals(desired, before);
  const dropped = managedArguments(managed).has(name) && !field.equals(field.clear, before);
  if (!partOfModule) return dropped;
  return !equalsDesired(field, undefined, before) || (dropped && !("default" in field));
}

/** The arguments that the program began or stopped to state, or states in other words, whatever their values. */
function managedChanges({ fields }: Definition, managed: string[], desired: JsonObject): Set<string> {
  const now = managedNames(fields, desired);
  const names = [...now.filter((name) => !managed.includes(name)), ...managed.filter((name) => !now.includes(name))];
  return new Set([...managedArguments(names)].filter((name) => !fields[name]?.replaces));
}

/** The body of a module's PUT: its parents stand in the path. */
export function moduleBody({ fields, parents }: Definition, desired: JsonObject): JsonObject {
  const own = Object.fromEntries(Object.entries(fields).filter(([name]) => !(name in (parents ?? {}))));
  return writeFields(own, desired);
}

/** A module is set whole: what is not stated is not sent. */
function putWhole(definition: Definition, before: JsonObject, desired: JsonObject, changed: string[]): Call[] {
  const { fields, parents, routes } = definition;
  // Whether it was ever set is not known after a create that got no answer.
  const unconfirmed = Object.keys(fields).every((name) => name in parents! || before[name] === undefined);
  if (changed.length === 0 && !unconfirmed) return [];
  return [{ route: routes.update, body: moduleBody(definition, desired), sets: changed }];
}

/**
 * Changed fields and modules go together in one PATCH, or one module alone by its own PUT; dropped modules go by
 * their own DELETE. What protects thus comes before what a dropped module opens. Where the service forces a module
 * that protects to be removed before the update, the protection that replaces it is sent ahead, in a call of its own.
 */
function patch(definition: Definition, before: JsonObject, desired: JsonObject, changed: string[]): Call[] {
  const { fields } = definition;
  const dropped = changed.filter((name) => fields[name]!.module && desired[name] === undefined);
  const sent = changed.filter((name) => !dropped.includes(name));
  const removals = (names: string[]) =>
    names.map((name): Call => ({ route: fields[name]!.module!.remove!, sets: [], removes: name }));
  const first = dropped.filter((name) => definition.removeBeforeUpdate?.(name, desired, before));
  const last = dropped.filter((name) => !first.includes(name));
  const protects = (name: string) => fields[name]!.module?.protects === true;
  const ahead = first.some(protects) ? sent.filter(protects) : [];
  const rest = sent.filter((name) => !ahead.includes(name));
  const update = (names: string[]) => (names.length > 0 ? [updateCall(definition, desired, names)] : []);
  return [...update(ahead), ...removals(first), ...update(rest), ...removals(last)];
}

/** The call that sets these arguments: the PUT of a single module, where it has one, else a PATCH. */
export function updateCall({ fields, routes }: Definition, desired: JsonObject, sent: string[]): Call {
  const values = Object.fromEntries(sent.map((name) => [name, desired[name] ?? fields[name]!.clear!]));
  const [only] = sent.length === 1 ? sent : [];
  const put = only ? fields[only]!.module?.put : undefined;
  const body = writeFields(fields, values);
  return put
    ? { route: put, body: Object.values(body)[0] as JsonObject, sets: sent }
    : { route: routes.update, body, sets: sent };
}
