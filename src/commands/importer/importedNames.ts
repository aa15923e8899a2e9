/**
 * Which name each object got, in a file beside the program. Pulumi knows a resource by its name: if another object got
 * it in a later import, its arguments would be those of the object that had it before.
 */

import fs from "node:fs";
import path from "node:path";
import { isObject } from "../../base/json";

/** The names of a type's objects, by id. Objects that no longer exist keep theirs. */
export type ImportedNames = Record<string, Record<string, string>>;

export const importedNamesFile = "imported.json";

/** The names of earlier imports into a directory. */
export function readImportedNames(dir: string): ImportedNames {
  const file = path.join(dir, importedNamesFile);
  if (!fs.existsSync(file)) return {};
  try {
    const names: unknown = JSON.parse(fs.readFileSync(file, "utf8"));
    if (isObject(names) && Object.values(names).every(isObject)) return names as ImportedNames;
  } catch {
    // Whatever is wrong with the file, the message is the same.
  }
  throw new Error(`${file} is broken. Restore it, or import into another directory with --out.`);
}

export const formatImportedNames = (names: ImportedNames) => `${JSON.stringify(names, null, 2)}\n`;
