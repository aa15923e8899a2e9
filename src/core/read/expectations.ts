/** What the service's responses contain, as the API document promises it. */

import type { Expected } from "../../api/client";
import { isObject } from "../../base/json";
import { ownFields, type Readable } from "../../definitions/definition";
import type { Field } from "../../definitions/fields/field";
import { isShown } from "../state";

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
