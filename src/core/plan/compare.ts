/** Compares what the program declares with what an object of the service has. */

import type { JsonObject } from "../../base/json";
import { quote } from "../../base/quote";
import type { Definition } from "../../definitions/definition";
import { equalsDesired, type Field, type Fields, readFields, type Value } from "../../definitions/fields/field";
import { pathsOf } from "../arguments";
import { hasUnknown } from "../unknown";
import { valueAt } from "./diff";
import { findChanges } from "./plan";

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
  definition: Definition,
  object: string,
  desired: JsonObject,
  actual: JsonObject,
): string[] {
  const { fields, kind } = definition;
  const before = { values: actual, managed: pathsOf(fields, desired), unconfirmed: [] };
  const { replaces, changes } = findChanges(definition, before, desired);
  const paths = [...replaces.map((name) => [name]), ...changes].filter(([name]) => !hasUnknown(desired[name!]));
  return paths.flatMap((path) => {
    const table = path.slice(0, -1).reduce<Fields>((outer, name) => outer[name]!.module!.fields, fields);
    const field = table[path.at(-1)!]!;
    const [want, have] = [valueAt(desired, path), valueAt(actual, path)];
    if (field.clientOnly || (field.writeOnly && have === undefined)) return [];
    const isWhole = kind === "module" || path.length > 1;
    const canLeaveOut = !field.required && (!isWhole || equalsDesired(field, undefined, have));
    return [describe(path.join("."), field, want, have, canLeaveOut, object)];
  });
}

function describe(
  name: string,
  field: Field,
  desired: Value,
  actual: Value,
  /** Whether the object matches if the program leaves the field out. */
  canLeaveOut: boolean,
  object: string,
): string {
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
