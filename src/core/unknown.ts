/** Values that are not known in a preview. */

import type { JsonObject } from "../base/json";

/** What the engine sends in place of an unknown value: `pulumi.runtime.unknownValue`. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** The strings with which the engine replaces an unknown boolean, number, string, list, asset, archive and object. */
export const unknownStrings = new Set([
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  unknownValue,
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** Whether a value, or a part of it, is unknown. */
export function hasUnknown(value: unknown): boolean {
  if (value === unknownValue) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(hasUnknown);
}

/** The arguments, in which those that are unknown, or have an unknown part, are undefined. */
export const withoutUnknown = (args: JsonObject): Partial<JsonObject> =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name, hasUnknown(value) ? undefined : value]));
