/** The command `exposure`, which prints what a change opens. */

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { findOpenedEdges } from "./index";
import { command } from "./preview";

const help = `Usage: pulumi-tunnel-edge exposure [options] FILE

Prints a line for each edge that something restricts before a change, and to
which anyone can connect afterwards. Prints nothing if there is none.

FILE has what this command prints:

  ${command}

  --fail  exit with code 1 if there is a line
  --help  show this help

Exits with code 2 if FILE is not such a preview, or if the preview failed.
`;

/** What the command writes to. */
export interface Io {
  out(text: string): unknown;
  err(text: string): unknown;
}

const processIo: Io = { out: (text) => process.stdout.write(text), err: (text) => process.stderr.write(text) };

/** The command line; resolves to the exit code. */
export async function main(argv: string[], io = processIo): Promise<number> {
  try {
    const { values, positionals } = parseOptions(argv);
    if (values.help) {
      io.out(help);
      return 0;
    }
    const [file, ...others] = positionals;
    if (file === undefined || others.length > 0) throw new Error("Name one file; see --help.");
    const opened = findOpenedEdges(parseFile(file));
    io.out(opened.map(({ message }) => `${message}\n`).join(""));
    return values.fail && opened.length > 0 ? 1 : 0;
  } catch (error) {
    io.err(`${(error as Error).message}\n`);
    return 2;
  }
}

const options = { fail: { type: "boolean" }, help: { type: "boolean" } } as const;

function parseOptions(argv: string[]) {
  try {
    return parseArgs({ args: argv, options, strict: true, allowPositionals: true });
  } catch (error) {
    // Node adds advice on "--" that does not help here.
    const problem = (error as Error).message.split("\n")[0]!.split(". ")[0]!.replace(/\.$/, "");
    throw new Error(`${problem}; see --help.`);
  }
}

function parseFile(file: string): unknown {
  const text = readText(file);
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${file} is not JSON. Write it with \`${command} > ${file}\`.`);
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`Cannot read ${file}: ${code === "ENOENT" ? "there is no such file" : message}.`);
  }
}
