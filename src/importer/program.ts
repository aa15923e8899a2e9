/** The Pulumi project that imports what was found in an account. */

import type { Fields } from "../definitions/fields";
import { isObject, type JsonObject } from "../json";
import type { Found, Kind } from "./account";
import { camel, idSuffix, kebab, Names, pascal, reserved, slug, variables } from "./names";
import { comment, declare, Placeholder, type Source, withoutImport, withoutProtect } from "./source";

export interface ProgramOptions {
  /** The project's name. */
  project: string;
  /** The version of this package. */
  version: string;
  /** The versions that the program depends on, by package. */
  dependencies: Record<string, string>;
  /** Whether the values of headers are written into the program. */
  headerValues: boolean;
  /** Whether every resource has the option `protect`. */
  protect: boolean;
}

export interface Program {
  /** The project's files by their names. */
  files: Map<string, string>;
  /** Where each kind is: how many objects, in which files. */
  parts: { kind: Kind; count: number; files: string[] }[];
  /** What must be set in the stack's configuration. */
  secrets: Secret[];
}

interface Secret {
  key: string;
  /** What the value is. */
  what: string;
  /** Whether the service does not return it, so that a wrong value is not detected. */
  hidden: boolean;
}

/** API keys need care: the API does not say which one is in use. */
export const isApiKeys = ({ definition }: Kind) => definition.type === "ApiKey";

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
  const { protect } = options;
  const secrets: Secret[] = [];
  const [variableNames, keys] = [new Names(reserved), new Names()];
  const split = found.length > mostInFile;
  const written: Written[] = [];
  for (const [kind, objects] of grouped(found, (each) => each.kind)) {
    const { type, fields, displayName } = kind.definition;
    const names = new Names();
    for (const [at, { id, args, leftOut }] of objects.entries()) {
      const name = names.take([nameOf(kind, id, args)], (wish, number) => `${wish}-${number}`);
      const variable = variableNames.take(variables(type, name));
      const hide: Hide = (what, hidden) => {
        const key = keys.take([camel(name) + pascal(slug(kebab(what)))]);
        secrets.push({ key, hidden, what: `${what} of ${displayName} ${id}` });
        return new Placeholder(key);
      };
      const before = secrets.length;
      const source = sourceOf(fields, args, hide, options.headerValues);
      const notes = leftOut.map((reason) => `${comment(`Left out: ${reason}`)}\n`);
      const number = objects.length > mostInFile ? Math.floor(at / mostInFile) + 1 : "";
      written.push({
        kind,
        file: split ? `${kind.file}${number}.ts` : "index.ts",
        text: notes.join("") + declare({ variable, exported: split, type, name, args: source, id, protect }),
        usesConfig: secrets.length > before,
      });
    }
  }
  const sources = new Map([...grouped(written, ({ file }) => file)].map(([file, own]) => [file, programFile(own)]));
  const hasApiKeys = written.some(({ kind }) => isApiKeys(kind));
  const files = new Map([
    ...(split ? new Map([...sources, ["index.ts", index([...sources.keys()])]]) : sources),
    ...Object.entries(projectFiles(options, secrets, hasApiKeys)),
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

/** The account's own words where there are any, otherwise what it is and the end of its id. */
function nameOf({ definition: { type, parents, routes } }: Kind, id: string, args: JsonObject): string {
  const { description, hostports } = args;
  const words = [description, Array.isArray(hostports) ? hostports[0] : undefined];
  const name = words.map((text) => slug(typeof text === "string" ? text : "")).find((text) => text !== "");
  // A module's path ends in what it is.
  const what = parents ? routes.read.split("/").at(-1)! : kebab(type);
  return name ?? slug(`${what}-${idSuffix(id)}`);
}

/** Keeps a value out of the program. */
type Hide = (what: string, hidden: boolean) => Placeholder;

/** The arguments with placeholders for what is, or may be, a secret. */
function sourceOf(fields: Fields, args: JsonObject, hide: Hide, headerValues: boolean): { [name: string]: Source } {
  const source: { [name: string]: Source } = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = args[name];
    // The service may not return a secret at all, and a module that is declared without it would lose it.
    if (field.secret) source[name] = hide(name, value === undefined);
    else if (value === undefined) continue;
    else if (field.module && isObject(value)) source[name] = sourceOf(field.module.fields, value, hide, headerValues);
    else if (field.sensitive && isObject(value) && !headerValues) source[name] = valuesHidden(value, hide);
    else source[name] = value;
  }
  return source;
}

const valuesHidden = (map: JsonObject, hide: Hide): Source =>
  Object.fromEntries(Object.keys(map).map((key) => [key, hide(key, false)]));

const header = comment("Written by `pulumi-tunnel-edge import` for existing objects. README.md has the next steps.");

const index = (files: string[]) =>
  `${header}\n${files.map((file) => `import "./${file.replace(/\.ts$/, "")}";\n`).join("")}`;

/** A file of the program. */
function programFile(written: Written[]): string {
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
const noteOn = (kind: Kind): string[] =>
  isApiKeys(kind)
    ? [
        comment(
          "The token of an API key is returned only on creation, so these resources have none. The API does not say " +
            "which key is in use: one of these may be the key that Pulumi itself uses.",
        ),
      ]
    : [];

/** The commands that lead from the written project to the imported account. */
export const nextSteps = (secrets: Secret[]) => [
  "npm install",
  "pulumi stack init dev",
  ...secrets.map(({ key }) => `pulumi config set --secret ${key}`),
  "pulumi up",
];

function projectFiles(options: ProgramOptions, secrets: Secret[], hasApiKeys: boolean): Record<string, string> {
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
        skipLibCheck: true,
        noEmit: true,
      },
      files: ["index.ts"],
    }),
    ".gitignore": "node_modules/\n*.bak\n",
    "README.md": readme(options, secrets, hasApiKeys),
  };
}

/** The suffix is for macOS, whose sed does not edit in place without one. */
const sed = (script: string) => `sed -E -i.bak '${script}' *.ts`;

const shell = (...lines: string[]) => `\`\`\`sh\n${lines.join("\n")}\n\`\`\``;

const warning = (text: string) => `> [!WARNING]\n> ${text}`;

function readme({ project, protect, version }: ProgramOptions, secrets: Secret[], hasApiKeys: boolean): string {
  const hidden = secrets.filter((secret) => secret.hidden);
  const paragraphs = [
    `# ${project}`,
    "`pulumi-tunnel-edge import` wrote this Pulumi project for the existing objects of an account. Its first " +
      "`pulumi up` imports them and changes nothing in the service.",
    shell(...nextSteps(secrets)),
    `If \`npm install\` fails with E404, version ${version} of \`pulumi-tunnel-edge\` is not on the registry yet. ` +
      "Run `npm pack` in a clone of the package, and install the file that it writes instead:",
    shell(`npm install path/to/pulumi-tunnel-edge-${version}.tgz`),
    "The settings are read from the environment (`TUNNEL_EDGE_BASE_URL`, `TUNNEL_EDGE_API_KEY`) or from the stack's " +
      "configuration (`tunnel-edge:baseUrl`, and `tunnel-edge:apiKey` with `--secret`).",
    ...(secrets.length > 0
      ? [
          "## Secrets",
          "These values are not in the program. Each `pulumi config set --secret` above asks for one of them. " +
            "`pulumi up` fails if a value is not the one that the service has.",
          `| configuration | value |\n|---|---|\n${secrets.map(({ key, what }) => `| \`${key}\` | ${cell(what)} |`).join("\n")}`,
        ]
      : []),
    ...(hidden.length > 0
      ? [
          `The service does not return ${list(hidden.map(({ key }) => `\`${key}\``))}, so a wrong value is not ` +
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
          shell(sed(withoutProtect), "pulumi up"),
          warning("Without `protect`, `pulumi destroy` deletes the imported objects from the account."),
        ]
      : [
          warning(
            "`pulumi destroy` deletes the imported objects from the account, and removing a resource from the " +
              "program deletes its object. The resource option `protect: true` prevents both.",
          ),
        ]),
    "## API keys",
    hasApiKeys
      ? warning(
          "The API does not say which key is in use. If Pulumi deletes the key that it uses itself, every request " +
            "after that fails with 401.",
        )
      : "API keys are not in this project. The API does not say which key is in use, and if Pulumi deletes the key " +
        "that it uses itself, every request after that fails with 401. To import them, run the command with `--include-api-keys`.",
    "## After the import",
    "The program now manages these objects: what it declares is enforced, what it does not declare is left alone, " +
      "and what it stops declaring is removed. Descriptions, metadata and policies were copied as they are, so review " +
      "them before you share the program.",
    "The `import` options have no further effect. They can stay; this removes them:",
    shell(sed(withoutImport)),
  ];
  return `${paragraphs.join("\n\n")}\n`;
}

/** A string that stays within its cell of a table. */
const cell = (text: string) => text.replace(/[|`<\s]+/g, " ");

const list = (items: string[]) =>
  items.length > 1 ? `${items.slice(0, -1).join(", ")} and ${items.at(-1)}` : items.join("");
