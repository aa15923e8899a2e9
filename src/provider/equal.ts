/** Comparing values as the service would. */

import type { Json } from "../api/wire";

/** Deep equality of JSON values; the order of an object's keys has no meaning. */
export function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), Object.entries(b)];
  return (
    left.length === right.length && left.every(([key, value]) => Object.hasOwn(b, key) && equal(value, at(b, key)))
  );
}

/** Equality of two lists whose order, and whose repetitions, have no meaning. */
export function equalAsSets(a: Json[], b: Json[]): boolean {
  const [left, right] = [new Set(a), new Set(b)];
  return left.size === right.size && [...left].every((item) => right.has(item));
}

const at = (container: object, key: string): Json => (container as Record<string, Json>)[key]!;
