/** What the commands that read files have in common. */

import { readFileSync } from "node:fs";
import { parseJson } from "../../base/json";

/** What a command writes to. */
export interface Io {
  out(text: string): unknown;
  err(text: string): unknown;
}

export const processIo: Io = { out: (text) => process.stdout.write(text), err: (text) => process.stderr.write(text) };

/** Parses options, with a message that fits. */
export function rejectUnknown<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    // Node adds advice on "--" that does not help here.
    const problem = (error as Error).message.split("\n")[0]!.split(". ")[0]!.replace(/\.$/, "");
    throw new Error(`${problem}; see --help.`);
  }
}

export function parseFile(file: string, command: string): unknown {
  const text = readText(file);
  try {
    return parseJson(text);
  } catch (error) {
    throw new Error(`${file} ${(error as Error).message}. Write it with \`${command} > ${file}\`.`);
  }
}

export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`Cannot read ${file}: ${code === "ENOENT" ? "there is no such file" : message}.`);
  }
}
