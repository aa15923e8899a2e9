/**
 * What the state remembers of a resource: the service's answer in the arguments' shape, and which arguments the
 * program stated. The second is what tells managed from unmanaged when the program is not at hand, and what the
 * inputs are made of again after a refresh.
 */

import { isObject, isUnset, type Json, type JsonObject, snake, withoutNull } from "../api/wire";
import type { Definition } from "./definition";
import { type Field, type Fields, fieldHolds, readFields, type Value } from "./fields";
import { withoutHidden } from "./hidden";

/** The internal output that lists what the program states, as one text: `description backend.backendId`. */
export const managedKey = "__managed";

/** The internal output that lists the arguments of a call that got no answer: the service may hold either value. */
export const unconfirmedKey = "__unconfirmed";

/** The arguments as stated: without the engine's and our own hidden inputs, and without null. */
export function statedIn(fields: Fields, inputs: JsonObject): JsonObject {
  const stated = Object.entries(withoutHidden(inputs)).map(([name, value]): [string, Json] => {
    return [name, fields[name]?.module && isObject(value) ? withoutNull(value) : value];
  });
  return withoutNull(Object.fromEntries(stated));
}

/** The names of what is stated, a module's fields one by one. */
export function managedNames(fields: Fields, stated: JsonObject): string[] {
  return Object.entries(stated).flatMap(([name, value]) => {
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
export const managedInside = (managed: string[], module: string) =>
  managed.filter((name) => name.startsWith(`${module}.`)).map((name) => name.slice(module.length + 1));

/** The arguments that are managed, without what is inside them. */
export const managedArguments = (managed: string[]) => new Set(managed.map((name) => name.split(".")[0]!));

/** The inputs that say what the service holds now: what is managed, and what a managed module should not have. */
export function inputsFrom(definition: Definition, outputs: JsonObject, managed: string[]): JsonObject {
  return pick(definition.fields, outputs, managed, definition.parents !== undefined);
}

function pick(fields: Fields, values: JsonObject, managed: string[], whole: boolean): JsonObject {
  const named = managedArguments(managed);
  const picked: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = values[name];
    if (value === undefined) continue;
    if (named.has(name)) {
      picked[name] =
        field.module && isObject(value) ? pick(field.module.fields, value, managedInside(managed, name), true) : value;
    } else if (whole && !fieldHolds(field, undefined, value)) {
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
  answer: JsonObject,
  stated: JsonObject,
  before: JsonObject = {},
): JsonObject {
  const { fields } = definition;
  const outputs = settleAll(fields, stated, readFields(fields, answer));
  for (const [name, { once }] of Object.entries(definition.outputs)) {
    const value = answer[snake(name)];
    if (!isUnset(value)) outputs[name] = value;
    else if (once) outputs[name] = before[name] ?? null;
  }
  return outputs;
}

/** What the state says of all fields, given what is stated and what the service holds. */
export function settleAll(fields: Fields, stated: JsonObject, actual: JsonObject): JsonObject {
  const settled: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = settle(field, stated[name], actual[name]);
    if (value !== undefined) settled[name] = value;
  }
  return settled;
}

/** What the state says of a field, given what is stated and what the service holds. */
export function settle(field: Field, stated: Value, actual: Value): Value {
  if (stated === undefined) return isUnset(actual) ? undefined : actual;
  if (field.local || (field.withheld && actual === undefined)) return stated;
  if (field.module && isObject(stated) && isObject(actual)) return settleAll(field.module.fields, stated, actual);
  return field.holds(stated, actual) ? stated : actual;
}

/** The same, for check: what is stated now, in the form it was stated in before where it means the same. */
export function quieted(fields: Fields, before: JsonObject, now: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(now).map(([name, value]): [string, Json] => {
      const field = fields[name];
      const old = before[name];
      if (!field || old === undefined || old === null) return [name, value];
      if (field.module && isObject(value) && isObject(old)) return [name, quieted(field.module.fields, old, value)];
      return [name, field.holds(value, old) ? old : value];
    }),
  );
}
