/** What a resource's properties contain that messages must not. */

import { isObject, type Json, type JsonObject } from "../base/json";
import type { Definition } from "../definitions/definition";
import type { Field } from "../definitions/fields/field";
import { type Marked, secretStrings, stringsIn } from "./secrets";

/** The strings within secret and sensitive properties, and all that are marked as secret. */
export function sensitiveStrings(
  { fields, computed }: Pick<Definition, "fields" | "computed">,
  properties: Marked,
): string[] {
  const { values } = properties;
  const sensitive = [...sensitiveIn(fields, values), ...sensitiveIn(computed, values)];
  return [...sensitive.flatMap(stringsIn), ...secretStrings(properties)];
}

type Sensitivity = Pick<Field, "secret" | "sensitive" | "module">;
type Fields = Record<string, Sensitivity>;

const sensitiveIn = (fields: Fields, values: JsonObject): Json[] =>
  sensitiveFields(fields).flatMap(([name, { secret, sensitive, module }]) => {
    const value = values[name] ?? null;
    if (module) return isObject(value) ? sensitiveIn(module.fields, value) : [];
    if (typeof sensitive === "function") return sensitive(value);
    return secret || sensitive ? [value] : [];
  });

/** Cached, because every call of the engine needs it. */
const sensitiveFieldsOf = new WeakMap<Fields, [string, Sensitivity][]>();

function sensitiveFields(fields: Fields): [string, Sensitivity][] {
  const found = sensitiveFieldsOf.get(fields) ?? Object.entries(fields).filter(([, field]) => isSensitive(field));
  sensitiveFieldsOf.set(fields, found);
  return found;
}

const isSensitive = ({ secret, sensitive, module }: Sensitivity): boolean =>
  Boolean(secret || sensitive || (module && sensitiveFields(module.fields).length > 0));
