/** Writes the program that imports the objects of an account. */

import { isObject, type JsonObject } from "../../base/json";
import type { Fields } from "../../definitions/fields/field";
import type { AccountObject, Importable } from "./account";
import type { ImportedNames } from "./importedNames";
import {
  idSuffix,
  reservedNames,
  suggestKeys,
  suggestVariables,
  toCamelCase,
  toKebabCase,
  toPascalCase,
  toSlug,
  UniqueNames,
  yamlReservedName,
} from "./names";
import { type Declaration, formatComment, formatDeclaration, Placeholder, type SourceValue } from "./source";
import { formatYamlProgram, type Group } from "./yaml";

/** The language of a program: TypeScript or JavaScript as a module, JavaScript as a CommonJS script, or YAML. */
export type Syntax = "module" | "script" | "yaml";

export interface ProgramOptions {
  /** The file of an existing program that contains everything. By default, a program with its own index.ts is written. */
  file?: string;
  syntax: Syntax;
  /** Names that resources and configuration cannot have. */
  usedNames?: Iterable<string>;
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
  parts: { importable: Importable; count: number; files: string[] }[];
  /** The names of all objects, those of earlier imports too. */
  importedNames: ImportedNames;
  /** The values to set in the stack's configuration. */
  secrets: Secret[];
}

export interface Secret {
  key: string;
  description: string;
  /** Whether the service does not return the value, so that a wrong one is not detected. */
  isWriteOnly: boolean;
}

/** Why API keys are imported only on request. */
export const apiKeyRisk =
  "The API does not say which key is in use. If Pulumi deletes the key that it uses itself, every request after that " +
  "fails with 401.";

export const isApiKeys = ({ definition }: Importable) => definition.type === "ApiKey";

const maxResourcesPerFile = 50;

/** The declaration of a resource. */
interface Statement {
  importable: Importable;
  file: string;
  declaration: Declaration;
  secretKeys: string[];
}

/** Creates the files of the program. Objects get their names in the order of the list. */
export function createProgram(objects: AccountObject[], options: ProgramOptions): Program {
  const { file: onlyFile, syntax, usedNames = [], protect } = options;
  const importedNames = { ...options.importedNames };
  const secrets: Secret[] = [];
  const keys = new UniqueNames([...usedNames, yamlReservedName]);
  // In YAML, resources and configuration share their names.
  const variableNames = syntax === "yaml" ? keys : new UniqueNames(reservedNames);
  const isSplit = onlyFile === undefined && objects.length > maxResourcesPerFile;
  const isExported = isSplit || (onlyFile !== undefined && syntax === "module");
  const statements: Statement[] = [];
  for (const [importable, members] of groupBy(objects, (each) => each.importable)) {
    const { type, fields, displayName } = importable.definition;
    const imported = { ...importedNames[type] };
    importedNames[type] = imported;
    const names = new UniqueNames([...Object.values(imported), ...usedNames]);
    for (const [index, { id, args, omissions }] of members.entries()) {
      const name =
        imported[id] ?? names.claim([chooseName(importable, id, args)], (taken, number) => `${taken}-${number}`);
      imported[id] = name;
      const variable = variableNames.claim(syntax === "yaml" ? suggestKeys(type, name) : suggestVariables(type, name));
      const addSecret: AddSecret = (argument, isWriteOnly) => {
        const key = keys.claim([toCamelCase(name) + toPascalCase(toSlug(toKebabCase(argument)))]);
        secrets.push({ key, isWriteOnly, description: `${argument} of ${displayName} ${id}` });
        return new Placeholder(key);
      };
      const secretCount = secrets.length;
      const converted = convertArgs(fields, args, addSecret, options.headerValues);
      const notes = omissions.map((reason) => `Left out: ${reason}`);
      const number = members.length > maxResourcesPerFile ? Math.floor(index / maxResourcesPerFile) + 1 : "";
      statements.push({
        importable,
        file: isSplit ? `${importable.file}${number}.ts` : (onlyFile ?? "index.ts"),
        declaration: { variable, isExported, type, name, args: converted, notes, id, protect },
        secretKeys: secrets.slice(secretCount).map(({ key }) => key),
      });
    }
  }
  const sources = new Map(
    [...groupBy(statements, ({ file }) => file)].map(([file, members]) => [file, formatProgramFile(members, syntax)]),
  );
  const files = isSplit ? new Map([...sources, ["index.ts", formatIndex([...sources.keys()])]]) : sources;
  const parts = [...groupBy(statements, ({ importable }) => importable)].map(([importable, members]) => ({
    importable,
    count: members.length,
    files: [...new Set(members.map(({ file }) => file))],
  }));
  return { files, parts, importedNames, secrets };
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
function chooseName({ definition }: Importable, id: string, args: JsonObject): string {
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

const origin = "Written by `pulumi-tunnel-edge import` for existing objects.";
const header = formatComment(origin);

const formatIndex = (files: string[]) =>
  `${header}\n${files.map((file) => `import "./${file.replace(/\.ts$/, "")}";\n`).join("")}`;

function formatProgramFile(statements: Statement[], syntax: Syntax): string {
  const groups = [...groupBy(statements, ({ importable }) => importable)].map(
    ([importable, members]): Group => ({
      comments: describeKind(importable),
      declarations: members.map(({ declaration }) => declaration),
    }),
  );
  const secretKeys = statements.flatMap((each) => each.secretKeys);
  if (syntax === "yaml") return formatYamlProgram(origin, groups, secretKeys);
  const formatImport = (name: string, from: string) =>
    syntax === "script" ? `const ${name} = require("${from}");` : `import * as ${name} from "${from}";`;
  const usesConfig = secretKeys.length > 0;
  const imports = [
    ...(usesConfig ? [formatImport("pulumi", "@pulumi/pulumi")] : []),
    formatImport("tunnel", "pulumi-tunnel-edge"),
    ...(usesConfig ? ["", "const config = new pulumi.Config();"] : []),
  ];
  const sources = groups.flatMap(({ comments, declarations }) => [
    ...comments.map((comment) => formatComment(comment)),
    ...declarations.map(formatDeclaration),
  ]);
  return `${[header, ...imports, "", sources.join("\n\n")].join("\n")}\n`;
}

const describeKind = (importable: Importable): string[] =>
  isApiKeys(importable)
    ? [`The token of an API key is returned only on creation, so these resources have none. ${apiKeyRisk}`]
    : [];
