/** Writes the program that imports the objects of an account. */

import { isObject, type JsonObject } from "../../base/json";
import type { Fields } from "../../definitions/fields/field";
import type { AccountObject, Importable } from "./account";
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

export type Syntax = "typescript" | "yaml";

export interface ProgramOptions {
  syntax: Syntax;
  /** The names that earlier imports gave. */
  importedNames: ImportedNames;
  /** Whether the values of headers are written into the program. */
  headerValues: boolean;
  /** Whether every resource has the option `protect`. */
  protect: boolean;
}

/** The names of a type's objects, by id. Objects that no longer exist keep theirs. */
export type ImportedNames = Record<string, Record<string, string>>;

/**
 * The file beside the program that has them. Pulumi knows a resource by its name: if another object got it in a later
 * import, its arguments would be those of the object that had it before.
 */
export const importedNamesFile = "imported.json";

export interface NamedObject extends AccountObject {
  name: string;
}

/** What was written of a kind: how many objects, and in which files. */
export interface Part {
  importable: Importable;
  count: number;
  files: string[];
}

export interface Program {
  /** The content of each file by its name. */
  files: Map<string, string>;
  parts: Part[];
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

/** Names the objects in the order of the list. Adds the names to those of earlier imports, which objects keep. */
export function nameObjects(objects: AccountObject[], importedNames: ImportedNames): NamedObject[] {
  return [...groupBy(objects, ({ importable }) => importable)].flatMap(([importable, members]) => {
    const { type } = importable.definition;
    const imported = { ...importedNames[type] };
    importedNames[type] = imported;
    const names = new UniqueNames(Object.values(imported));
    return members.map((object) => {
      const suggested = chooseName(importable, object.id, object.args);
      const name = imported[object.id] ?? names.claim([suggested], (taken, number) => `${taken}-${number}`);
      imported[object.id] = name;
      return { ...object, name };
    });
  });
}

/** Creates the files of the program. */
export function createProgram(objects: AccountObject[], options: ProgramOptions): Program {
  const { syntax, protect, headerValues } = options;
  const importedNames = { ...options.importedNames };
  const secrets: Secret[] = [];
  const keys = new UniqueNames([yamlReservedName]);
  // In YAML, resources and configuration share their names.
  const variableNames = syntax === "yaml" ? keys : new UniqueNames(reservedNames);
  const isSplit = syntax !== "yaml" && objects.length > maxResourcesPerFile;
  const chooseFile = ({ file }: Importable, index: number, count: number) => {
    if (!isSplit) return syntax === "yaml" ? "Pulumi.yaml" : "index.ts";
    return `${file}${count > maxResourcesPerFile ? Math.floor(index / maxResourcesPerFile) + 1 : ""}.ts`;
  };
  const kinds = [...groupBy(nameObjects(objects, importedNames), ({ importable }) => importable)];
  const statements = kinds.flatMap(([importable, members]) => {
    const { type, fields, displayName } = importable.definition;
    return members.map(({ id, args, omissions, name }, index): Statement => {
      const variable = variableNames.claim(syntax === "yaml" ? suggestKeys(type, name) : suggestVariables(type, name));
      const addSecret: AddSecret = (argument, isWriteOnly) => {
        const key = keys.claim([toCamelCase(name) + toPascalCase(toSlug(toKebabCase(argument)))]);
        secrets.push({ key, isWriteOnly, description: `${argument} of ${displayName} ${id}` });
        return new Placeholder(key);
      };
      const secretCount = secrets.length;
      const converted = convertArgs(fields, args, addSecret, headerValues);
      const notes = omissions.map((reason) => `Left out: ${reason}`);
      return {
        importable,
        file: chooseFile(importable, index, members.length),
        declaration: { variable, isExported: isSplit, type, name, args: converted, notes, id, protect },
        secretKeys: secrets.slice(secretCount).map(({ key }) => key),
      };
    });
  });
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

export function groupBy<T, K>(items: T[], getKey: (item: T) => K): Map<K, T[]> {
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
  const formatImport = (name: string, from: string) => `import * as ${name} from "${from}";`;
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
