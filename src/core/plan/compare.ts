/** Compares what the program declares with what an object of the service has. */

import { isObject, type Json, type JsonObject } from "../../base/json";
import { quote } from "../../base/quote";
import type { Definition } from "../../definitions/definition";
import { equalsDesired, type Field, type Fields, readFields } from "../../definitions/fields/field";
import { hasUnknown } from "../unknown";

/** Whether an object of the service has everything that is declared. */
export const matchesDesired = ({ fields }: Definition, desired: JsonObject, item: JsonObject): boolean =>
  hasDesired(fields, desired, readFields(fields, item));

/** As `matchesDesired`, for an object in the arguments' shape. */
export const hasDesired = (fields: Fields, desired: JsonObject, actual: JsonObject): boolean =>
  Object.entries(fields).every(
    ([name, field]) => desired[name] === undefined || field.clientOnly || field.equals(desired[name], actual[name]),
  );

/** A sentence for each declared field that differs from what the object, named `object`, has. */
export function describeMismatches(
  { fields, kind }: Definition,
  object: string,
  desired: JsonObject,
  actual: JsonObject,
): string[] {
  return compare(fields, desired, actual, kind === "module", "").map((mismatch) => describe(mismatch, object));
}

interface Mismatch {
  name: string;
  field: Field;
  desired: Json | undefined;
  actual: Json | undefined;
  /** Whether the object matches if the program leaves the field out. */
  canLeaveOut: boolean;
}

function compare(
  fields: Fields,
  desired: JsonObject,
  actual: JsonObject,
  isModule: boolean,
  prefix: string,
): Mismatch[] {
  return Object.entries(fields).flatMap(([key, field]): Mismatch[] => {
    const [want, have, name] = [desired[key], actual[key], prefix + key];
    if (field.clientOnly || hasUnknown(want) || (want === undefined && !isModule)) return [];
    if (field.writeOnly && have === undefined) return [];
    if (field.module && isObject(want) && isObject(have)) {
      return compare(field.module.fields, want, have, true, `${name}.`);
    }
    const canLeaveOut = !field.required && (!isModule || equalsDesired(field, undefined, have));
    return equalsDesired(field, want, have) ? [] : [{ name, field, desired: want, actual: have, canLeaveOut }];
  });
}

function describe({ name, field, desired, actual, canLeaveOut }: Mismatch, object: string): string {
  if (actual === undefined)
    return `${name} is declared, but ${object} does not have it${field.required ? "" : "; leave it out"}`;
  if (desired === undefined) {
    return field.quotable
      ? `${name} is not declared, which means ${quote(field.default!)}, but ${object} has ${quote(actual)}; declare it`
      : `${name} is not declared, but ${object} has it; declare it`;
  }
  const differs = field.quotable
    ? `${name} is ${quote(desired)} in the program, but ${quote(actual)} in ${object}`
    : `${name} differs from that of ${object}`;
  const otherFix = canLeaveOut ? ", or leave it out" : field.replaces ? ", or remove the option import" : "";
  return `${differs}; declare the existing value${otherFix}`;
}
