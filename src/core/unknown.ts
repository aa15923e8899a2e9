/** Values that are not known in a preview. */

import type { JsonObject } from "../json";

/** What the engine sends in place of an unknown value: `pulumi.runtime.unknownValue`. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Whether a value, or a part of it, is unknown. */
export function hasUnknown(value: unknown): boolean {
  if (value === unknownValue) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(hasUnknown);
}

export const withoutUnknown = (args: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => !hasUnknown(value)));
