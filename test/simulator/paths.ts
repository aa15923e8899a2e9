/** How the engine names what differs between two values (NewDetailedDiffFromObjectDiff). */
import { isDeepStrictEqual } from "node:util";
import { isSecretEnvelope } from "../../src/core/secrets";

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isSecretEnvelope(value as never);

/** The paths at which two values differ. A secret differs as a whole. */
export function listPaths(path: string, before: unknown, after: unknown): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after))
    return [...Array(Math.max(before.length, after.length)).keys()].flatMap((index) =>
      listPaths(`${path}[${index}]`, before[index], after[index]),
    );
  if (!isMap(before) || !isMap(after)) return [path];
  return Object.keys({ ...before, ...after }).flatMap((key) => listPaths(`${path}.${key}`, before[key], after[key]));
}
