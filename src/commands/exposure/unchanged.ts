/** What a preview proves of values that it hides. */

import { isObject, type Json, type JsonObject } from "../../base/json";
import { parsePath } from "../../core/options";
import { unknownValue } from "../../core/unknown";
import { hasHidden, isHidden } from "./model";
import type { Step } from "./preview";

/** Whether a preview proves that a value keeps what it is, by its path. */
export type Unchanged = (path: string[]) => boolean;

/**
 * Only a detailed diff proves something, and it names every value that changes, or one around or within it. It may compare
 * inputs, which are not what the service has after an update that was not finished.
 */
export function proveUnchanged({ op, detailedDiff, oldState }: Step): Unchanged {
  if (oldState?.initErrors) return () => false;
  if (op === "same") return () => true;
  const changed = isObject(detailedDiff) ? Object.keys(detailedDiff).map(parsePath) : [[]];
  return (path) =>
    !changed.some((keys) => keys.every((key, index) => path[index] === undefined || path[index] === key));
}

/** The declared value, in which a hidden value has its old value if it is proven to be unchanged; otherwise it is unknown. */
export function reveal(declared: Json, was: Json | undefined, isUnchanged: Unchanged, path: string[] = []): Json {
  if (was !== undefined && (hasHidden(declared) || hasHidden(was)) && isUnchanged(path)) return was;
  if (isHidden(declared)) return unknownValue;
  if (typeof declared !== "object" || declared === null) return declared;
  const parts = Object.entries(declared).map(([key, part]): [string, Json] => {
    const before = typeof was === "object" && was !== null ? (was as JsonObject)[key] : undefined;
    return [key, reveal(part, before, isUnchanged, [...path, key])];
  });
  return Array.isArray(declared) ? parts.map(([, part]) => part) : Object.fromEntries(parts);
}
