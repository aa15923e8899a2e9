/** Writes all files or none, and overwrites existing ones only with `--force`. */

import fs from "node:fs";
import path from "node:path";

/** The directory to write to, and whether existing files are overwritten. */
export interface Place {
  dir: string;
  force: boolean;
  /** The option that chooses another place. */
  option: string;
}

export function assertNoOverwrite({ dir, force, option }: Place, names: Iterable<string>): void {
  const existing = [...names].find((name) => fs.existsSync(path.join(dir, name)));
  if (force || existing === undefined) return;
  throw new Error(
    `${path.join(dir, existing)} already exists. Choose another place with ${option}, or overwrite it with --force.`,
  );
}

/** Writes all files or none: files from before the disk was full would block the next run. */
export function writeFiles(place: Place, files: Map<string, string>): void {
  assertNoOverwrite(place, files.keys());
  const partOf = (name: string) => path.join(place.dir, `${name}.part`);
  const begun: string[] = [];
  try {
    fs.mkdirSync(place.dir, { recursive: true });
    for (const [name, text] of files) {
      fs.closeSync(fs.openSync(partOf(name), "w"));
      begun.push(partOf(name));
      fs.writeFileSync(partOf(name), text);
    }
    for (const name of files.keys()) fs.renameSync(partOf(name), path.join(place.dir, name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`Cannot write to ${place.dir} (${code}). Choose another place with ${place.option}.`);
  } finally {
    for (const part of begun) fs.rmSync(part, { force: true });
  }
}

export const formatJson = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`;
