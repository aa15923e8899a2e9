/**
 * What the state remembers of a resource: the service's answer in the arguments' shape, and which arguments the
 * program stated. The second is what tells managed from unmanaged when the program is not at hand, and what the
 * inputs are made of again after a refresh.
 */

import type { Definition } from "../definitions/definition";
import { equalsDesired, type Field, type Fields, readFields, type Value } from "../definitions/fields";
import { withoutHidden } from "../dynamic/hiddenInputs";
import { isObject, isUnset, type Json, type JsonObject, toSnakeCase, withoutNull } from "../json";

/** The internal output that lists what the program states, as one text: `description backend.backendId`. */
export const managedKey = "__managed";

/** The internal output that lists the arguments of a call that got no answer: the service may hold either value. */
export const unconfirmedKey = "__unconfirmed";

/** The arguments as stated: without the engine's and our own hidden inputs, and without null. */
export function parseInputs(fields: Fields, inputs: JsonObject): JsonObject {
  const desired = Object.entries(withoutHidden(inputs)).map(([name, value]): [string, Json] => {
    return [name, fields[name]?.module && isObject(value) ? withoutNull(value) : value];
  });
  return withoutNull(Object.fromEntries(desired));
}

/** The names of what is stated, a module's fields one by one. */
export function managedNames(fields: Fields, desired: JsonObject): string[] {
  return Object.entries(desired).flatMap(([name, value]) => {
    if (!fields[name]?.module || !isObject(value)) return [name];
    const inner = Object.keys(value).map((key) => `${name}.${key}`);
    return inner.length > 0 ? inner : [name];
  });
}

/** What the state says is managed. */
export const managedIn = (outputs: JsonObject) => namesIn(outputs[managedKey]);

/** What the state says of, and the service may hold otherwise. */
export const unconfirmedIn = (outputs: JsonObject) => namesIn(outputs[unconfirmedKey]);

const namesIn = (names: Json | undefined) => (typeof names === "string" && names !== "" ? names.split(" ") : []);

/** Of the managed names, those of a module's fields. */
export const managedWithin = (managed: string[], module: string) =>
  managed.filter((name) => name.startsWith(`${module}.`)).map((name) => name.slice(module.length + 1));

/** The arguments that are managed, without what is inside them. */
export const managedArguments = (managed: string[]) => new Set(managed.map((name) => name.split(".")[0]!));

/** The inputs that say what the service holds now: what is managed, and what a managed module should not have. */
export function inputsFrom(definition: Definition, outputs: JsonObject, managed: string[]): JsonObject {
  return managedInputs(definition.fields, outputs, managed, definition.parents !== undefined);
}

function managedInputs(fields: Fields, values: JsonObject, managed: string[], whole: boolean): JsonObject {
  const named = managedArguments(managed);
  const picked: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = values[name];
    if (value === undefined) continue;
    if (named.has(name)) {
      picked[name] =
        field.module && isObject(value)
          ? managedInputs(field.module.fields, value, managedWithin(managed, name), true)
          : value;
    } else if (whole && !equalsDesired(field, undefined, value)) {
      picked[name] = value;
    }
  }
  return picked;
}

/**
 * The outputs after an answer of the service. Where the service holds what is stated, the statement's own form is
 * kept (the order of a list, a secret that the service masks), so that nothing shows as changed that has not.
 */
export function outputsFrom(
  definition: Definition,
  response: JsonObject,
  desired: JsonObject,
  before: JsonObject = {},
): JsonObject {
  const { fields } = definition;
  const outputs = mergeAll(fields, desired, readFields(fields, response));
  for (const [name, { once }] of Object.entries(definition.outputs)) {
    const value = response[toSnakeCase(name)];
    if (!isUnset(value)) outputs[name] = value;
    else if (once) outputs[name] = before[name] ?? null;
  }
  return outputs;
}

/** What the state says of all fields, given what is stated and what the service holds. */
export function mergeAll(fields: Fields, desired: JsonObject, actual: JsonObject): JsonObject {
  const settled: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = merge(field, desired[name], actual[name]);
    if (value !== undefined) settled[name] = value;
  }
  return settled;
}

/** What the state says of a field, given what is stated and what the service holds. */
export function merge(field: Field, desired: Value, actual: Value): Value {
  if (desired === undefined) return isUnset(actual) ? undefined : actual;
  if (field.clientOnly || (field.writeOnly && actual === undefined)) return desired;
  if (field.module && isObject(desired) && isObject(actual)) return mergeAll(field.module.fields, desired, actual);
  return field.equals(desired, actual) ? desired : actual;
}

/** The same, for check: what is stated now, in the form it was stated in before where it means the same. */
export function preserveEquivalent(fields: Fields, before: JsonObject, now: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(now).map(([name, value]): [string, Json] => {
      const field = fields[name];
      const old = before[name];
      if (!field || old === undefined || old === null) return [name, value];
      if (field.module && isObject(value) && isObject(old))
        return [name, preserveEquivalent(field.module.fields, old, value)];
      return [name, field.equals(value, old) ? old : value];
    }),
  );
}
