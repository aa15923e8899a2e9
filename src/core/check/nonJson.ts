/**
 * Values that JSON cannot carry. In arguments that are checked, a symbol that says what it is stands for such a value.
 */

import { type Json, nonJsonType, protoKey } from "../../base/json";
import { unknownValue } from "../unknown";

/** The arguments as a preview sees them: without undefined, and with one value for all that is not known yet. */
export function toJson(value: unknown, within: unknown[] = []): Json {
  try {
    if (isDeferred(value)) return unknownValue;
    const type = nonJsonType(value, within);
    if (type !== undefined) return Symbol(type) as unknown as Json;
    if (typeof value !== "object" || value === null) return value as Json;
    const inner = [...within, value];
    if (Array.isArray(value)) return Array.from(value, (item) => toJson(item, inner));
    const set = Object.entries(value).filter(([, item]) => item !== undefined);
    return Object.fromEntries(set.map(([key, item]) => [key, toJson(item, inner)]));
  } catch {
    return Symbol("an object that cannot be read") as unknown as Json;
  }
}

const isDeferred = (value: unknown) =>
  value instanceof Promise || (value as { __pulumiOutput?: unknown } | null | undefined)?.__pulumiOutput === true;

export const isNonJson = (value: unknown): value is symbol => typeof value === "symbol";

export const describeNonJson = (value: symbol) => value.description!;

interface Finding {
  path: (string | number)[];
  message: string;
}

/** The parts of a value that JSON cannot carry. */
export function findNonJson(value: unknown, path: Finding["path"] = []): Finding[] {
  if (isNonJson(value)) return [{ path, message: `is ${describeNonJson(value)}, which JSON cannot carry` }];
  if (typeof value === "number" && !Number.isFinite(value))
    return [{ path, message: "must not contain NaN or Infinity" }];
  return entriesOf(value).flatMap(([key, item]) => findNonJson(item, [...path, key]));
}

/** The objects with a key that programs drop or merge, or that Pulumi cannot carry. */
export function findBadKeys(value: unknown, path: Finding["path"] = []): Finding[] {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const bad = isObject ? [protoKey, ""].filter((key) => Object.hasOwn(value, key)) : [];
  return [
    ...bad.map((key) => ({ path, message: `has the key "${key}", which cannot be sent; use another` })),
    ...entriesOf(value).flatMap(([key, item]) => findBadKeys(item, [...path, key])),
  ];
}

const entriesOf = (value: unknown): [string | number, unknown][] =>
  Array.isArray(value)
    ? [...value.entries()]
    : typeof value === "object" && value !== null
      ? Object.entries(value)
      : [];
