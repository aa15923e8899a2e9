/** The command `import`, which writes a Pulumi project for the existing objects of an account. */

import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { Client, type ClientListener } from "../api/client";
import { Clock } from "../clock";
import { Redaction } from "../redaction";
import type { Settings } from "../settings";
import type { AccountObject, Kind } from "./account";
import * as account from "./account";
import { nameVariables, readEnvironment } from "./environment";
import { readImportedNames } from "./importedNames";
import { apiKeyRisk, createProgram, getNextSteps, isApiKeyKind, type Program, projectFileNames } from "./program";
import { escapeInvisible, wrap } from "./source";

/** Wraps the description of an option in the second column of the help. */
const indent = (text: string) => wrap(text, 57).join(`\n${" ".repeat(22)}`);

const kindNames = account.kinds.map(({ name }) => name).join(", ");

const help = `Usage: pulumi-tunnel-edge import [options]

Writes a Pulumi project that imports the existing objects of an account: SSH
credentials, and edges with their modules. Neither this command nor the
project's first \`pulumi up\` changes anything in the service.

  --out DIR           directory of the project (default tunnel-edge-import)
  --force             overwrite existing files
  --only KINDS        ${indent(`import only these kinds, separated by commas: ${kindNames}`)}
  --include-api-keys  ${indent(`import API keys too. To import only API keys, use \`--only keys\`. By default they are left out. ${apiKeyRisk}`)}
  --no-protect        leave out \`protect: true\`. By default every resource has
                      it, so that Pulumi does not delete what was imported
  --https-edge ID     import the modules of this HTTPS edge too; repeatable
  --route EDGE/ROUTE  import the modules of this route of an HTTPS edge too;
                      repeatable (the API lists neither HTTPS edges nor routes)
  --header-values     write the values of request headers into the program. By
                      default it reads them from the stack's configuration
  --help              show this help

TUNNEL_EDGE_BASE_URL and TUNNEL_EDGE_API_KEY select the account.
`;

const optionTypes = {
  out: { type: "string", default: "tunnel-edge-import" },
  force: { type: "boolean", default: false },
  only: { type: "string" },
  "include-api-keys": { type: "boolean", default: false },
  "no-protect": { type: "boolean", default: false },
  "https-edge": { type: "string", multiple: true, default: [] as string[] },
  route: { type: "string", multiple: true, default: [] as string[] },
  "header-values": { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** What the command reads from and writes to. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  env: NodeJS.ProcessEnv;
  /** Whether `err` is a terminal, where a line can be overwritten. */
  terminal: boolean;
}

const processIo: Io = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  terminal: process.stderr.isTTY === true,
};

/** The command was called with wrong arguments. */
class UsageError extends Error {}

/** The command line; resolves to the exit code. */
export async function main(argv: string[], io = processIo): Promise<number> {
  let redaction = new Redaction({});
  try {
    const options = parseOptions(argv);
    if (options.help) {
      io.out(help);
      return 0;
    }
    const settings = readEnvironment(io.env);
    redaction = new Redaction(settings);
    await importAccount(options, settings, io, redaction);
    return 0;
  } catch (error) {
    io.err(`${redaction.format(nameVariables((error as Error).message))}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

type Options = ReturnType<typeof parseOptions>;

function parseOptions(argv: string[]) {
  try {
    return parseArgs({ args: argv, options: optionTypes, strict: true }).values;
  } catch (error) {
    // Node adds advice on "--" that does not help here.
    const problem = (error as Error).message.split("\n")[0]!.split(". ")[0]!.replace(/\.$/, "");
    throw new UsageError(`${problem}; see --help.`);
  }
}

async function importAccount(options: Options, settings: Settings, io: Io, redaction: Redaction): Promise<void> {
  const progress = new Progress(io, redaction);
  const kinds = selectKinds(account.kinds, options);
  const moduleParents = parseModuleParents(options);
  assertNoOverwrite(options, projectFileNames);
  const objects = await readAccount(kinds, moduleParents, settings, progress, redaction);
  for (const { kind, id, omissions } of objects.filter(({ isComplete }) => !isComplete)) {
    const message = `${kind.definition.displayName} ${id} cannot be imported: ${omissions.join("; ")}`;
    progress.printLine(escapeInvisible(message));
  }
  const notes = apiKeyNotes(kinds, options);
  const importable = objects.filter(({ isComplete }) => isComplete);
  if (importable.length === 0) {
    const names = kinds.map(({ name }) => name).join(", ");
    const message = `Nothing to import: the account has no ${names}. No files were written.`;
    io.out([message, ...notes.flatMap((note) => wrap(note)), ""].join("\n"));
    return;
  }
  const { name, version, peerDependencies } = require("../../package.json");
  const program = createProgram(importable, {
    project: toProjectName(options.out),
    importedNames: readImportedNames(options.out),
    version,
    dependencies: { ...peerDependencies, [name]: `^${version}` },
    headerValues: options["header-values"],
    protect: !options["no-protect"],
  });
  assertNoOverwrite(options, [...program.files.keys()]);
  writeFiles(options, program);
  notes.unshift(options["no-protect"] ? unprotectedNote : protectedNote);
  const omissionCount = importable.reduce((total, each) => total + each.omissions.length, 0);
  if (omissionCount > 0)
    notes.push(`Values that no program can declare were left out (${omissionCount}); comments say why.`);
  io.out(formatSummary(options.out, program, importable.length, notes));
}

function apiKeyNotes(kinds: Kind[], { only }: Options): string[] {
  if (kinds.some(isApiKeyKind)) return [apiKeysIncludedNote];
  return only === undefined ? [apiKeysLeftOutNote] : [];
}

/** The objects, given by their ids, whose modules are imported, and the kinds of these modules. */
interface ModuleParents {
  kinds: Kind[];
  ids: string[];
}

function parseModuleParents(options: Options): ModuleParents[] {
  return [
    { option: "--https-edge", parentCount: 1, ids: options["https-edge"] },
    { option: "--route", parentCount: 2, ids: options.route },
  ].map(({ option, parentCount, ids }) => {
    for (const id of ids) {
      const problem = account.findIdProblem(id, parentCount);
      if (problem) throw new UsageError(`${option} ${problem}.`);
    }
    return { kinds: account.findModuleKinds(parentCount), ids: [...new Set(ids)].sort() };
  });
}

async function readAccount(
  kinds: Kind[],
  moduleParents: ModuleParents[],
  settings: Settings,
  progress: Progress,
  redaction: Redaction,
): Promise<AccountObject[]> {
  const listener: ClientListener = {
    onRequest: (line) => {
      if (settings.logRequests) progress.printLine(line);
      progress.countRequest();
    },
    onRateLimit: (message) => progress.printLine(message),
    onWait: (status) => progress.showDetail(nameVariables(status)),
  };
  const client = new Client({ ...settings, logRequests: true }, listener, new Clock(), redaction);
  const objects: AccountObject[] = [];
  const idsWithoutModules = new Set(moduleParents.flatMap(({ ids }) => ids));
  for (const kind of kinds) {
    progress.begin(kind.definition.displayName);
    objects.push(...(await account.listObjects(client, kind)));
    for (const id of moduleParents.find((each) => each.kinds.includes(kind))?.ids ?? []) {
      const module = await account.readModule(client, kind, id);
      if (!module) continue;
      objects.push(module);
      idsWithoutModules.delete(id);
    }
  }
  progress.clearLine();
  for (const id of idsWithoutModules) progress.printLine(`No modules were found for ${id}. Check the id.`);
  return objects;
}

function selectKinds(kinds: Kind[], { only, "include-api-keys": apiKeys }: Options): Kind[] {
  const names = only?.split(",").map((name) => name.trim());
  const unknown = names?.find((name) => !kinds.some((kind) => kind.name === name));
  if (unknown !== undefined) {
    throw new UsageError(`--only: unknown kind ${JSON.stringify(unknown)}; use any of ${kindNames}.`);
  }
  const isSelected = (kind: Kind) => (names ? names.includes(kind.name) : !isApiKeyKind(kind));
  return kinds.filter((kind) => isSelected(kind) || (apiKeys && isApiKeyKind(kind)));
}

function assertNoOverwrite({ out, force }: Options, files: string[]): void {
  const existing = files.filter((file) => fs.existsSync(path.join(out, file)));
  if (force || existing.length === 0) return;
  throw new Error(
    `${path.join(out, existing[0]!)} already exists. Choose another directory with --out, or overwrite it with --force.`,
  );
}

function writeFiles({ out, force }: Options, { files }: Program): void {
  try {
    fs.mkdirSync(out, { recursive: true });
    for (const [file, text] of files) fs.writeFileSync(path.join(out, file), text, { flag: force ? "w" : "wx" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`Cannot write to ${out} (${code}). Choose another directory with --out.`);
  }
}

/** Returns the directory's name without the characters that are not valid in the name of a project or package. */
function toProjectName(out: string): string {
  const name = path
    .basename(path.resolve(out))
    .replace(/[^A-Za-z0-9_.-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 100);
  // The program's configuration needs another namespace than the settings.
  return name === "" || name === "tunnel-edge" ? "tunnel-edge-import" : name;
}

const protectedNote = "Every resource has `protect: true`: Pulumi does not delete it until you remove that line.";
const unprotectedNote = "No resource is protected: `pulumi destroy` deletes the imported objects from the account.";
const apiKeysIncludedNote = `API keys are included. ${apiKeyRisk}`;
const apiKeysLeftOutNote = `API keys were left out. ${apiKeyRisk} Import them with --include-api-keys.`;

function formatSummary(out: string, { parts, secrets }: Program, count: number, notes: string[]): string {
  const rows = parts.map(({ kind, count, files }) => ({
    name: kind.definition.displayName,
    count: String(count),
    files: files.length > 2 ? `${files[0]} … ${files.at(-1)}` : files.join(", "),
  }));
  const nameWidth = Math.max(...rows.map(({ name }) => name.length));
  const countWidth = Math.max(...rows.map(({ count }) => count.length));
  const table = rows.map(
    ({ name, count, files }) => `  ${name.padEnd(nameWidth)}  ${count.padStart(countWidth)}  ${files}`,
  );
  const directory = /^[\w./-]+$/.test(out) ? out : `'${out.replaceAll("'", "'\\''")}'`;
  return [
    `Wrote ${out}, a Pulumi project for ${count} existing ${count === 1 ? "object" : "objects"}:`,
    "",
    ...table,
    "",
    ...notes.flatMap((note) => wrap(note)),
    "",
    "Next steps, explained in its README.md:",
    "",
    ...[`cd ${directory}`, ...getNextSteps(secrets)].map((step) => `  ${step}`),
    "",
  ].join("\n");
}

/** Shows the progress of reading: on a terminal in one line that is overwritten, elsewhere in a line now and then. */
class Progress {
  private kind = "";
  private requests = 0;

  constructor(
    private readonly io: Io,
    private readonly redaction: Redaction,
  ) {}

  begin(kind: string): void {
    this.kind = kind;
    this.requests = 0;
  }

  countRequest(): void {
    this.requests++;
    if (this.io.terminal) this.showDetail(`${this.requests} requests`);
  }

  showDetail(detail: string): void {
    const line = this.redaction.format(`Reading ${this.kind}: ${detail}`);
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
