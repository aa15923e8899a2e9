/** From the state and the desired arguments to the calls, in order: decided before any of them is sent. */

import type { Route } from "../../api/routes";
import { asList, isObject, type Json, type JsonObject, toSnakeCase } from "../../base/json";
import {
  type Definition,
  type ModuleDefinition,
  type ObjectDefinition,
  ownFields,
  routesOf,
} from "../../definitions/definition";
import { clearedValue, equalsDesired, type Field, writeFields } from "../../definitions/fields/field";
import { pathsOf, pathsWithin, type State, topLevelNames } from "../state";

export interface Call {
  route: Route;
  body?: JsonObject;
  /** The arguments that this call sets. */
  sets: string[];
  /** The module that this call removes. */
  removes?: string;
  /** Why it is sent. */
  reason?: string;
  /** Whether nothing in the program explains the call. */
  isSurprising?: boolean;
  /** Whether it removes a module that another resource, which is not known yet, may declare. */
  isUnlessKept?: true;
  /** Whether it sets a module as the module's own resource declares it. */
  isForKeeper?: true;
}

/** A resource of the program that declares a module of an edge, which the edge does not declare. */
export interface Keeper {
  /** As messages name it. */
  resource: string;
  /** Whether it is the module's own resource, and not a second one of the edge. */
  isModuleResource: boolean;
  /** What it declares, as the edge would; unless another process has it. */
  value?: JsonObject;
  /**
   * Whether it sees to the module itself: it wrote after the edge did, or still writes it. Not if the edge wrote last
   * and the keeper does not write. Not yet if the keeper is new, and has failed or not written yet.
   */
  isSet: boolean | "not yet";
  /** Whether its provider has another address, perhaps of another service. */
  hasOtherAddress?: boolean;
}

/** What the register knows of the modules of an edge. */
export type Keepers = Record<string, Keeper>;

/** What the service has, as far as it is known. */
export interface Before extends Pick<State, "values" | "managed" | "unconfirmed">, Partial<Pick<State, "left">> {
  /** Why a module's own resource has to set it again. */
  setAgainBecause?: string;
}

export interface Plan {
  /** The arguments whose change replaces the object. */
  replaces: string[];
  /** The arguments whose change updates the object, or, without a call, only what is managed. */
  updates: string[];
  /** What differs from what the service has, as paths: `description`, and within a module, `backend.enabled`. */
  changes: string[][];
  calls: Call[];
  /** The modules that the program stops declaring here, which are not removed, because another resource has them. */
  left: Keepers;
  /** Sent only if a unique value has to be waited for. */
  release?: Release;
}

/** Releases what an object gives up of a unique value: then it has only what it keeps. */
interface Release {
  call: Call;
  keeps: JsonObject;
}

/** The arguments that a call is about. */
export const affectedFields = ({ sets, removes }: Call) => (removes === undefined ? sets : [removes]);

/** The call that creates an object with everything in it, or sets a module. */
export function planCreate(definition: Definition, args: JsonObject): Call {
  const body = bodyOf(definition, args);
  const sets = Object.keys(args).filter((name) => toSnakeCase(name) in body);
  return { route: routesOf(definition).create, body, sets };
}

/**
 * The plan that makes the service have what is desired, whatever it has for the `ignored` arguments. Modules that have a
 * keeper are not removed.
 */
export function planUpdate(
  definition: Definition,
  before: Before,
  desired: JsonObject,
  ignored: readonly string[] = [],
  keepers: Keepers = {},
): Plan {
  const { values, left: leftBefore = [] } = before;
  const managed = [...before.managed, ...leftBefore];
  const unconfirmed = before.unconfirmed.filter((name) => name in desired || topLevelNames(managed).has(name));
  const others = [...ignored, ...Object.keys(keepers)];
  const { replaces, changes } = findChanges(definition, { values, managed, unconfirmed }, desired, others);
  const changed = [...new Set(changes.map(([name]) => name!))];
  const onlyManaged = [...managedChanges(definition, managed, desired)].filter((name) => !changed.includes(name));
  const known = Object.fromEntries(Object.entries(values).filter(([name]) => !unconfirmed.includes(name)));
  const calls =
    definition.kind === "module"
      ? putWhole(definition, values, desired, changed)
      : patch(definition, known, desired, changed);
  const isLeft = (name: string) =>
    topLevelNames(managed).has(name) &&
    !ignored.includes(name) &&
    (values[name] !== undefined || unconfirmed.includes(name));
  const left = Object.fromEntries(Object.entries(keepers).filter(([name]) => isLeft(name)));
  const restored = definition.kind === "object" ? restore(definition, keepers, left) : [];
  const release = definition.kind === "object" ? planRelease(definition, values, desired) : undefined;
  const explain = (call: Call): Call => {
    const names = affectedFields(call);
    const isUnlessKept = call.removes !== undefined && leftBefore.includes(call.removes);
    const isSentAgain = (name: string) => unconfirmed.includes(name) && topLevelNames(managed).has(name);
    const isSurprising =
      call.isSurprising || isUnlessKept || before.setAgainBecause !== undefined || names.some(isSentAgain);
    const reasons = names.map((name) => {
      if (isUnlessKept) return "it was left to a resource that had not set it";
      if (unconfirmed.includes(name)) return "it is not known what the service has";
      if (desired[name] === undefined) return `the program no longer declares ${name}`;
      return values[name] === undefined ? `${name} is not set` : "the program declares another value";
    });
    const reason = before.setAgainBecause ?? call.reason ?? [...new Set(reasons)].join(", ");
    return { ...call, reason, isSurprising, ...(isUnlessKept && { isUnlessKept }) };
  };
  const updates = [...changed, ...onlyManaged, ...restored.flatMap(({ sets }) => sets)];
  const allCalls = [...calls.map(explain), ...restored];
  return { replaces, updates: [...new Set(updates)], changes, calls: allCalls, left, release };
}

/** What differs from what the service has, in all arguments except these. */
export function findChanges(
  definition: Definition,
  { values, managed, unconfirmed }: Pick<State, "values" | "managed" | "unconfirmed">,
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
      // Dropping an argument that replaces is no change, unless it has a default: the object keeps its value.
      replaces.push(name);
    }
  }
  return { replaces, changes };
}

/** The calls that set modules as their keepers declare them, because this edge wrote last: they do not do it themselves. */
function restore(definition: ObjectDefinition, keepers: Keepers, left: Keepers): Call[] {
  return Object.entries(keepers).flatMap(([name, { resource, isModuleResource, value, isSet }]): Call[] => {
    if (isSet !== false || !value || !(isModuleResource || left[name])) return [];
    const reason = `this edge wrote it after ${resource} did`;
    return [{ ...updateCall(definition, { [name]: value }, [name]), reason, isForKeeper: true }];
  });
}

function planRelease(definition: ObjectDefinition, before: JsonObject, desired: JsonObject): Release | undefined {
  const { fields, unique } = definition;
  if (!unique?.orderFix || desired[unique.argument] === undefined) return undefined;
  const name = unique.argument;
  const [old, next] = [asList(before[name]), asList(desired[name])];
  const kept = next.filter((item) => old.some((each) => fields[name]!.equals([item], [each])));
  if (kept.length === old.length) return undefined;
  const keeps = { [name]: kept };
  return { call: updateCall(definition, keeps, [name]), keeps };
}

/** A field, what the service has of it, and what is desired. */
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
  const mayNotBeSet = Object.keys(fields).every((name) => parents.includes(name) || before[name] === undefined);
  if (changed.length === 0 && !mayNotBeSet) return [];
  const surprise = mayNotBeSet && { reason: "it may not be set", isSurprising: true };
  return [{ route: routesOf(definition).update, body: bodyOf(definition, desired), sets: changed, ...surprise }];
}

/**
 * Changed fields and modules are sent together in one PATCH, or a single module by its own PUT; dropped modules are
 * removed afterwards by their own DELETE. What restricts is thus sent before what opens. Where the service forces a
 * restricting module to be removed before the update, new restrictions are sent ahead of that, in their own call.
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
export function updateCall(
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

/** A call in debug logging, without values; `call` is its route, or the route with its ids. */
export function summarizeCall({ route, sets, removes, reason }: Call, call: string = route): string {
  const because = reason === undefined ? "" : `, because ${reason}`;
  if (removes !== undefined) return `${call} (removes ${removes}${because})`;
  return sets.length > 0 ? `${call} (sets ${sets.join(", ")}${because})` : call;
}

/** A plan in debug logging: its calls, and what it leaves to others without one. */
export function describePlan({ calls, left }: Plan, describe: (route: Route) => string): string {
  const untouched = Object.entries(left).filter(([name]) => calls.every(({ sets }) => !sets.includes(name)));
  return [
    ...calls.map((call) => summarizeCall(call, describe(call.route))),
    ...untouched.map(([name, { resource }]) => `leave ${name} to ${resource}`),
  ].join(", then ");
}
