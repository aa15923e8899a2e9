/** The command `import`, which writes a Pulumi project for the existing objects of an account. */

import { escapeInvisible } from "../../base/quote";
import type { Settings } from "../../base/settings";
import { type Connection, readEnvironment, withAccount } from "../account";
import { type Io, plural, processIo, run, UsageError, type Values } from "../io";
import type { AccountObject, Importable } from "./account";
import * as account from "./account";
import { apiKeyRisk, createProgram, isApiKeys } from "./program";
import { type RemovableOption, removableOptions, removeFromFiles } from "./removeOption";
import { wrap } from "./source";
import { createNewProject, openExistingProject, type Target } from "./target";
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
  --into DIR          add a file with the declarations to the Pulumi project in
                      this directory instead; overwrites nothing
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
  --remove OPTION     ${indent(`only remove this option, ${removableOptions.join(" or ")}, from the resources of the program in the current directory`)}
  --help              show this help

TUNNEL_EDGE_BASE_URL and TUNNEL_EDGE_API_KEY select the account.
`;

const optionTypes = {
  yaml: { type: "boolean", default: false },
  out: { type: "string" },
  into: { type: "string" },
  force: { type: "boolean", default: false },
  only: { type: "string" },
  "include-api-keys": { type: "boolean", default: false },
  "no-protect": { type: "boolean", default: false },
  "https-edge": { type: "string", multiple: true, default: [] as string[] },
  route: { type: "string", multiple: true, default: [] as string[] },
  "header-values": { type: "boolean", default: false },
  remove: { type: "string" },
  help: { type: "boolean", default: false },
} as const;

type Options = Values<typeof optionTypes>;

/** The command line; resolves to the exit code. */
export const main = (argv: string[], io: Io = processIo): Promise<number> =>
  run(argv, io, { help, options: optionTypes, failure: 1 }, async (options) => {
    if (options.remove === undefined) {
      await importAccount(options, readEnvironment(io.env), io);
    } else io.out(removeOption(options.remove));
    return 0;
  });

function removeOption(option: string): string {
  if (!isRemovable(option)) {
    throw new UsageError(`--remove must be ${removableOptions.join(" or ")}, not ${JSON.stringify(option)}.`);
  }
  const counts = [...removeFromFiles(".", option)];
  if (counts.length === 0) return `No resource in this directory has the option ${option}.\n`;
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const files = counts.map(([file]) => file).join(", ");
  return `Removed the option ${option} from ${plural(total, "resource")} in ${files}.\n`;
}

const isRemovable = (option: string): option is RemovableOption => removableOptions.some((each) => each === option);

async function importAccount(options: Options, settings: Settings, io: Io): Promise<void> {
  const importables = select(account.importables, options);
  const moduleParents = parseModuleParents(options);
  const target = chooseTarget(options);
  await withAccount(settings, io, async (connection) => {
    const objects = await readAccount(importables, moduleParents, connection);
    const findProblem = ({ isComplete, omissions, args }: AccountObject) => {
      if (!isComplete) return omissions.join("; ");
      return target.program.syntax === "yaml" ? findYamlProblem(args) : undefined;
    };
    for (const object of objects) {
      const problem = findProblem(object);
      if (problem === undefined) continue;
      const { importable, id } = object;
      connection.progress.printLine(
        escapeInvisible(`${importable.definition.displayName} ${id} cannot be imported: ${problem}`),
      );
    }
    const notes = apiKeyNotes(importables, options);
    const importable = objects.filter((object) => findProblem(object) === undefined);
    if (importable.length === 0) {
      const names = importables.map(({ name }) => name).join(", ");
      const message = `Nothing to import: the account has no ${names}. No files were written.`;
      io.out([message, ...notes.flatMap((note) => wrap(note)), ""].join("\n"));
      return;
    }
    const protect = !options["no-protect"];
    const program = createProgram(importable, { ...target.program, headerValues: options["header-values"], protect });
    notes.unshift(protect ? protectedNote : unprotectedNote);
    const omissionCount = importable.reduce((total, each) => total + each.omissions.length, 0);
    if (omissionCount > 0)
      notes.push(`Values that no program can declare were left out (${omissionCount}); comments say why.`);
    io.out(target.write(program, protect, notes));
  });
}

function chooseTarget({ out, into, yaml, force }: Options): Target {
  if (into === undefined) return createNewProject(out ?? "tunnel-edge-import", yaml ? "yaml" : "module", force);
  if (out !== undefined) throw new UsageError("--into and --out exclude each other: use one of them.");
  if (force) throw new UsageError("--into overwrites nothing: leave out --force.");
  const target = openExistingProject(into);
  if (yaml && target.program.syntax !== "yaml") throw new UsageError(`${into} is no YAML project: leave out --yaml.`);
  return target;
}

function apiKeyNotes(importables: Importable[], { only }: Options): string[] {
  if (importables.some(isApiKeys)) return [apiKeysIncludedNote];
  return only === undefined ? [apiKeysLeftOutNote] : [];
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
const apiKeysLeftOutNote = `API keys were left out. ${apiKeyRisk} Import them with --include-api-keys.`;
