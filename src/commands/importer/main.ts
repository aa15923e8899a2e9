/** The command `import`, which writes a program for the existing objects of an account. */

import path from "node:path";
import { escapeInvisible, quoteForShell } from "../../base/quote";
import { type Connection, readEnvironment, withAccount } from "../account";
import { type Io, plural, processIo, run, UsageError, type Values, wrap } from "../io";
import type { AccountObject, Importable } from "./account";
import * as account from "./account";
import { assertNoOverwrite, formatJson, type Place, writeFiles } from "./files";
import { apiKeyRisk, createProgram, groupBy, isApiKeys, nameObjects, type Part } from "./program";
import { readImportedNames, writeProject } from "./project";
import { findYamlProblem } from "./yaml";

/** Wraps the description of an option in the second column of the help. */
const indent = (text: string) => wrap(text, 57).join(`\n${" ".repeat(22)}`);

const importableNames = account.importables.map(({ name }) => name).join(", ");

const help = `Usage: pulumi-tunnel-edge import [options]

Writes a Pulumi project that imports the existing objects of an account: SSH
credentials, and edges with their modules. Neither this command nor the
project's first \`pulumi up\` changes anything in the service.

  --yaml              write YAML instead of TypeScript
  --out DIR           directory of the project (default tunnel-edge-import)
  --import-file FILE  write only the file that \`pulumi import --file\` reads, for a
                      project that exists and uses the plugin
  --force             overwrite existing files
  --only KINDS        ${indent(`import only these kinds, separated by commas: ${importableNames}`)}
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
  yaml: { type: "boolean", default: false },
  out: { type: "string" },
  "import-file": { type: "string" },
  force: { type: "boolean", default: false },
  only: { type: "string" },
  "include-api-keys": { type: "boolean", default: false },
  "no-protect": { type: "boolean", default: false },
  "https-edge": { type: "string", multiple: true, default: [] as string[] },
  route: { type: "string", multiple: true, default: [] as string[] },
  "header-values": { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

type Options = Values<typeof optionTypes>;

/** The command line; resolves to the exit code. */
export const main = (argv: string[], io: Io = processIo): Promise<number> =>
  run(argv, io, { help, options: optionTypes, failure: 1 }, async (options) => {
    const settings = readEnvironment(io.env);
    const importables = select(account.importables, options);
    const moduleParents = parseModuleParents(options);
    const target = chooseTarget(options);
    await withAccount(settings, io, async (connection) => {
      const objects = (await readAccount(importables, moduleParents, connection)).filter((object) => {
        const problem = target.findProblem(object);
        if (problem === undefined) return true;
        const message = `${object.importable.definition.displayName} ${object.id} cannot be imported: ${problem}`;
        connection.progress.printLine(escapeInvisible(message));
        return false;
      });
      const notes = apiKeyNotes(importables, options);
      if (objects.length > 0) {
        io.out(formatSummary(target.write(objects), notes));
        return;
      }
      const names = importables.map(({ name }) => name).join(", ");
      const message = `Nothing to import: the account has no ${names}. No files were written.`;
      io.out([message, ...notes.flatMap((note) => wrap(note)), ""].join("\n"));
    });
    return 0;
  });

/** What was written. */
interface Written {
  title: string;
  parts: Part[];
  notes: string[];
  /** What introduces the next commands. */
  next: string;
  commands: string[];
}

interface Target {
  /** Why an object cannot be imported. */
  findProblem(object: AccountObject): string | undefined;
  write(objects: AccountObject[]): Written;
}

function chooseTarget(options: Options): Target {
  const { "import-file": file, force } = options;
  if (file !== undefined) return openImportFile(file, options);
  return openProject({ dir: options.out ?? "tunnel-edge-import", force, option: "--out" }, options);
}

function openProject(place: Place, { yaml, "no-protect": noProtect, "header-values": headerValues }: Options): Target {
  const syntax = yaml ? "yaml" : "typescript";
  const protect = !noProtect;
  const importedNames = readImportedNames(place, syntax);
  return {
    findProblem: (object) => findIncomplete(object) ?? (yaml ? findYamlProblem(object.args) : undefined),
    write(objects) {
      const program = createProgram(objects, { syntax, importedNames, headerValues, protect });
      const omissionCount = objects.reduce((total, each) => total + each.omissions.length, 0);
      return {
        title: `Wrote ${place.dir}, a Pulumi project for`,
        parts: program.parts,
        notes: [
          protect ? protectedNote : unprotectedNote,
          ...(omissionCount > 0
            ? [`Values that no program can declare were left out (${omissionCount}); comments say why.`]
            : []),
        ],
        next: yaml
          ? "Install the plugin first, as its README.md says. Then:"
          : "Next steps, explained in its README.md:",
        commands: writeProject(place, syntax, protect, program),
      };
    },
  };
}

function openImportFile(file: string, { force, "no-protect": noProtect, ...others }: Options): Target {
  for (const option of ["yaml", "out", "header-values"] as const) {
    if (others[option]) throw new UsageError(`--import-file and --${option} exclude each other: use one of them.`);
  }
  const place = { dir: path.dirname(file), force, option: "--import-file" };
  assertNoOverwrite(place, [path.basename(file)]);
  return {
    findProblem: findIncomplete,
    write(objects) {
      const resources = nameObjects(objects, {}).map(({ importable, id, name }) => ({
        type: `tunnel-edge:index:${importable.definition.type}`,
        name,
        id,
      }));
      writeFiles(place, new Map([[path.basename(file), formatJson({ resources })]]));
      return {
        title: `Wrote ${file}, for the import of`,
        parts: [...groupBy(objects, ({ importable }) => importable)].map(([importable, { length: count }]) => ({
          importable,
          count,
          files: [],
        })),
        notes: [
          noProtect
            ? unprotectedNote
            : "`pulumi import` protects every resource: Pulumi does not delete it until you remove `protect: true`.",
          "Keep only objects that no stack manages: the command `inventory --stack <stack> --unmanaged` lists them.",
        ],
        next: "Next step, in a project that uses the plugin, whose program then needs the declarations that it prints:",
        commands: [`pulumi import --file ${quoteForShell(file)}${noProtect ? " --protect=false" : ""}`],
      };
    },
  };
}

const findIncomplete = ({ isComplete, omissions }: AccountObject) => (isComplete ? undefined : omissions.join("; "));

function formatSummary({ title, parts, notes, next, commands }: Written, accountNotes: string[]): string {
  const count = parts.reduce((total, part) => total + part.count, 0);
  const rows = parts.map((part) => ({
    name: part.importable.definition.displayName,
    count: String(part.count),
    files: part.files.length > 2 ? `${part.files[0]} … ${part.files.at(-1)}` : part.files.join(", "),
  }));
  const nameWidth = Math.max(...rows.map(({ name }) => name.length));
  const countWidth = Math.max(...rows.map((row) => row.count.length));
  const indented = (lines: string[]) => lines.map((line) => `  ${line}`.trimEnd());
  return [
    `${title} ${plural(count, "existing object")}:`,
    "",
    ...indented(rows.map((row) => `${row.name.padEnd(nameWidth)}  ${row.count.padStart(countWidth)}  ${row.files}`)),
    "",
    ...[...notes, ...accountNotes].flatMap((note) => wrap(note)),
    "",
    ...wrap(next),
    "",
    ...indented(commands),
    "",
  ].join("\n");
}

function apiKeyNotes(importables: Importable[], { only }: Options): string[] {
  if (importables.some(isApiKeys)) return [apiKeysIncludedNote];
  return only === undefined ? [apiKeysExcludedNote] : [];
}

/** The objects, given by their ids, whose modules are imported, and the kinds of these modules. */
interface ModuleParents {
  importables: Importable[];
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
    return { importables: account.findModules(parentCount), ids: [...new Set(ids)].sort() };
  });
}

async function readAccount(
  importables: Importable[],
  moduleParents: ModuleParents[],
  { client, progress }: Connection,
): Promise<AccountObject[]> {
  const objects: AccountObject[] = [];
  const idsWithoutModules = new Set(moduleParents.flatMap(({ ids }) => ids));
  for (const importable of importables) {
    progress.begin(importable.definition.displayName);
    objects.push(...(await account.listObjects(client, importable)));
    for (const id of moduleParents.find((each) => each.importables.includes(importable))?.ids ?? []) {
      const module = await account.readModule(client, importable, id);
      if (!module) continue;
      objects.push(module);
      idsWithoutModules.delete(id);
    }
  }
  progress.clearLine();
  for (const id of idsWithoutModules) progress.printLine(`No modules were found for ${id}. Check the id.`);
  return objects;
}

function select(importables: Importable[], { only, "include-api-keys": apiKeys }: Options): Importable[] {
  const names = only?.split(",").map((name) => name.trim());
  const unknown = names?.find((name) => !importables.some((importable) => importable.name === name));
  if (unknown !== undefined) {
    throw new UsageError(`--only: unknown kind ${JSON.stringify(unknown)}; use any of ${importableNames}.`);
  }
  const isSelected = (importable: Importable) => (names ? names.includes(importable.name) : !isApiKeys(importable));
  return importables.filter((importable) => isSelected(importable) || (apiKeys && isApiKeys(importable)));
}

const protectedNote = "Every resource has `protect: true`: Pulumi does not delete it until you remove that line.";
const unprotectedNote = "No resource is protected: `pulumi destroy` deletes the imported objects from the account.";
const apiKeysIncludedNote = `API keys are included. ${apiKeyRisk}`;
const apiKeysExcludedNote = `API keys were left out. ${apiKeyRisk} Import them with --include-api-keys.`;
