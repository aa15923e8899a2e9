/** The outputs after a create or an update, as far as they are known before it. The rest is unknown. */

import { isObject, type Json, type JsonObject } from "../../base/json";
import type { Definition } from "../../definitions/definition";
import type { Field, Fields } from "../../definitions/fields/field";
import { unknownValue } from "../unknown";

type Previewed = Pick<Definition, "fields" | "computed">;

/** The outputs of what does not exist yet: what is declared is known, and what the service assigns is not. */
export function previewCreate({ fields, computed }: Previewed, desired: JsonObject): JsonObject {
  const assigned = Object.keys(computed).map((name) => [name, unknownValue]);
  return { ...Object.fromEntries(assigned), ...previewFields(fields, desired) };
}

/** The outputs after these arguments of an existing object change. A field that a module leaves out has its default. */
export function previewUpdate(
  { fields, kind }: Previewed & Pick<Definition, "kind">,
  before: JsonObject,
  desired: JsonObject,
  changed: string[],
): JsonObject {
  const outputs = { ...before };
  for (const name of changed) {
    const field: Field = fields[name]!;
    const value = desired[name] ?? (kind === "module" ? (field.default ?? unknownValue) : undefined);
    if (value === undefined) delete outputs[name];
    else outputs[name] = previewField(field, value);
  }
  return outputs;
}

function previewFields(fields: Fields, desired: JsonObject): JsonObject {
  const outputs: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    if (desired[name] !== undefined) outputs[name] = previewField(field, desired[name]);
    else if (!field.clientOnly) outputs[name] = field.default ?? unknownValue;
  }
  return outputs;
}

const previewField = ({ module }: Field, value: Json): Json =>
  module && isObject(value) ? previewFields(module.fields, value) : value;
