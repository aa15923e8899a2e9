/** What a 2xx response must contain. Anything else is an error: only the service's own 404 means deleted. */

import { CallError, isNotFound } from "../api/errors";
import { expand, type Route } from "../api/routes";
import { type Definition, paramsOf } from "../definitions/definition";
import type { Field } from "../definitions/fields";
import { isObject, type Json, type JsonObject, toSnakeCase } from "../json";

/** What a response is about: a module where there are parents, else an object. */
export interface Expected extends Pick<Definition, "displayName" | "parents"> {
  fields: Record<string, Pick<Field, "responseName">>;
}

/** The object or module in the response to a call; undefined for a module that is not set. */
export function responseOf(
  expected: Expected,
  route: Route,
  id: string,
  response: Json | undefined,
): JsonObject | undefined {
  const { displayName, parents } = expected;
  if (parents && hasNoBody(response)) return undefined;
  if (isObject(response) && (parents ? hasDocumentedField(expected, response) : response.id === id)) return response;
  const { method, path } = expand(route, paramsOf(expected, id));
  // A write may have taken effect.
  throw new CallError(`${method} ${path} returned something other than ${displayName} ${id}.`, {
    mayHaveSucceeded: true,
  });
}

/** Reads an object or module; undefined where the service itself says that there is none. */
export async function readObject(
  expected: Expected,
  route: Route,
  id: string,
  request: () => Promise<Json | undefined>,
): Promise<JsonObject | undefined> {
  try {
    return responseOf(expected, route, id, await request());
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Services differ in whether a write returns what it has written. */
export const hasNoBody = (response: Json | undefined) => response === undefined || response === null;

function hasDocumentedField({ fields, parents = {} }: Expected, response: JsonObject): boolean {
  return Object.entries(fields).some(
    ([name, { responseName }]) =>
      !(name in parents) && (toSnakeCase(name) in response || (responseName ?? "") in response),
  );
}
