/** Importing an existing object: what the program declares must be what the service has. */

import type { Definition } from "../definitions/definition";
import { equalsDesired, type Field, type Fields } from "../definitions/fields";
import { isObject, type Json, type JsonObject } from "../json";
import { quote } from "./quote";
import { hasUnknown } from "./unknown";

/** Each declared field that the object does not have as declared, as a sentence. */
export function mismatches(definition: Definition, id: string, declared: JsonObject, actual: JsonObject): string[] {
  const found = compare(definition.fields, declared, actual, definition.parents !== undefined, "");
  return found.map((mismatch) => describe(mismatch, `${definition.displayName} ${id}`));
}

interface Mismatch {
  name: string;
  field: Field;
  desired: Json | undefined;
  actual: Json | undefined;
  /** Whether the object matches if the program leaves the field out. */
  canLeaveOut: boolean;
}

function compare(fields: Fields, declared: JsonObject, actual: JsonObject, whole: boolean, prefix: string): Mismatch[] {
  return Object.entries(fields).flatMap(([key, field]): Mismatch[] => {
    const [desired, has, name] = [declared[key], actual[key], prefix + key];
    if (field.clientOnly || hasUnknown(desired) || (desired === undefined && !whole)) return [];
    if (field.writeOnly && has === undefined) return [];
    if (field.module && isObject(desired) && isObject(has)) {
      return compare(field.module.fields, desired, has, true, `${name}.`);
    }
    const canLeaveOut = !field.required && (!whole || equalsDesired(field, undefined, has));
    return equalsDesired(field, desired, has) ? [] : [{ name, field, desired, actual: has, canLeaveOut }];
  });
}

function describe({ name, field, desired, actual, canLeaveOut }: Mismatch, object: string): string {
  const { quotable } = field;
  if (actual === undefined)
    return `${name} is declared, but ${object} does not have it${field.required ? "" : "; leave it out"}`;
  if (desired === undefined) {
    return quotable && field.default !== undefined
      ? `${name} is not declared, which means ${quote(field.default)}, but ${object} has ${quote(actual)}; declare it`
      : `${name} is not declared, but ${object} has it; declare it`;
  }
  const differs = quotable
    ? `${name} is ${quote(desired)} in the program, but ${quote(actual)} in ${object}`
    : `${name} differs from that of ${object}`;
  return `${differs}; declare what it has${canLeaveOut ? ", or leave it out" : ""}`;
}
