/** Writes the Pulumi project that imports the objects of an account. */

import { joinWithAnd } from "../core/quote";
import type { Fields } from "../definitions/fields";
import { isObject, type JsonObject } from "../json";
import type { AccountObject, Kind } from "./account";
import { formatImportedNames, type ImportedNames, importedNamesFile } from "./importedNames";
import {
  idSuffix,
  reservedNames,
  suggestVariables,
  toCamelCase,
  toKebabCase,
  toPascalCase,
  toSlug,
  UniqueNames,
} from "./names";
import {
  formatComment,
  formatDeclaration,
  Placeholder,
  removeImportScript,
  removeProtectScript,
  type SourceValue,
} from "./source";

export interface ProgramOptions {
  /** The project's name. */
  project: string;
  /** The version of this package. */
  version: string;
  /** The program's dependencies: versions by package. */
  dependencies: Record<string, string>;
  /** The names that earlier imports gave. */
  importedNames?: ImportedNames;
  /** Whether the values of headers are written into the program. */
  headerValues: boolean;
  /** Whether every resource has the option `protect`. */
  protect: boolean;
}

export interface Program {
  /** The content of each file by its name. */
  files: Map<string, string>;
  /** The number of objects and the files of each kind. */
  parts: { kind: Kind; count: number; files: string[] }[];
  /** The values to set in the stack's configuration. */
  secrets: Secret[];
}

interface Secret {
  key: string;
  description: string;
  /** Whether the service does not return the value, so that a wrong one is not detected. */
  isWriteOnly: boolean;
}

/** Why API keys are imported only on request. */
export const apiKeyRisk =
  "The API does not say which key is in use. If Pulumi deletes the key that it uses itself, every request after that " +
  "fails with 401.";

export const isApiKeyKind = ({ definition }: Kind) => definition.type === "ApiKey";

const maxResourcesPerFile = 50;

/** The files that every project has. */
export const projectFileNames = ["Pulumi.yaml", "package.json", "tsconfig.json", ".gitignore", "README.md", "index.ts"];

/** The declaration of a resource. */
interface Statement {
  kind: Kind;
  file: string;
  source: string;
  usesConfig: boolean;
}

/** Creates the files of the project. Objects get their names in the order of the list. */
export function createProgram(objects: AccountObject[], options: ProgramOptions): Program {
  const { protect } = options;
  const importedNames = { ...options.importedNames };
  const secrets: Secret[] = [];
  const [variableNames, keys] = [new UniqueNames(reservedNames), new UniqueNames()];
  const isSplit = objects.length > maxResourcesPerFile;
  const statements: Statement[] = [];
  for (const [kind, members] of groupBy(objects, (each) => each.kind)) {
    const { type, fields, displayName } = kind.definition;
    const imported = { ...importedNames[type] };
    importedNames[type] = imported;
    const names = new UniqueNames(Object.values(imported));
    for (const [index, { id, args, omissions }] of members.entries()) {
      const name = imported[id] ?? names.claim([chooseName(kind, id, args)], (taken, number) => `${taken}-${number}`);
      imported[id] = name;
      const variable = variableNames.claim(suggestVariables(type, name));
      const addSecret: AddSecret = (argument, isWriteOnly) => {
        const key = keys.claim([toCamelCase(name) + toPascalCase(toSlug(toKebabCase(argument)))]);
        secrets.push({ key, isWriteOnly, description: `${argument} of ${displayName} ${id}` });
        return new Placeholder(key);
      };
      const secretCount = secrets.length;
      const source = convertArgs(fields, args, addSecret, options.headerValues);
      const notes = omissions.map((reason) => `${formatComment(`Left out: ${reason}`)}\n`);
      const number = members.length > maxResourcesPerFile ? Math.floor(index / maxResourcesPerFile) + 1 : "";
      statements.push({
        kind,
        file: isSplit ? `${kind.file}${number}.ts` : "index.ts",
        source:
          notes.join("") + formatDeclaration({ variable, isExported: isSplit, type, name, args: source, id, protect }),
        usesConfig: secrets.length > secretCount,
      });
    }
  }
  const sources = new Map(
    [...groupBy(statements, ({ file }) => file)].map(([file, members]) => [file, formatProgramFile(members)]),
  );
  const hasApiKeys = statements.some(({ kind }) => isApiKeyKind(kind));
  const files = new Map([
    ...(isSplit ? new Map([...sources, ["index.ts", formatIndex([...sources.keys()])]]) : sources),
    ...Object.entries(createProjectFiles(options, secrets, hasApiKeys)),
    [importedNamesFile, formatImportedNames(importedNames)],
  ]);
  const parts = [...groupBy(statements, ({ kind }) => kind)].map(([kind, members]) => ({
    kind,
    count: members.length,
    files: [...new Set(members.map(({ file }) => file))],
  }));
  return { files, parts, secrets };
}

function groupBy<T, K>(items: T[], getKey: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(getKey(item));
    if (group) group.push(item);
    else groups.set(getKey(item), [item]);
  }
  return groups;
}

/** Names a resource after its description or first hostport, or else after its type and id. */
function chooseName({ definition }: Kind, id: string, args: JsonObject): string {
  const { description, hostports } = args;
  const candidates = [description, Array.isArray(hostports) ? hostports[0] : undefined];
  const name = candidates.map((each) => toSlug(typeof each === "string" ? each : "")).find((each) => each !== "");
  // The path of a module ends in its name.
  const prefix = definition.kind === "module" ? definition.route.split("/").at(-1)! : toKebabCase(definition.type);
  return name ?? toSlug(`${prefix}-${idSuffix(id)}`);
}

/** Adds a secret to the stack's configuration, and returns what the program contains instead. */
type AddSecret = (argument: string, isWriteOnly: boolean) => Placeholder;

/** Replaces values that are or may be secrets by placeholders. */
function convertArgs(
  fields: Fields,
  args: JsonObject,
  addSecret: AddSecret,
  headerValues: boolean,
): { [name: string]: SourceValue } {
  const source: { [name: string]: SourceValue } = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = args[name];
    // The service may not return a secret, but a module that is declared without its secret would lose it.
    if (field.secret) source[name] = addSecret(name, value === undefined);
    else if (value === undefined) continue;
    else if (field.module && isObject(value))
      source[name] = convertArgs(field.module.fields, value, addSecret, headerValues);
    else if (field.sensitive && isObject(value) && !headerValues) source[name] = hideValues(value, addSecret);
    else source[name] = value;
  }
  return source;
}

const hideValues = (map: JsonObject, addSecret: AddSecret): SourceValue =>
  Object.fromEntries(Object.keys(map).map((key) => [key, addSecret(key, false)]));

const header = formatComment(
  "Written by `pulumi-tunnel-edge import` for existing objects. README.md has the next steps.",
);

const formatIndex = (files: string[]) =>
  `${header}\n${files.map((file) => `import "./${file.replace(/\.ts$/, "")}";\n`).join("")}`;

function formatProgramFile(statements: Statement[]): string {
  const sources = [...groupBy(statements, ({ kind }) => kind)].flatMap(([kind, members]) => [
    ...formatKindNotes(kind),
    ...members.map(({ source }) => source),
  ]);
  const usesConfig = statements.some((each) => each.usesConfig);
  const imports = [
    ...(usesConfig ? ['import * as pulumi from "@pulumi/pulumi";'] : []),
    'import * as tunnel from "pulumi-tunnel-edge";',
    ...(usesConfig ? ["", "const config = new pulumi.Config();"] : []),
  ];
  return `${[header, ...imports, "", sources.join("\n\n")].join("\n")}\n`;
}

const formatKindNotes = (kind: Kind): string[] =>
  isApiKeyKind(kind)
    ? [
        formatComment(
          `The token of an API key is returned only on creation, so these resources have none. ${apiKeyRisk}`,
        ),
      ]
    : [];

/** Returns the commands that import the objects with the project. */
export const getNextSteps = (secrets: Secret[]) => [
  "npm install",
  "pulumi stack init dev",
  ...secrets.map(({ key }) => `pulumi config set --secret ${key}`),
  "pulumi up",
];

function createProjectFiles(options: ProgramOptions, secrets: Secret[], hasApiKeys: boolean): Record<string, string> {
  const { project, dependencies } = options;
  const json = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`;
  return {
    "Pulumi.yaml": `name: "${project}"\ndescription: Imported from an existing account of the tunnelling service\nruntime: nodejs\n`,
    "package.json": json({
      name: project.toLowerCase(),
      private: true,
      main: "index.ts",
      dependencies,
      devDependencies: { "@types/node": "^20.0.0", typescript: "^5.0.0" },
    }),
    "tsconfig.json": json({
      compilerOptions: {
        target: "ES2022",
        module: "node16",
        moduleResolution: "node16",
        strict: true,
        noEmit: true,
      },
      files: ["index.ts"],
    }),
    ".gitignore": "node_modules/\n*.bak\n",
    "README.md": formatReadme(options, secrets, hasApiKeys),
  };
}

/** On macOS, sed edits in place only with a suffix. */
const formatSedCommand = (script: string) => `sed -E -i.bak '${script}' *.ts`;

const formatShellBlock = (...lines: string[]) => `\`\`\`sh\n${lines.join("\n")}\n\`\`\``;

const formatWarning = (text: string) => `> [!WARNING]\n> ${text}`;

function formatReadme({ project, protect, version }: ProgramOptions, secrets: Secret[], hasApiKeys: boolean): string {
  const writeOnly = secrets.filter((secret) => secret.isWriteOnly);
  const paragraphs = [
    `# ${project}`,
    "`pulumi-tunnel-edge import` wrote this Pulumi project for the existing objects of an account. Its first " +
      "`pulumi up` imports them and changes nothing in the service.",
    formatShellBlock(...getNextSteps(secrets)),
    `If \`npm install\` fails with E404, version ${version} of \`pulumi-tunnel-edge\` is not on the registry yet. ` +
      "Run `npm pack` in a clone of the package, and install the file that it writes instead:",
    formatShellBlock(`npm install path/to/pulumi-tunnel-edge-${version}.tgz`),
    "The settings are read from the environment (`TUNNEL_EDGE_BASE_URL`, `TUNNEL_EDGE_API_KEY`) or from the stack's " +
      "configuration (`tunnel-edge:baseUrl`, and `tunnel-edge:apiKey` with `--secret`).",
    ...(secrets.length > 0
      ? [
          "## Secrets",
          "These values are not in the program. Each `pulumi config set --secret` above asks for one of them. " +
            "The preview fails if the service returns another value.",
          `| configuration | value |\n|---|---|\n${secrets.map(({ key, description }) => `| \`${key}\` | ${formatCell(description)} |`).join("\n")}`,
        ]
      : []),
    ...(writeOnly.length > 0
      ? [
          `The service masks or does not return ${joinWithAnd(writeOnly.map(({ key }) => `\`${key}\``))}, so a wrong value is not ` +
            "detected. It is sent when its module next changes. If no such secret is set, remove its line from the " +
            "program.",
        ]
      : []),
    "## Protection",
    ...(protect
      ? [
          "Every resource has `protect: true`. `pulumi destroy` fails and deletes nothing, and `pulumi up` fails if a " +
            "resource has been removed from the program. To allow Pulumi to delete an object, remove this line from " +
            "its resource and run `pulumi up`. To remove it from all resources:",
          formatShellBlock(formatSedCommand(removeProtectScript), "pulumi up"),
          formatWarning("Without `protect`, `pulumi destroy` deletes the imported objects from the account."),
        ]
      : [
          formatWarning(
            "`pulumi destroy` deletes the imported objects from the account, and removing a resource from the " +
              "program deletes its object. The resource option `protect: true` prevents both.",
          ),
        ]),
    "## API keys",
    hasApiKeys
      ? formatWarning(apiKeyRisk)
      : `API keys are not in this project. ${apiKeyRisk} To import them, run the command with \`--include-api-keys\`.`,
    "## After the import",
    "The program now manages these objects: what it declares is enforced, what it does not declare is left alone, " +
      "and what it stops declaring is removed. Descriptions, metadata and policies were copied as they are, so review " +
      "them before you share the program.",
    `To import again into this directory, use \`--force\`. Keep \`${importedNamesFile}\`, which records the name of ` +
      "each object: Pulumi would take an object that gets the name of another one for that one.",
    "Then remove the `import` options, which is no change. With them, a resource cannot be replaced:",
    formatShellBlock(formatSedCommand(removeImportScript)),
  ];
  return `${paragraphs.join("\n\n")}\n`;
}

/** Replaces the characters that would end or format a cell of a table. */
const formatCell = (text: string) => text.replace(/[|`<\s]+/g, " ");
