/** Which values are not of the types that the definitions declare. */

import type { Fields } from "../../definitions/fields";
import { objects, type ValueType } from "../../definitions/valueTypes";
import { isObject, type Json, type JsonObject, protoKey } from "../../json";
import { unknownValue } from "../unknown";
import { findNonJson, findProtoKeys } from "./nonJson";

/** What is wrong with the value at a path. */
export type Issue = { path: (string | number)[] } & (
  | { code: "custom"; message: string }
  | { code: "unrecognized_keys"; keys: string[] }
  | { code: "invalid_type"; expected: ValueType["base"] }
  | { code: "invalid_value"; values: readonly string[] }
);
type Value = Json | undefined;

const isOfBase: Record<ValueType["base"], (value: Value) => boolean> = {
  string: (value) => typeof value === "string",
  enum: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  number: Number.isFinite,
  list: Array.isArray,
  map: isObject,
  object: isObject,
  any: () => true,
};

/** What is wrong with a value. Its type's rule is checked once the value, and all that it contains, is of its type. */
function check(type: ValueType, value: Value, path: Issue["path"] = []): Issue[] {
  if (type.base === "enum" && !type.values.includes(value as string)) {
    return [{ path, code: "invalid_value", values: type.values }];
  }
  if (!isOfBase[type.base](value)) return [{ path, code: "invalid_type", expected: type.base }];
  const inner = checkInner(type, value, path);
  const isTyped = inner.every(({ code }) => code === "custom");
  return isTyped ? [...inner, ...checkRule(type, value, path)] : inner;
}

function checkInner(type: ValueType, value: Value, path: Issue["path"]): Issue[] {
  switch (type.base) {
    case "list":
      return (value as Json[]).flatMap((item, index) => check(type.items, item, [...path, index]));
    case "map":
      return Object.entries(value as JsonObject)
        .filter(([key]) => key !== protoKey)
        .flatMap(([key, item]) => check(type.values, item, [...path, key]));
    case "object": {
      const properties = Object.entries(type.fields).flatMap(([name, { accepts, required }]) => {
        const property = Object.hasOwn(value as JsonObject, name) ? (value as JsonObject)[name] : undefined;
        return (property ?? undefined) === undefined && !required ? [] : check(accepts, property, [...path, name]);
      });
      const keys = Object.keys(value as JsonObject).filter((key) => !Object.hasOwn(type.fields, key));
      return keys.length > 0 ? [...properties, { path, code: "unrecognized_keys", keys }] : properties;
    }
    case "any":
      return findNonJson(value, path).map((found) => ({ code: "custom", ...found }));
    default:
      return [];
  }
}

function checkRule({ base, problem }: ValueType, value: Value, path: Issue["path"]): Issue[] {
  const known = base === "list" ? (value as Json[]).map((item) => (item === unknownValue ? undefined : item)) : value;
  const found = (problem as ((value: unknown) => ReturnType<NonNullable<typeof problem>>) | undefined)?.(known);
  if (found === undefined) return [];
  return typeof found === "string"
    ? [{ path, code: "custom", message: found }]
    : [{ path: [...path, found.index], code: "custom", message: found.message }];
}

/** What is wrong with these arguments. */
export function findIssues(fields: Fields, args: JsonObject): Issue[] {
  const issues = check(objects(fields), args);
  const paths = new Set(issues.map(({ path }) => JSON.stringify(path)));
  const protoKeys = findProtoKeys(args).filter(({ path }) => !paths.has(JSON.stringify(path)));
  return [...issues, ...protoKeys.map((found) => ({ code: "custom" as const, ...found }))];
}

/** The names of the arguments at a path. */
export function argumentsAt(fields: Fields, path: PropertyKey[]): string[] {
  const here = typesAlong(objects(fields), path)[path.length];
  return here?.base === "object" ? Object.keys(here.fields) : [];
}

/** How many keys of a path come before the first key of a map, or of a value of any type. */
export function mapDepth(fields: Fields, path: PropertyKey[]): number {
  const depth = typesAlong(objects(fields), path).findIndex((here) => here?.base === "map" || here?.base === "any");
  return depth < 0 ? path.length : depth;
}

/** The types that a path leads through, from the first to the one where it ends. */
function typesAlong(type: ValueType, path: PropertyKey[]): (ValueType | undefined)[] {
  const along: (ValueType | undefined)[] = [type];
  for (const key of path) {
    const here = along.at(-1);
    const inner =
      here?.base === "list" ? here.items : here?.base === "object" ? here.fields[String(key)]?.accepts : undefined;
    along.push(inner);
  }
  return along;
}
