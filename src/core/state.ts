/**
 * What the state records of a resource: what the service has, in the arguments' shape, and which arguments the program
 * declares. Only the latter shows what is managed when no program runs, and which inputs a refresh returns.
 */

import { asList, isObject, isUnset, type Json, type JsonObject, toSnakeCase, withoutNull } from "../base/json";
import { type Definition, ownFields, parentArgs } from "../definitions/definition";
import { equalsDesired, type Field, type Fields, readFields, type Value } from "../definitions/fields/field";
import type { Identity } from "./identity";
import { ignoredNames, type Options } from "./options";

export interface State {
  id: string;
  /** The outputs. */
  values: JsonObject;
  /** The names of what the program declares, a module's fields one by one: `description`, `backend.backendId`. */
  managed: string[];
  /** The names of what is among the inputs only because `ignoreChanges` keeps it there, in the same form. */
  ignored: string[];
  /**
   * What the state keeps as `__unconfirmed`: the arguments of which it is not known what the service has, because the
   * response to their call was lost. They are sent again.
   */
  unconfirmed: string[];
  /** What the state keeps as `__withEdge`: whether a module protects an edge of the same program, and goes with it. */
  withEdge?: true | undefined;
  /** Whether the plugin has only imported the object so far: its inputs are what was read, and declare nothing. */
  isImported?: boolean;
}

/** A state. What is empty in it can be left out. */
export const newState = (state: Pick<State, "id" | "values" | "managed"> & Partial<State>): State => ({
  ignored: [],
  unconfirmed: [],
  ...state,
});

/** The properties in which the state keeps three lists of names, and what a module goes with. */
export const managedKey = "__managed";
const ignoredKey = "__ignored";
const unconfirmedKey = "__unconfirmed";
const withEdgeKey = "__withEdge";

/**
 * The plugin's input that marks what an import has read, not what a program declares: what the program then leaves out
 * is left alone. Check never returns it, so that the first `pulumi up` after the import removes it.
 */
export const importedKey = "__imported";

export const isImported = (inputs: JsonObject) => inputs[importedKey] === true;

/** Properties that are internal, to the engine or to this package. */
const isInternal = (name: string) => name.startsWith("__");

export const internalProperties = (properties: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => isInternal(name)));

export const withoutInternal = (properties: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => !isInternal(name)));

export function parseState(id: string, properties: JsonObject): State {
  return newState({
    id,
    values: withoutInternal(withoutNull(properties)),
    managed: parseNames(properties[managedKey]),
    ignored: asList(properties[ignoredKey]).map(String),
    unconfirmed: parseNames(properties[unconfirmedKey]),
    ...(properties[withEdgeKey] === true && { withEdge: true }),
    ...(isImported(properties) && { isImported: true }),
  });
}

/** The same properties, of a state whose program declared these paths, too, except those that were only ignored. */
export function withDeclared(properties: JsonObject, declared: string[]): JsonObject {
  const { managed, ignored } = parseState("", properties);
  const names = [...managed, ...withoutNames(declared, topLevelNames(ignored))];
  return { ...properties, [managedKey]: [...new Set(names)].join(" ") };
}

export const toProperties = ({ values, managed, ignored, unconfirmed, withEdge }: State): JsonObject => ({
  ...values,
  [managedKey]: managed.join(" "),
  ...(ignored.length > 0 && { [ignoredKey]: ignored }),
  ...(unconfirmed.length > 0 && { [unconfirmedKey]: unconfirmed.join(" ") }),
  ...(withEdge && { [withEdgeKey]: true }),
});

/** Names that are kept as one string. */
export const parseNames = (names: Json | undefined) =>
  typeof names === "string" && names !== "" ? names.split(" ") : [];

/** The declared arguments: null declares nothing. */
export const parseArgs = (fields: Fields, inputs: JsonObject): JsonObject => setArgs(fields, withoutInternal(inputs));

/** The arguments that are set, whatever their names. */
export function setArgs(fields: Fields, inputs: JsonObject): JsonObject {
  const args = Object.entries(inputs).map(([name, value]): [string, Json] => {
    return [name, fields[name]?.module && isObject(value) ? withoutNull(value) : value];
  });
  return withoutNull(Object.fromEntries(args));
}

/** What a program declares, by what becomes of it. */
export interface ManagedArgs {
  /** What the service is to have. */
  desired: JsonObject;
  /** The arguments that `ignoreChanges` names. */
  ignored: string[];
  /** The paths of those that are among the inputs all the same. */
  ignoredPaths: string[];
}

/**
 * The arguments that are managed. Those that `ignoreChanges` names are not: the engine supplies their old values, so
 * one that left the program in the meantime would be removed as soon as the option is removed.
 */
export function managedArgs({ fields, kind }: Definition, args: JsonObject, options: Options): ManagedArgs {
  // The engine keeps the old inputs of what is ignored. In a module, which is set whole, these are sent; of a replacing
  // argument they decide the identity.
  const names = kind === "module" ? [] : ignoredNames(options, Object.keys(fields));
  const ignored = names.filter((name) => !fields[name]!.replaces);
  const [desired, kept] = [false, true].map((isIgnored) =>
    Object.fromEntries(Object.entries(args).filter(([name]) => ignored.includes(name) === isIgnored)),
  ) as [JsonObject, JsonObject];
  return { desired, ignored, ignoredPaths: pathsOf(fields, kept) };
}

/** What the service never returns, because it is never sent. */
export const clientOnlyValues = ({ fields }: Pick<Definition, "fields">, values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([name]) => fields[name]?.clientOnly));

/** Of these paths, those that do not belong to one of these arguments. */
export const withoutNames = (paths: string[], names: Iterable<string>) => {
  const removed = new Set(names);
  return paths.filter((path) => !removed.has(path.split(".")[0]!));
};

/** The paths of what is declared, a module's fields one by one: `description`, `backend.backendId`. */
export function pathsOf(fields: Fields, args: JsonObject): string[] {
  return Object.entries(args).flatMap(([name, value]) => {
    if (!fields[name]?.module || !isObject(value)) return [name];
    const inner = Object.keys(value).map((key) => `${name}.${key}`);
    return inner.length > 0 ? inner : [name];
  });
}

/** Of these paths, those within a module, without its name. */
export const pathsWithin = (names: string[], module: string) =>
  names.filter((name) => name.startsWith(`${module}.`)).map((name) => name.slice(module.length + 1));

/** The arguments that these paths belong to. */
export const topLevelNames = (names: string[]) => new Set(names.map((name) => name.split(".")[0]!));

/** The inputs as the service has them now: what is managed, and what a managed module should not have. */
export const inputsFrom = ({ fields, kind }: Definition, values: JsonObject, managed: string[]): JsonObject =>
  managedInputs(fields, values, managed, kind === "module");

function managedInputs(fields: Fields, values: JsonObject, managed: string[], isModule: boolean): JsonObject {
  const names = topLevelNames(managed);
  const inputs: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = values[name];
    if (value === undefined) continue;
    if (names.has(name)) {
      inputs[name] =
        field.module && isObject(value)
          ? managedInputs(field.module.fields, value, pathsWithin(managed, name), true)
          : value;
    } else if (isModule && !equalsDesired(field, undefined, value)) {
      inputs[name] = value;
    }
  }
  return inputs;
}

/** The outputs after a response. `before` has what the service returns only on creation. */
export function outputsFrom(
  { definition, id }: Identity,
  response: JsonObject,
  desired: JsonObject = {},
  before: JsonObject = {},
): JsonObject {
  const { fields, computed } = definition;
  const outputs = mergeAll(fields, desired, readFields(fields, response));
  for (const [name, { createOnly }] of Object.entries(computed)) {
    const value = response[toSnakeCase(name)];
    if (!isUnset(value)) outputs[name] = value;
    else if (createOnly) outputs[name] = before[name] ?? null;
  }
  return { ...outputs, ...parentArgs(definition, id) };
}

/**
 * The outputs after the response to a write that sent these arguments, or after one without a body. What the response
 * leaves out is as it was sent or, if it was not sent, as it was before.
 */
export function outputsAfterWrite(
  identity: Identity,
  response: JsonObject | undefined,
  desired: JsonObject,
  before: JsonObject,
  sent: string[],
): JsonObject {
  const { definition } = identity;
  const fields = ownFields(definition);
  const names = Object.keys({ ...fields, ...definition.computed }).filter((name) => !fields[name]?.clientOnly);
  const known = names.flatMap((name): [string, Json][] => {
    if (isShown(response, name, fields[name])) return [];
    const value = sent.includes(name) ? desired[name] : before[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...outputsFrom(identity, response ?? {}, desired, before), ...Object.fromEntries(known) };
}

/** Whether a response shows a field at all: after an update, some services return only what has changed. */
export const isShown = (response: JsonObject | undefined, name: string, field?: Pick<Field, "responseName">): boolean =>
  response !== undefined && (toSnakeCase(name) in response || (field?.responseName ?? "") in response);

/**
 * What the state records, from what is declared and what the service has. Where both are equal to the service, the
 * declared form is kept (the order of a list, a secret that the service masks), so that no difference shows.
 */
export function mergeAll(fields: Fields, desired: JsonObject, actual: JsonObject): JsonObject {
  const merged: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = merge(field, desired[name], actual[name]);
    if (value !== undefined) merged[name] = value;
  }
  return merged;
}

export function merge(field: Field, desired: Value, actual: Value): Value {
  if (desired === undefined) return isUnset(actual) ? undefined : actual;
  if (field.clientOnly || (field.writeOnly && actual === undefined)) return desired;
  if (field.module && isObject(desired) && isObject(actual)) return mergeAll(field.module.fields, desired, actual);
  if (field.equals(desired, actual)) return desired;
  return field.toDeclaredForm?.(desired, actual) ?? actual;
}

/** The arguments, in the form in which they were declared before where that is equal to the service. */
export function preserveEquivalent(fields: Fields, before: JsonObject, args: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]): [string, Json] => {
      const field = fields[name];
      const old = before[name];
      if (!field || old === undefined || old === null) return [name, value];
      if (field.module && isObject(value) && isObject(old))
        return [name, preserveEquivalent(field.module.fields, old, value)];
      return [name, field.equals(value, old) ? old : value];
    }),
  );
}

/** Without what responses may leave out: whether that arrived is not known after a lost response. No object has such a field in a module. */
export const withoutWriteOnly = ({ fields }: Pick<Definition, "fields">, desired: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(desired).filter(([name]) => !fields[name]?.writeOnly));
