/** What the engine sends in previews in place of a value that is not known yet. */

import { runtime } from "@pulumi/pulumi";

export const unknown = runtime.unknownValue;

/** Whether a value, or a part of it, is not known yet. */
export function hasUnknown(value: unknown): boolean {
  if (value === unknown) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(hasUnknown);
}
