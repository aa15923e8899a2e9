/** The command that writes a Pulumi project for the existing objects of an account. */

import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { Client } from "../api/client";
import { redact } from "../api/errors";
import { toSnakeCase } from "../json";
import { readSettings, type Settings } from "../settings";
import type { Found, Kind } from "./account";
import { fixedFiles, isApiKeys, nextSteps, type Program, writeProgram } from "./program";
import { visible } from "./source";

const help = `Usage: pulumi-tunnel-edge import [options]

Writes a Pulumi project that imports the existing objects of an account: SSH
credentials, and edges with their modules. Neither this command nor the
project's first \`pulumi up\` changes anything in the service.

  --out DIR           directory of the project (default tunnel-edge-import)
  --force             overwrite existing files
  --only KINDS        import only these kinds, such as tcp-edges,tls-edges
  --include-api-keys  import API keys too. They are left out by default: the
                      API does not say which key is in use, and deleting the
                      one that Pulumi itself uses locks it out. \`--only keys\`
                      also imports them
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

const options = {
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
  let secrets: string[] = [];
  try {
    const values = readOptions(argv);
    if (values.help) {
      io.out(help);
      return 0;
    }
    const settings = settingsFrom(io.env);
    secrets = [settings.apiKey];
    await run(values, settings, io);
    return 0;
  } catch (error) {
    io.err(`${redact((error as Error).message, secrets)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

type Values = ReturnType<typeof readOptions>;

function readOptions(argv: string[]) {
  try {
    return parseArgs({ args: argv, options, strict: true }).values;
  } catch (error) {
    // Node adds advice on "--" that does not help here.
    const problem = (error as Error).message.split("\n")[0]!.split(". ")[0]!.replace(/\.$/, "");
    throw new UsageError(`${problem}; see --help.`);
  }
}

function settingsFrom(env: NodeJS.ProcessEnv): Settings {
  const { settings, problems } = readSettings({}, env);
  if (problems.length === 0) return settings;
  const sentences = problems.map(({ setting, reason }) => {
    if (reason.startsWith("TUNNEL_EDGE_")) return reason;
    const variable = `TUNNEL_EDGE_${toSnakeCase(setting).toUpperCase()}`;
    if (!env[variable]?.trim()) return `${variable} is not set. It selects the account to import.`;
    return reason.replace(/^\S+/, variable);
  });
  throw new Error(sentences.join("\n"));
}

async function run(values: Values, settings: Settings, { out, err, terminal }: Io): Promise<void> {
  // The definitions bring the Pulumi SDK with them, which takes a second to load.
  const account = require("./account") as typeof import("./account");
  const kinds = selectKinds(account.kinds, values);
  const notes = kinds.some(isApiKeys) ? [apiKeysIncluded] : values.only === undefined ? [apiKeysLeftOut] : [];
  const given = [
    { option: "--https-edge", parents: 1, ids: values["https-edge"] },
    { option: "--route", parents: 2, ids: values.route },
  ].map(({ option, parents, ids }) => {
    for (const id of ids) {
      const problem = account.problemWith(id, parents);
      if (problem) throw new UsageError(`${option} ${problem}`);
    }
    return { kinds: account.modulesOf(parents), ids: [...new Set(ids)].sort() };
  });
  assertNoOverwrite(values, fixedFiles);

  const progress = new Progress(err, terminal);
  const client = new Client(
    { ...settings, logRequests: true },
    {
      request: (line) => {
        if (settings.logRequests) progress.say(redact(line, [settings.apiKey]));
        progress.request();
      },
      limited: (words) => progress.say(words),
      waiting: (status) => progress.show(redact(status, [settings.apiKey])),
    },
  );
  const found: Found[] = [];
  const bare = new Set(given.flatMap(({ ids }) => ids));
  for (const kind of kinds) {
    progress.begin(kind.definition.displayName);
    if (kind.definition.list) found.push(...(await account.listed(client, kind)));
    for (const id of given.find((each) => each.kinds.includes(kind))?.ids ?? []) {
      const module = await account.moduleOf(client, kind, id);
      if (!module) continue;
      found.push(module);
      bare.delete(id);
    }
  }
  progress.end();

  for (const id of bare) err(`No modules were found for ${id}. Check that it exists.\n`);
  for (const { kind, id, leftOut } of found.filter(({ complete }) => !complete)) {
    err(`${visible(`${kind.definition.displayName} ${id} cannot be imported: ${leftOut.join("; ")}`)}\n`);
  }
  const complete = found.filter(({ complete }) => complete);
  if (complete.length === 0) {
    const names = kinds.map(({ name }) => name).join(", ");
    out([`Nothing to import: the account has no ${names}. No files were written.`, ...notes, ""].join("\n"));
    return;
  }
  const { name, version, peerDependencies } = require("../../package.json");
  const program = writeProgram(complete, {
    project: projectName(values.out),
    version,
    dependencies: { ...peerDependencies, [name]: `^${version}` },
    headerValues: values["header-values"],
    protect: !values["no-protect"],
  });
  assertNoOverwrite(values, [...program.files.keys()]);
  write(values, program);
  notes.unshift(values["no-protect"] ? unprotected : protectedByDefault);
  const leftOut = complete.reduce((total, each) => total + each.leftOut.length, 0);
  if (leftOut > 0) notes.push(`Values that no program can declare were left out (${leftOut}); comments say why.`);
  out(summary(values.out, program, complete.length, notes));
}

function selectKinds(kinds: Kind[], { only, "include-api-keys": apiKeys }: Values): Kind[] {
  const names = only?.split(",").map((name) => name.trim());
  const unknown = names?.find((name) => !kinds.some((kind) => kind.name === name));
  if (unknown !== undefined) {
    const known = kinds.map(({ name }) => name).join(", ");
    throw new UsageError(`--only: unknown kind ${JSON.stringify(unknown)}; use any of ${known}`);
  }
  const isSelected = (kind: Kind) => (names ? names.includes(kind.name) : !isApiKeys(kind));
  return kinds.filter((kind) => isSelected(kind) || (apiKeys && isApiKeys(kind)));
}

function assertNoOverwrite({ out, force }: Values, files: string[]): void {
  const there = files.filter((file) => fs.existsSync(path.join(out, file)));
  if (force || there.length === 0) return;
  throw new Error(
    `${path.join(out, there[0]!)} already exists. Choose another directory with --out, or overwrite it with --force.`,
  );
}

function write({ out, force }: Values, { files }: Program): void {
  try {
    fs.mkdirSync(out, { recursive: true });
    for (const [file, text] of files) fs.writeFileSync(path.join(out, file), text, { flag: force ? "w" : "wx" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`Cannot write to ${out} (${code}). Choose another directory with --out.`);
  }
}

/** The directory's name, as far as it is valid as the name of a project and of a package. */
function projectName(out: string): string {
  const name = path
    .basename(path.resolve(out))
    .replace(/[^A-Za-z0-9_.-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 100);
  // The settings have this namespace, so the program's own configuration needs another.
  return name === "" || name === "tunnel-edge" ? "tunnel-edge-import" : name;
}

const protectedByDefault = "Every resource has `protect: true`: Pulumi does not delete it until you remove that line.";
const unprotected = "No resource is protected: `pulumi destroy` deletes the imported objects from the account.";
const apiKeysIncluded =
  "API keys are included: the API does not say which key is in use, and deleting the one that\n" +
  "Pulumi itself uses locks it out.";
const apiKeysLeftOut =
  "API keys were left out: the API does not say which key is in use, and deleting the one that\n" +
  "Pulumi itself uses locks it out. Import them with --include-api-keys.";

function summary(out: string, { parts, secrets }: Program, count: number, notes: string[]): string {
  const rows = parts.map(({ kind, count, files }) => ({
    noun: kind.definition.displayName,
    count: String(count),
    files: files.length > 2 ? `${files[0]} … ${files.at(-1)}` : files.join(", "),
  }));
  const [nouns, counts] = [rows.map(({ noun }) => noun.length), rows.map(({ count }) => count.length)];
  const table = rows.map(
    ({ noun, count, files }) =>
      `  ${noun.padEnd(Math.max(...nouns))}  ${count.padStart(Math.max(...counts))}  ${files}`,
  );
  const folder = /^[\w./-]+$/.test(out) ? out : `'${out.replaceAll("'", "'\\''")}'`;
  return [
    `Wrote ${out}, a Pulumi project for ${count} existing ${count === 1 ? "object" : "objects"}:`,
    "",
    ...table,
    "",
    ...notes,
    "",
    "Next steps, explained in its README.md:",
    "",
    ...[`cd ${folder}`, ...nextSteps(secrets)].map((step) => `  ${step}`),
    "",
  ].join("\n");
}

/** Shows progress while reading takes long: one line that is overwritten on a terminal, a line now and then elsewhere. */
class Progress {
  private what = "";
  private requests = 0;

  constructor(
    private readonly err: (text: string) => void,
    private readonly terminal: boolean,
  ) {}

  begin(what: string): void {
    this.what = what;
    this.requests = 0;
  }

  request(): void {
    this.requests++;
    if (this.terminal) this.show(`${this.requests} requests`);
  }

  show(detail: string): void {
    this.err(this.terminal ? `\r\x1b[KReading ${this.what}: ${detail}` : `Reading ${this.what}: ${detail}\n`);
  }

  say(line: string): void {
    this.end();
    this.err(`${line}\n`);
  }

  /** Clears the line. */
  end(): void {
    if (this.terminal) this.err("\r\x1b[K");
  }
}
