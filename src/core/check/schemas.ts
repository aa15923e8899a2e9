/** Which values are valid, as schemas of the schema library. Only a provider's process loads it. */

import * as z from "zod"; // the namespace, of which a bundle contains only what is used
import type { Check, Field, Fields } from "../../definitions/fields";
import { publicKeyProblem } from "../../definitions/publicKeys";
import type { JsonObject } from "../../json";
import { unknownValue } from "../unknown";
import {
  aclRuleProblem,
  emptyProblem,
  headerValueProblem,
  hostportProblem,
  idProblem,
  isHeaderName,
  optionalProblem,
  regexProblem,
  urlProblem,
} from "./formats";
import { findNonJson, findProtoKeys } from "./nonJson";

type Schema = z.ZodType;

/** What is wrong with the value at a path. The types of this file do not mention the library, which users lack. */
export type Issue = { path: (string | number)[] } & (
  | { code: "custom"; message: string }
  | { code: "unrecognized_keys"; keys: string[] }
  | { code: "invalid_type"; expected: string }
  | { code: "invalid_value"; values: string[] }
);

/**
 * A further check: `problem` says what is wrong with a value, without its name and without quoting it, which only some
 * fields allow.
 */
const refine = <T>(schema: z.ZodType<T>, problem: (value: T) => string | undefined): z.ZodType<T> =>
  schema.superRefine((value, context) => {
    const message = problem(value);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

const string = (problem: (value: string) => string | undefined) => refine(z.string(), problem);

const nonEmptyString = string(emptyProblem);
const optionalString = string(optionalProblem);
const anything = z.unknown().superRefine((value, context) => {
  for (const { path, message } of findNonJson(value)) context.addIssue({ code: "custom", path, message });
});

const policyAction = z.strictObject({
  type: optionalString.nullish(),
  config: z.record(z.string(), anything).nullish(),
});

const policyRule = z.strictObject({
  name: optionalString.nullish(),
  expressions: z.array(nonEmptyString).nullish(),
  actions: z.array(policyAction).nullish(),
});

const schemas: { [Kind in Check["kind"]]: (check: Extract<Check, { kind: Kind }>) => Schema } = {
  string: ({ maxBytes = Number.POSITIVE_INFINITY }) =>
    string((value) => {
      const bytes = Buffer.byteLength(value, "utf8");
      return bytes > maxBytes ? `must be at most ${maxBytes} bytes, not ${bytes}` : undefined;
    }),
  nonEmptyString: () => nonEmptyString,
  optionalString: () => optionalString,
  url: () => string(urlProblem),
  publicKey: () => string(publicKeyProblem),
  enum: ({ values }) => z.enum(values as [string, ...string[]]),
  boolean: () => z.boolean(),
  uint32: () =>
    refine(z.number(), (value) =>
      Number.isInteger(value) && value >= 0 && value <= 0xffffffff
        ? undefined
        : "must be a whole number from 0 to 4294967295",
    ),
  id: ({ of, prefix }) => string(idProblem(of, prefix, `"${prefix}…"`)),
  // The API document shows the prefix of users, but not that of bots.
  ownerId: () => string(idProblem("a user or bot", "[a-z]+_", 'such as "usr_…"')),
  list: ({ items }) => z.array(schemaFor(items)),
  ids: ({ items }) =>
    refine(z.array(schemaFor(items)), (value) => (value.length > 0 ? undefined : "must contain at least one id")),
  hostports: () =>
    z.array(string(hostportProblem)).superRefine((value, context) => {
      const index = indexOfRepeated(value.map((item) => (item === unknownValue ? undefined : item)));
      if (index >= 0) context.addIssue({ code: "custom", path: [index], message: "is listed twice" });
    }),
  acl: () =>
    refine(z.array(string(aclRuleProblem)), (value) =>
      value.length > 1 && value.includes("*") ? 'must not combine "*" with other rules' : undefined,
    ),
  anything: () => anything,
  stringMap: () => z.record(z.string(), z.string()),
  headers: () =>
    refine(z.record(z.string(), string(headerValueProblem)), (value) => {
      const names = Object.keys(value);
      if (!names.every(isHeaderName)) return "has an invalid header name; use letters, digits and hyphens";
      return indexOfRepeated(names) < 0 ? undefined : "has the same header twice; header names are case-insensitive";
    }),
  headerName: () =>
    string((value) => (isHeaderName(value) ? undefined : "must be a header name (letters, digits and hyphens)")),
  regex: () => string(regexProblem),
  policyRules: () => z.array(policyRule),
  module: ({ fields }) => schemaOf(fields),
};

const schemaFor = (check: Check): Schema => (schemas[check.kind] as (check: Check) => Schema)(check);

/** Creating a schema takes longer than checking with it. */
const cache = new WeakMap<Fields, Schema>();

/** The schema of an object with these fields. */
function schemaOf(fields: Fields): Schema {
  const schema =
    cache.get(fields) ??
    z.strictObject(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])));
  cache.set(fields, schema);
  return schema;
}

function fieldSchema({ check, required }: Field): Schema {
  const schema = schemaFor(check);
  return required ? schema : schema.optional();
}

/** What is wrong with these arguments. */
export function findIssues(fields: Fields, args: JsonObject): Issue[] {
  const issues = (schemaOf(fields).safeParse(args).error?.issues ?? []) as Issue[];
  const paths = new Set(issues.map(({ path }) => JSON.stringify(path)));
  // The library skips this key.
  const skipped = findProtoKeys(args).filter(({ path }) => !paths.has(JSON.stringify(path)));
  return [...issues, ...skipped.map((found) => ({ code: "custom" as const, ...found }))];
}

/** The names of the arguments at a path. */
export function argumentsAt(fields: Fields, path: PropertyKey[]): string[] {
  const here = schemasAlong(schemaOf(fields), path)[path.length];
  return here instanceof z.ZodObject ? Object.keys(here.shape) : [];
}

/** How many keys of a path come before the first key of a map, or of a value of any type. */
export function mapDepth(fields: Fields, path: PropertyKey[]): number {
  const depth = schemasAlong(schemaOf(fields), path).findIndex(
    (here) => here instanceof z.ZodRecord || here instanceof z.ZodUnknown,
  );
  return depth < 0 ? path.length : depth;
}

/** The schemas that a path leads through, from the first to the one where it ends. */
function schemasAlong(schema: Schema, path: PropertyKey[]): unknown[] {
  const along: unknown[] = [];
  let here: unknown = schema;
  for (const key of [...path, undefined]) {
    while (here instanceof z.ZodOptional || here instanceof z.ZodNullable) here = here.unwrap();
    along.push(here);
    here =
      here instanceof z.ZodArray ? here.element : here instanceof z.ZodObject ? here.shape[String(key)] : undefined;
  }
  return along;
}

/** The index of the first item that occurs before, ignoring case, or -1. What is undefined is not compared. */
function indexOfRepeated(items: (string | undefined)[]): number {
  const seen = new Set<string>();
  return items.findIndex((item) => item !== undefined && seen.size === seen.add(item.toLowerCase()).size);
}
