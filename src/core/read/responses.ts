/** The contents of the service's responses, as the API document promises them, and the outputs that result. */

import type { Expected } from "../../api/client";
import { isObject, isUnset, type Json, type JsonObject, toSnakeCase } from "../../base/json";
import { type Identity, ownFields, parentArgs, type Readable } from "../../definitions/definition";
import { type Field, type Fields, readFields, type Value } from "../../definitions/fields/field";

/** An object has its id, and a module one of its fields. */
export function expectFrom(definition: Readable, id: string): Expected {
  const name = `${definition.displayName} ${id}`;
  return definition.kind === "module" ? expectModule(name, ownFields(definition)) : expectObject(name, id);
}

const expectObject = (name: string, id: string): Expected => ({
  findProblem: (value) => (isObject(value) && value.id === id ? undefined : `something other than ${name}`),
});

export const expectModule = (name: string, fields: Record<string, Pick<Field, "responseName">>): Expected => ({
  findProblem: (value) => {
    const isModule = isObject(value) && Object.entries(fields).some(([key, field]) => isShown(value, key, field));
    return isModule ? undefined : `something other than ${name}`;
  },
  isOptional: true,
});

/** An object that a POST has created. */
export const expectNewObject: Expected = {
  findProblem: (value) => (isObject(value) && typeof value.id === "string" && value.id !== "" ? undefined : "no id"),
};

/** The response to a command has no body, or nothing in it. */
export const expectNothing: Expected = {
  findProblem: (value) =>
    isObject(value) && Object.keys(value).length === 0 ? undefined : "something other than an empty response",
  isOptional: true,
};

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
 * The outputs after the response to a write that sent these arguments, or after one without a body. Values that the
 * response leaves out are as they were sent or, if they were not sent, as they were before.
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
 * The recorded values, from the declared values and those of the service. If both mean the same to the service, the state
 * has the form of the program, so that no change shows. Examples are the order of hostports, and `ssh-rsa` instead of PEM.
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
