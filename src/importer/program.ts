/** The Pulumi project for what was found in an account. */

import { isObject, type JsonObject } from "../api/wire";
import type { Fields } from "../provider/fields";
import type { Found, Kind } from "./account";
import { camel, kebab, Names, pascal, reserved, slug, tail, variables } from "./names";
import { comment, declare, Placeholder, type Source } from "./source";

export interface ProgramOptions {
  /** The project's name. */
  project: string;
  /** The versions that the program asks for, by package. */
  dependencies: Record<string, string>;
  /** Whether the values of headers are written as they are. */
  headerValues: boolean;
}

export interface Program {
  /** The project's files by their names. */
  files: Map<string, string>;
  /** Where each kind is: how many objects, in which files. */
  parts: { kind: Kind; count: number; files: string[] }[];
  /** What must be put into the stack's configuration. */
  secrets: Secret[];
}

interface Secret {
  key: string;
  /** The value that is wanted. */
  what: string;
  /** Whether the service does not show it, so that nobody can tell a wrong one. */
  hidden: boolean;
}

/** More than these are too many for one file. */
const mostInFile = 50;

/** Files that every project has. */
export const fixedFiles = ["Pulumi.yaml", "package.json", "tsconfig.json", ".gitignore", "README.md", "index.ts"];

interface Written {
  kind: Kind;
  file: string;
  /** The statement that declares the resource. */
  text: string;
  usesConfig: boolean;
}

/** Writes the project; `found` is in the order in which names are given. */
export function writeProgram(found: Found[], options: ProgramOptions): Program {
  const secrets: Secret[] = [];
  const [variableNames, keys] = [new Names(reserved), new Names()];
  const split = found.length > mostInFile;
  const written: Written[] = [];
  for (const [kind, objects] of grouped(found, (each) => each.kind)) {
    const { type, fields, noun } = kind.definition;
    const names = new Names();
    for (const [at, { id, args, leftOut }] of objects.entries()) {
      const name = names.take([nameOf(kind, id, args)], (wish, number) => `${wish}-${number}`);
      const variable = variableNames.take(variables(type, name));
      const hide: Hide = (what, hidden) => {
        const key = keys.take([camel(name) + pascal(slug(kebab(what)))]);
        secrets.push({ key, hidden, what: `${what} of ${noun} ${id}` });
        return new Placeholder(key);
      };
      const before = secrets.length;
      const stated = statedIn(fields, args, hide, options.headerValues);
      const notes = leftOut.map((reason) => `${comment(`Left out, because ${reason}`)}\n`);
      const number = objects.length > mostInFile ? Math.floor(at / mostInFile) + 1 : "";
      written.push({
        kind,
        file: split ? `${kind.file}${number}.ts` : "index.ts",
        text: notes.join("") + declare({ variable, exported: split, type, name, args: stated, id }),
        usesConfig: secrets.length > before,
      });
    }
  }
  const sources = new Map([...grouped(written, ({ file }) => file)].map(([file, own]) => [file, source(own)]));
  const files = new Map([
    ...(split ? new Map([...sources, ["index.ts", index([...sources.keys()])]]) : sources),
    ...Object.entries(projectFiles(options, secrets)),
  ]);
  const parts = [...grouped(written, ({ kind }) => kind)].map(([kind, own]) => ({
    kind,
    count: own.length,
    files: [...new Set(own.map(({ file }) => file))],
  }));
  return { files, parts, secrets };
}

function grouped<T, K>(items: T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** The account's own words where there are any; else what it is, and the end of its id. */
function nameOf({ definition: { type, parents, routes } }: Kind, id: string, args: JsonObject): string {
  const { description, hostports } = args;
  const words = [description, Array.isArray(hostports) ? hostports[0] : undefined];
  const name = words.map((text) => slug(typeof text === "string" ? text : "")).find((text) => text !== "");
  // A module's path ends in what it is.
  const what = parents ? routes.read.split("/").at(-1)! : kebab(type);
  return name ?? slug(`${what}-${tail(id)}`);
}

/** Keeps a value out of the program. */
type Hide = (what: string, hidden: boolean) => Placeholder;

/** The arguments with placeholders for what is, or may be, a secret. */
function statedIn(fields: Fields, args: JsonObject, hide: Hide, headerValues: boolean): { [name: string]: Source } {
  const stated: { [name: string]: Source } = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = args[name];
    // The service may not show a secret at all, and a module that is stated without it would lose it.
    if (field.secret) stated[name] = hide(name, value === undefined);
    else if (value === undefined) continue;
    else if (field.module && isObject(value)) stated[name] = statedIn(field.module.fields, value, hide, headerValues);
    else if (field.sensitive && isObject(value) && !headerValues) stated[name] = valuesHidden(value, hide);
    else stated[name] = value;
  }
  return stated;
}

const valuesHidden = (map: JsonObject, hide: Hide): Source =>
  Object.fromEntries(Object.keys(map).map((key) => [key, hide(key, false)]));

const header = comment(
  "What the account had when `pulumi-tunnel-edge import` read it. README.md says how to take it over.",
);

const index = (files: string[]) =>
  `${header}\n${files.map((file) => `import "./${file.replace(/\.ts$/, "")}";\n`).join("")}`;

/** A file of the program. */
function source(written: Written[]): string {
  const statements = [...grouped(written, ({ kind }) => kind)].flatMap(([kind, own]) => [
    ...noteOn(kind),
    ...own.map(({ text }) => text),
  ]);
  const usesConfig = written.some((each) => each.usesConfig);
  const imports = [
    ...(usesConfig ? ['import * as pulumi from "@pulumi/pulumi";'] : []),
    'import * as tunnel from "pulumi-tunnel-edge";',
    ...(usesConfig ? ["", "const config = new pulumi.Config();"] : []),
  ];
  return `${[header, ...imports, "", statements.join("\n\n")].join("\n")}\n`;
}

/** What a reader must know of a kind. */
function noteOn({ definition: { outputs } }: Kind): string[] {
  const once = Object.keys(outputs).filter((name) => outputs[name]!.once);
  if (once.length === 0) return [];
  const note =
    `The ${once.join(" and ")} of each of these was told at its creation alone, and is null here. One of them may be ` +
    "the key that this program runs with: what is taken out of the program is deleted from the account, and " +
    "`pulumi destroy` deletes them all.";
  return [comment(note)];
}

/** The commands that lead from the written project to the taken-over account. */
export const nextSteps = (secrets: Secret[]) => [
  "npm install",
  "pulumi stack init dev",
  ...secrets.map(({ key }) => `pulumi config set --secret ${key}`),
  "pulumi up",
];

function projectFiles({ project, dependencies }: ProgramOptions, secrets: Secret[]): Record<string, string> {
  const json = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`;
  return {
    "Pulumi.yaml": `name: "${project}"\ndescription: Taken over from an account of the tunnelling service\nruntime: nodejs\n`,
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
        skipLibCheck: true,
        noEmit: true,
      },
      files: ["index.ts"],
    }),
    ".gitignore": "node_modules/\n",
    "README.md": readme(project, secrets),
  };
}

/** By the indentation alone it matches the resources' options, and no text or map within their arguments. */
const withoutImports = `sed -E -i.bak '/^( {2}){1,2}\\{ import: "[^"]*" \\},$/d' *.ts`;

function readme(project: string, secrets: Secret[]): string {
  const hidden = secrets.filter((secret) => secret.hidden);
  const paragraphs = [
    `# ${project}`,
    "What an account of the tunnelling service had when `pulumi-tunnel-edge import` read it, as a Pulumi program. " +
      "The first `pulumi up` takes everything over as it is; it changes nothing in the service.",
    `\`\`\`sh\n${nextSteps(secrets).join("\n")}\n\`\`\``,
    "The settings come from the environment (`TUNNEL_EDGE_BASE_URL`, `TUNNEL_EDGE_API_KEY`), or from the stack's " +
      "configuration (`tunnel-edge:baseUrl`, and `tunnel-edge:apiKey` with `--secret`).",
    ...(secrets.length > 0
      ? [
          "## Secrets",
          "These values are not in the program. Each `pulumi config set --secret` above asks for one, and the import " +
            "is refused where it is not the value that the service has.",
          `| configuration | value |\n|---|---|\n${secrets.map(({ key, what }) => `| \`${key}\` | ${cell(what)} |`).join("\n")}`,
        ]
      : []),
    ...(hidden.length > 0
      ? [
          `The service does not show ${list(hidden.map(({ key }) => `\`${key}\``))}, so nobody can tell whether the ` +
            "value is right: it is sent when its module next changes. Take the line out of the program where there " +
            "is no such secret.",
        ]
      : []),
    "## After the take-over",
    "- What is taken out of the program is deleted from the account; what the program does not state is not touched.\n" +
      "- Descriptions, metadata and policies are in the program as they were: look them over before you share it.\n" +
      "- The `import` options have no effect any more. They may stay; to take them out:",
    `\`\`\`sh\n${withoutImports}\n\`\`\``,
  ];
  return `${paragraphs.join("\n\n")}\n`;
}

/** A text that stays within its cell of a table. */
const cell = (text: string) => text.replace(/[|`<\s]+/g, " ");

const list = (items: string[]) =>
  items.length > 1 ? `${items.slice(0, -1).join(", ")} and ${items.at(-1)}` : items.join("");
