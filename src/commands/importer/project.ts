/** Writes a new Pulumi project. */

import fs from "node:fs";
import path from "node:path";
import { isObject } from "../../base/json";
import { quoteForShell } from "../../base/quote";
import { assertNoOverwrite, formatJson, type Place, writeFiles } from "./files";
import { type ImportedNames, importedNamesFile, type Program, type Syntax } from "./program";
import { formatReadme } from "./readme";
import { formatYaml } from "./yaml";

/** The files that every project has. */
const fileNames = (syntax: Syntax) =>
  syntax === "yaml"
    ? ["Pulumi.yaml", "README.md"]
    : ["Pulumi.yaml", "package.json", "tsconfig.json", ".gitignore", "README.md", "index.ts"];

/** The names of earlier imports into a directory. Its other files are overwritten only by force. */
export function readImportedNames(place: Place, syntax: Syntax): ImportedNames {
  assertNoOverwrite(place, fileNames(syntax));
  const file = path.join(place.dir, importedNamesFile);
  if (!fs.existsSync(file)) return {};
  try {
    const names: unknown = JSON.parse(fs.readFileSync(file, "utf8"));
    if (isObject(names) && Object.values(names).every(isObject)) return names as ImportedNames;
  } catch {
    // Whatever is wrong with the file, the message is the same.
  }
  throw new Error(`${file} is broken. Restore it, or import into another directory with --out.`);
}

/** Writes the project; returns the commands that come next. */
export function writeProject(place: Place, syntax: Syntax, protect: boolean, program: Program): string[] {
  const name = toProjectName(place.dir);
  const description = "Imported from an existing account of the tunnelling service";
  const head = formatYaml({ name, description, runtime: syntax === "yaml" ? "yaml" : "nodejs" });
  const commands = [
    ...(syntax === "yaml" ? [] : ["npm install"]),
    "pulumi stack init dev",
    ...program.secrets.map(({ key }) => `pulumi config set --secret ${key}`),
    "pulumi up",
  ];
  const files: [name: string, text: string][] = [
    ...program.files,
    ["README.md", formatReadme({ name, syntax, protect, commands }, program)],
    [importedNamesFile, formatJson(program.importedNames)],
    ["Pulumi.yaml", `${head}${program.files.get("Pulumi.yaml") ?? ""}`],
    ...(syntax === "yaml" ? [] : createNodeFiles(name)),
  ];
  writeFiles(place, new Map(files));
  return [`cd ${quoteForShell(place.dir)}`, ...commands];
}

const sdk = "@pulumi/pulumi";

function createNodeFiles(name: string): [name: string, text: string][] {
  const { name: self, version, peerDependencies } = require("../../../package.json");
  const manifest = {
    name: name.toLowerCase(),
    private: true,
    main: "index.ts",
    dependencies: { [sdk]: peerDependencies[sdk], [self]: `^${version}` },
    devDependencies: { "@types/node": "^22.0.0", typescript: "^5.0.0" },
  };
  const compilerOptions = {
    target: "ES2022",
    module: "node16",
    moduleResolution: "node16",
    strict: true,
    noEmit: true,
  };
  return [
    ["package.json", formatJson(manifest)],
    ["tsconfig.json", formatJson({ compilerOptions, files: ["index.ts"] })],
    [".gitignore", "node_modules/\n"],
  ];
}

/** Returns the directory's name without the characters that are not valid in the name of a project or package. */
function toProjectName(dir: string): string {
  const name = path
    .basename(path.resolve(dir))
    .replace(/[^A-Za-z0-9_.-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 100);
  // The program's configuration needs another namespace than the settings.
  return name === "" || name === "tunnel-edge" ? "tunnel-edge-import" : name;
}
