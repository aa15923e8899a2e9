/** The command that writes a program for what an account already has. */

import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { Client } from "../api/client";
import { redacted } from "../api/errors";
import { snake } from "../api/wire";
import { readSettings, type Settings } from "../settings";
import type { Found, Kind } from "./account";
import { fixedFiles, nextSteps, type Program, writeProgram } from "./program";
import { visible } from "./source";

const help = `Usage: pulumi-tunnel-edge import [options]

Writes a Pulumi program for what an account already has: edges with their
modules, API keys and SSH credentials. The program's first \`pulumi up\` takes
everything over as it is; nothing is changed in the service, then or now.

  --out DIR         folder for the project (default tunnel-edge-import)
  --force           overwrite files that are there
  --only KINDS      some kinds alone, such as tcp-edges,keys
  --https-edge ID   the modules of this HTTPS edge too; may be repeated
  --route EDGE/ID   the modules of this route of an HTTPS edge too; may be
                    repeated (the service lists neither edges nor routes)
  --header-values   write the values of request headers into the program,
                    which otherwise takes them from its configuration
  --help            show this

The account is the one of TUNNEL_EDGE_BASE_URL and TUNNEL_EDGE_API_KEY.
`;

const options = {
  out: { type: "string", default: "tunnel-edge-import" },
  force: { type: "boolean", default: false },
  only: { type: "string" },
  "https-edge": { type: "string", multiple: true, default: [] as string[] },
  route: { type: "string", multiple: true, default: [] as string[] },
  "header-values": { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** What the command reads from and writes to. */
export interface Surroundings {
  out(text: string): void;
  err(text: string): void;
  env: NodeJS.ProcessEnv;
  /** Whether `err` is a terminal, where a line can be written over. */
  terminal: boolean;
}

const ourProcess: Surroundings = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  terminal: process.stderr.isTTY === true,
};

/** A way of calling the command that it does not know. */
class Misuse extends Error {}

/** The command line; resolves to the exit code. */
export async function main(argv: string[], surroundings = ourProcess): Promise<number> {
  let secrets: string[] = [];
  try {
    const values = readOptions(argv);
    if (values.help) {
      surroundings.out(help);
      return 0;
    }
    const settings = settingsFrom(surroundings.env);
    secrets = [settings.apiKey];
    await run(values, settings, surroundings);
    return 0;
  } catch (error) {
    surroundings.err(`${redacted((error as Error).message, secrets)}\n`);
    return error instanceof Misuse ? 2 : 1;
  }
}

type Values = ReturnType<typeof readOptions>;

function readOptions(argv: string[]) {
  try {
    return parseArgs({ args: argv, options, strict: true }).values;
  } catch (error) {
    // Node adds advice on "--" that does not help here.
    const problem = (error as Error).message.split("\n")[0]!.split(". ")[0]!.replace(/\.$/, "");
    throw new Misuse(`${problem}; see --help.`);
  }
}

function settingsFrom(env: NodeJS.ProcessEnv): Settings {
  const { settings, problems } = readSettings(() => undefined, env);
  if (problems.length === 0) return settings;
  const sentences = problems.map(({ setting, reason }) => {
    const variable = `TUNNEL_EDGE_${snake(setting).toUpperCase()}`;
    if (!env[variable]?.trim()) return `${variable} is not set in the environment: it says which account to read.`;
    return reason.replace(/^\S+/, variable);
  });
  throw new Error(sentences.join("\n"));
}

async function run(values: Values, settings: Settings, { out, err, terminal }: Surroundings): Promise<void> {
  // The definitions bring the Pulumi SDK with them, which takes a second to load.
  const account = require("./account") as typeof import("./account");
  const kinds = chosen(account.kinds, values.only);
  const given = [
    { option: "--https-edge", parents: 1, ids: values["https-edge"] },
    { option: "--route", parents: 2, ids: values.route },
  ].map(({ option, parents, ids }) => {
    for (const id of ids) {
      const problem = account.problemWith(id, parents);
      if (problem) throw new Misuse(`${option} ${problem}`);
    }
    return { kinds: account.modulesOf(parents), ids: [...new Set(ids)].sort() };
  });
  refuseToOverwrite(values, fixedFiles);

  const progress = new Progress(err, terminal);
  const client = new Client(
    { ...settings, logRequests: true },
    {
      request: (line) => {
        if (settings.logRequests) progress.say(redacted(line, [settings.apiKey]));
        progress.request();
      },
      limited: (words) => progress.say(words),
      waiting: (status) => progress.show(redacted(status, [settings.apiKey])),
    },
  );
  const found: Found[] = [];
  const bare = new Set(given.flatMap(({ ids }) => ids));
  for (const kind of kinds) {
    progress.begin(kind.definition.noun);
    if (kind.definition.list) found.push(...(await account.listed(client, kind)));
    for (const id of given.find((each) => each.kinds.includes(kind))?.ids ?? []) {
      const module = await account.moduleOf(client, kind, id);
      if (!module) continue;
      found.push(module);
      bare.delete(id);
    }
  }
  progress.end();

  for (const id of bare) err(`${id} has none of the modules that were looked for, or does not exist.\n`);
  for (const { kind, id, leftOut } of found.filter(({ complete }) => !complete)) {
    err(`${visible(`${kind.definition.noun} ${id} cannot be imported: ${leftOut.join(" ")}`)}\n`);
  }
  const complete = found.filter(({ complete }) => complete);
  if (complete.length === 0) {
    out(`There is nothing to import of ${kinds.map(({ name }) => name).join(", ")}: no file was written.\n`);
    return;
  }
  const program = writeProgram(complete, {
    project: projectName(values.out),
    dependencies: dependencies(),
    headerValues: values["header-values"],
  });
  refuseToOverwrite(values, [...program.files.keys()]);
  write(values, program);
  out(summary(values.out, program, complete));
}

function chosen(kinds: Kind[], only: string | undefined): Kind[] {
  if (only === undefined) return kinds;
  const names = only.split(",").map((name) => name.trim());
  const odd = names.find((name) => !kinds.some((kind) => kind.name === name));
  if (odd !== undefined) {
    throw new Misuse(
      `--only does not know ${JSON.stringify(odd)}: it knows ${kinds.map(({ name }) => name).join(", ")}.`,
    );
  }
  return kinds.filter(({ name }) => names.includes(name));
}

function refuseToOverwrite({ out, force }: Values, files: string[]): void {
  const there = files.filter((file) => fs.existsSync(path.join(out, file)));
  if (force || there.length === 0) return;
  throw new Error(
    `${path.join(out, there[0]!)} exists: name another folder with --out, or overwrite what is there with --force.`,
  );
}

function write({ out, force }: Values, { files }: Program): void {
  try {
    fs.mkdirSync(out, { recursive: true });
    for (const [file, text] of files) fs.writeFileSync(path.join(out, file), text, { flag: force ? "w" : "wx" });
  } catch (error) {
    throw new Error(
      `${out} cannot be written: ${(error as NodeJS.ErrnoException).code}. Name another folder with --out.`,
    );
  }
}

/** The folder's name, as far as it can be a project's and a package's. */
function projectName(out: string): string {
  const name = path
    .basename(path.resolve(out))
    .replace(/[^A-Za-z0-9_.-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 100);
  // The package's settings have this namespace; the program's own configuration must have another.
  return name === "" || name === "tunnel-edge" ? "tunnel-edge-import" : name;
}

function dependencies(): Record<string, string> {
  const { name, version, peerDependencies } = require("../../package.json");
  return { ...peerDependencies, [name]: `^${version}` };
}

function summary(out: string, { parts, secrets }: Program, found: Found[]): string {
  const rows = parts.map(({ kind, count, files }) => ({
    noun: kind.definition.noun,
    count: String(count),
    files: files.length > 2 ? `${files[0]} … ${files.at(-1)}` : files.join(", "),
  }));
  const [nouns, counts] = [rows.map(({ noun }) => noun.length), rows.map(({ count }) => count.length)];
  const table = rows.map(
    ({ noun, count, files }) =>
      `  ${noun.padEnd(Math.max(...nouns))}  ${count.padStart(Math.max(...counts))}  ${files}`,
  );
  const leftOut = found.reduce((total, each) => total + each.leftOut.length, 0);
  const folder = /^[\w./-]+$/.test(out) ? out : `'${out.replaceAll("'", "'\\''")}'`;
  return [
    `Wrote a program for ${found.length} objects to ${out}:`,
    "",
    ...table,
    "",
    ...(leftOut > 0 ? [`What could not be stated (${leftOut}) is left out; comments in the program say why.`, ""] : []),
    "Next, as its README.md explains:",
    "",
    ...[`cd ${folder}`, ...nextSteps(secrets)].map((step) => `  ${step}`),
    "",
  ].join("\n");
}

/** What is going on, while it takes long: one line kept up to date on a terminal, a line now and then elsewhere. */
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

  /** Takes the line away. */
  end(): void {
    if (this.terminal) this.err("\r\x1b[K");
  }
}
