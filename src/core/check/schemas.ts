/** Which values are valid, as schemas of the schema library. Only a provider's process loads it. */

import * as z from "zod"; // the namespace, of which a bundle contains only what is used
import type { JsonObject } from "../../base/json";
import type { Fields } from "../../definitions/fields/field";
import { objects, type ValueType } from "../../definitions/fields/valueTypes";
import { unknownValue } from "../unknown";
import { findBadKeys, findNonJson } from "./nonJson";

type Schema = z.ZodType;

/** What is wrong with the value at a path. The types of this file do not mention the library, which users lack. */
export type Issue = { path: (string | number)[] } & (
  | { code: "custom"; message: string }
  | { code: "unrecognized_keys"; keys: string[] }
  | { code: "invalid_type"; expected: string }
  | { code: "invalid_value"; values: string[] }
);

const schemas: { [Base in ValueType["base"]]: (type: Extract<ValueType, { base: Base }>) => Schema } = {
  string: (type) => withRule(type, z.string()),
  enum: (type) => withRule(type, z.enum(type.values as [string, ...string[]])),
  boolean: (type) => withRule(type, z.boolean()),
  number: (type) => withRule(type, z.number()),
  list: (type) =>
    withRule(type, z.array(schemaOf(type.items)), (items) =>
      items.map((item) => (item === unknownValue ? undefined : (item as string))),
    ),
  map: (type) => withRule(type, z.record(z.string(), schemaOf(type.values))),
  object: ({ fields }) => {
    const properties = Object.entries(fields).map(([name, { accepts, required }]): [string, Schema] => {
      const schema = schemaOf(accepts);
      return [name, required ? schema : schema.nullish()];
    });
    return z.strictObject(Object.fromEntries(properties));
  },
  any: () =>
    z.unknown().superRefine((value, context) => {
      for (const { path, message } of findNonJson(value)) context.addIssue({ code: "custom", path, message });
    }),
};

/** A schema that also checks the type's rule. */
function withRule<T, V>(
  { problem }: { problem?(value: T): string | undefined | { index: number; message: string } },
  schema: z.ZodType<V>,
  toChecked: (value: V) => T = (value) => value as unknown as T,
): Schema {
  if (!problem) return schema;
  return schema.superRefine((value, context) => {
    const found = problem(toChecked(value));
    if (typeof found === "string") context.addIssue({ code: "custom", message: found });
    else if (found) context.addIssue({ code: "custom", path: [found.index], message: found.message });
  });
}

/** Creating a schema takes longer than checking with it. */
const cache = new WeakMap<object, Schema>();

function schemaOf(type: ValueType): Schema {
  const key = type.base === "object" ? type.fields : type;
  const schema = cache.get(key) ?? (schemas[type.base] as (type: ValueType) => Schema)(type);
  cache.set(key, schema);
  return schema;
}

/** What is wrong with these arguments. */
export function findIssues(fields: Fields, args: JsonObject): Issue[] {
  const issues = (schemaOf(objects(fields)).safeParse(args).error?.issues ?? []) as Issue[];
  const paths = new Set(issues.map(({ path }) => JSON.stringify(path)));
  // The library skips the key `__proto__`, and accepts an empty one.
  const skipped = findBadKeys(args).filter(({ path }) => !paths.has(JSON.stringify(path)));
  return [...issues, ...skipped.map((found) => ({ code: "custom" as const, ...found }))];
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
