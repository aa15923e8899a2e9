/** The wire's values and names: the API writes snake_case, programs write camelCase. */

export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** `ipPolicyIds` → `ip_policy_ids`. */
export const toSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `ip_policy_ids` → `ipPolicyIds`. */
export const toCamelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** How deep values may be nested: far deeper than anybody does, and not so deep that a recursion fails. */
const maxDepth = 100;

/**
 * What a value is that JSON cannot carry, such as `a Date`; `within` are the objects around it. Pulumi would pass on `{}`
 * in its place, or nothing.
 */
export function nonJsonType(value: unknown, within: readonly unknown[] = []): string | undefined {
  if (typeof value === "bigint") return "a BigInt";
  if (typeof value === "symbol" || typeof value === "function") return `a ${typeof value}`;
  if (typeof value !== "object" || value === null) return undefined;
  if (within.includes(value)) return "an object that contains itself";
  if (within.length > maxDepth) return `nested more than ${maxDepth} levels deep`;
  const [, name = ""] = /^\[object (\w+)\]$/.exec(Object.prototype.toString.call(value)) ?? [];
  if (name === "Object" || Array.isArray(value)) return undefined;
  return `${/^[AEIO]/.test(name) ? "an" : "a"} ${name || "special object"}`;
}

/** Whether a value is nested so deep that a recursion over it may fail. */
export function isTooDeep(value: Json | undefined): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > 2 * maxDepth) return true;
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return false;
}

/** The key that names an object's prototype: set as usual, it would be merged or dropped instead of sent. */
export const protoKey = "__proto__";

/** The service writes null, "", an absent field or, for lists, [] where nothing is set. */
export const isUnset = (value: unknown): value is undefined | null | "" =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** Some lists are shown as a single value in the API document's tables: both are read. */
export const asList = (value: Json | undefined): Json[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];

/** The values that are set: null counts as not set. */
export const withoutNull = (values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));

/**
 * Deep equality of JSON values; the order of an object's keys has no meaning. For Node's `isDeepStrictEqual`, 0 and -0
 * differ, of which JSON carries only one: a policy's number that is computed as -0 would be a change in each preview.
 */
export function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [entries, others] = [Object.entries(a), Object.entries(b)];
  if (entries.length !== others.length) return false;
  return entries.every(([key, value]) => Object.hasOwn(b, key) && equal(value, valueAt(b, key)));
}

/** Equality of two lists whose order, and whose repetitions, have no meaning. */
export function equalAsSets(a: Json[], b: Json[]): boolean {
  const [items, others] = [new Set(a), new Set(b)];
  return items.size === others.size && [...items].every((item) => others.has(item));
}

const valueAt = (container: object, key: string): Json => (container as Record<string, Json>)[key]!;

/** How deep a file may be nested: not so deep that a recursion fails. */
const maxFileDepth = 1_000;

/** Parses a file's text. Throws an error in words, which continues a sentence about the file. */
export function parseJson(text: string): unknown {
  let level: unknown[];
  try {
    level = [JSON.parse(text)];
  } catch {
    throw new Error("is not JSON");
  }
  const [value] = level;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxFileDepth) throw new Error(`is nested more than ${maxFileDepth} levels deep`);
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return value;
}
