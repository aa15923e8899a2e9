/** What all commands share: options, files, progress, and numbers in words. */

import { readFileSync } from "node:fs";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { parseJson } from "../base/json";
import { Redaction } from "../base/redaction";

/** What a command writes to. */
export interface Output {
  out(text: string): unknown;
  err(text: string): unknown;
}

/** What a command reads from and writes to. */
export interface Io extends Output {
  env: NodeJS.ProcessEnv;
  /** Whether `err` is a terminal, where a line can be overwritten. */
  terminal: boolean;
}

export const processIo: Io = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  terminal: process.stderr.isTTY === true,
};

/** The command was called with wrong arguments. */
export class UsageError extends Error {}

export type OptionTypes = NonNullable<ParseArgsConfig["options"]>;

/** The values of the options. */
export type Values<Options extends OptionTypes> = ReturnType<
  typeof parseArgs<{ options: Options; strict: true }>
>["values"];

export interface CommandLine<Options extends OptionTypes> {
  help: string;
  options: Options & { help: { type: "boolean" } };
  /** Whether it is given files. */
  takesFiles?: boolean;
  /** The exit code of a failure, if it is another than that of wrong arguments. */
  failure?: number;
}

/** Reads the options, and does the work; resolves to the exit code: that of the work, or 2 for wrong arguments. */
export async function run<Options extends OptionTypes>(
  argv: string[],
  io: Output,
  { help, options, takesFiles = false, failure = 2 }: CommandLine<Options>,
  work: (values: Values<Options>, files: string[]) => number | Promise<number>,
): Promise<number> {
  try {
    const { values, positionals } = rejectUnknown(() =>
      parseArgs({ args: argv, options, strict: true, allowPositionals: takesFiles }),
    );
    if ((values as { help?: boolean }).help) {
      io.out(help);
      return 0;
    }
    return await work(values as Values<Options>, positionals);
  } catch (error) {
    io.err(`${new Redaction({}).format((error as Error).message)}\n`);
    return error instanceof UsageError ? 2 : failure;
  }
}

function rejectUnknown<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    // Node adds advice on "--" that does not help here.
    const problem = (error as Error).message.split("\n")[0]!.split(". ")[0]!.replace(/\.$/, "");
    throw new UsageError(`${problem}; see --help.`);
  }
}

/** Reads a file with the JSON that this command prints. */
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

/** `1 edge`, `2 edges`. */
export const plural = (count: number, noun: string, ending = "s") => `${count} ${noun}${count === 1 ? "" : ending}`;

/** Breaks text into lines of at most this width, or of one word. */
export function wrap(text: string, maxWidth = 80): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= maxWidth) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Shows the progress of reading: on a terminal in one line that is overwritten, elsewhere in a line now and then. */
export class Progress {
  private current = "";
  private requests = 0;

  constructor(
    private readonly io: Pick<Io, "err" | "terminal">,
    private readonly redaction: Redaction,
  ) {}

  begin(current: string): void {
    this.current = current;
    this.requests = 0;
  }

  countRequest(): void {
    this.requests++;
    if (this.io.terminal) this.showDetail(plural(this.requests, "request"));
  }

  showDetail(detail: string): void {
    const line = this.redaction.format(`Reading ${this.current}: ${detail}`);
    this.io.err(this.io.terminal ? `\r\x1b[K${line}` : `${line}\n`);
  }

  printLine(line: string): void {
    this.clearLine();
    this.io.err(`${this.redaction.format(line)}\n`);
  }

  clearLine(): void {
    if (this.io.terminal) this.io.err("\r\x1b[K");
  }
}
