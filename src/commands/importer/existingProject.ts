/** The Pulumi project to which `--into` adds a file. */

import fs from "node:fs";
import path from "node:path";
import type { Syntax } from "./program";

export interface ExistingProject {
  /** The path of the file to add, which does not exist yet. */
  file: string;
  syntax: Syntax;
  /** The file of the program to which `importLine` is to be added. YAML has no such line. */
  entry: string;
  importLine?: string;
  /** All strings in the project's source, among them the names of its resources and configuration. */
  strings: Set<string>;
  /** The packages that the file needs and package.json does not declare. */
  packages: string[];
  /** Whether Pulumi.yaml already names the plugin or something of it. */
  usesPlugin: boolean;
}

const sourceFile = /(?<!\.d)\.[cm]?[jt]s$/;
const importedFile = /(?<!\.d)\.([cm]?[jt]s|yaml)$/;

/** Reads the project that has this directory. */
export function readExistingProject(dir: string, neededPackages: string[]): ExistingProject {
  const root = findUpwards(dir, "Pulumi.yaml");
  if (root === undefined) {
    throw new Error(
      `${dir} is not in a Pulumi project: neither it nor a directory above it has Pulumi.yaml. Create a new project ` +
        "with --out.",
    );
  }
  const projectFile = path.join(root, "Pulumi.yaml");
  const project = fs.readFileSync(projectFile, "utf8");
  const [, runtime] = /^runtime:(?:\s+name:)?\s*["']?([\w-]+)/m.exec(project) ?? [];
  const names = fs.readdirSync(dir);
  const usesPlugin = /\btunnel-edge\b/.test(project);
  if (runtime === "yaml") {
    const file = path.join(dir, `${findFreeStem(names)}.yaml`);
    const strings = new Set(project.split(/[\s"'{}[\],:]+/));
    return { file, syntax: "yaml", entry: projectFile, strings, packages: [], usesPlugin };
  }
  if (runtime !== "nodejs") {
    throw new Error(
      `${projectFile} has the runtime ${runtime}, but this command writes TypeScript, JavaScript and YAML. Create a new ` +
        "project with --out, or use `pulumi import`.",
    );
  }
  const manifestDir = findUpwards(dir, "package.json");
  const manifest = manifestDir === undefined ? {} : readJson(path.join(manifestDir, "package.json"));
  const sources = listSources(root).map((file) => fs.readFileSync(file, "utf8"));
  const isTypeScript = fs.existsSync(path.join(root, "tsconfig.json")) || names.some((name) => /\.[cm]?ts$/.test(name));
  const isScript = !isTypeScript && manifest.type !== "module";
  const stem = findFreeStem(names);
  const extension = manifest.type === "module" ? (importsTypeScript(sources) ? ".ts" : ".js") : "";
  return {
    file: path.join(dir, `${stem}${isTypeScript ? ".ts" : ".js"}`),
    syntax: isScript ? "script" : "module",
    entry: names.find((name) => /^index\.[cm]?[jt]s$/.test(name)) ?? "your program",
    importLine: isScript ? `require("./${stem}");` : `import "./${stem}${extension}";`,
    strings: new Set(sources.flatMap(findStrings)),
    packages: neededPackages.filter((name) => manifest.dependencies?.[name] === undefined),
    usesPlugin,
  };
}

/** Finds the nearest directory, from this one upwards, that has the file. */
function findUpwards(dir: string, file: string): string | undefined {
  const absolute = path.resolve(dir);
  if (fs.existsSync(path.join(absolute, file))) return absolute;
  const parent = path.dirname(absolute);
  return parent === absolute ? undefined : findUpwards(parent, file);
}

function readJson(file: string): { type?: string; dependencies?: Record<string, string> } {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`${file} cannot be read: ${(error as Error).message}`);
  }
}

/** Lists the project's source files, without those of packages and of hidden directories. */
function listSources(dir: string): string[] {
  return fs.readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(dir, entry.name);
    if (entry.isDirectory()) return /^\.|^node_modules$/.test(entry.name) ? [] : listSources(file);
    return entry.isFile() && sourceFile.test(entry.name) ? [file] : [];
  });
}

/** `imported`, or the first of `imported2` and so on that no file has. */
function findFreeStem(names: string[]): string {
  const isTaken = (stem: string) => names.some((name) => name.startsWith(`${stem}.`) && importedFile.test(name));
  let stem = "imported";
  for (let number = 2; isTaken(stem); number++) stem = `imported${number}`;
  return stem;
}

/** Whether the program imports its own files by their names, as Node needs if it removes the types itself. */
const importsTypeScript = (sources: string[]) => sources.some((source) => /["']\.\.?\/[^"']*\.ts["']/.test(source));

const findStrings = (source: string) =>
  [...source.matchAll(/(["'`])((?:\\.|(?!\1)[^\\\n])*)\1/g)].map(([, , text]) => text!);
