/** What a 2xx response must contain. Anything else is an error: only the service's own 404 means deleted. */

import { CallError, isNotFound } from "../api/errors";
import { expand, type Route } from "../api/routes";
import { isObject, type Json, type JsonObject, snake } from "../api/wire";
import { type Definition, paramsOf } from "./definition";
import type { Field } from "./fields";

/** What a response is about: a module where there are parents, else an object. */
export interface Expected extends Pick<Definition, "noun" | "parents"> {
  fields: Record<string, Pick<Field, "shownAs">>;
}

/** The object or module in the response to a call; undefined for a module that is not set. */
export function responseOf(
  expected: Expected,
  route: Route,
  id: string,
  response: Json | undefined,
): JsonObject | undefined {
  const { noun, parents } = expected;
  if (parents && hasNoBody(response)) return undefined;
  if (isObject(response) && (parents ? hasDocumentedField(expected, response) : response.id === id)) return response;
  const { method, path } = expand(route, paramsOf(expected, id));
  // A write may have taken effect.
  throw new CallError(`${method} ${path} returned something other than ${noun} ${id}.`, undefined, true);
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
    ([name, { shownAs }]) => !(name in parents) && (snake(name) in response || (shownAs ?? "") in response),
  );
}
