/** What a 2xx response must contain. Anything else is an error: only the service's own 404 means deleted. */

import { CallError, isNotFound } from "../api/errors";
import { ownFields, type Readable } from "../definitions/definition";
import type { Field } from "../definitions/fields";
import { isObject, type Json, type JsonObject, toSnakeCase } from "../json";

/** What was requested: an object, whose response has its id, or a module, whose response has one of its fields. */
export type Requested =
  | { kind: "object"; name: string; id: string }
  | { kind: "module"; name: string; fields: ModuleFields };

type ModuleFields = Record<string, Pick<Field, "responseName">>;

export function requestedFrom(definition: Readable, id: string): Requested {
  const name = `${definition.displayName} ${id}`;
  return definition.kind === "module"
    ? { kind: "module", name, fields: ownFields(definition) }
    : { kind: "object", name, id };
}

/** The object or module in the response to a call, `PUT /edges/…`; undefined for a module that is not set. */
export function parseResponse(requested: Requested, call: string, response: Json | undefined): JsonObject | undefined {
  if (requested.kind === "module" && hasNoBody(response)) return undefined;
  if (isObject(response) && isRequested(requested, response)) return response;
  // A write may have succeeded.
  throw new CallError(`${call} returned something other than ${requested.name}.`, { mayHaveSucceeded: true });
}

/** Reads an object or module; undefined where the service itself says that there is none. */
export async function readObject(
  requested: Requested,
  call: string,
  send: () => Promise<Json | undefined>,
): Promise<JsonObject | undefined> {
  try {
    return parseResponse(requested, call, await send());
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Services differ in whether a write returns what it has written. */
export const hasNoBody = (response: Json | undefined) => response === undefined || response === null;

function isRequested(requested: Requested, response: JsonObject): boolean {
  if (requested.kind === "object") return response.id === requested.id;
  return Object.entries(requested.fields).some(
    ([name, { responseName }]) => toSnakeCase(name) in response || (responseName ?? "") in response,
  );
}
