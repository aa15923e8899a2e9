/** The files of a new Pulumi project, besides its program. */

import { joinWithAnd } from "../../base/quote";
import { formatImportedNames, importedNamesFile } from "./importedNames";
import { apiKeyRisk, isApiKeys, type Program, type Secret, type Syntax } from "./program";
import type { RemovableOption } from "./removeOption";

export interface ProjectOptions {
  syntax: Syntax;
  /** The project's name. */
  project: string;
  /** The program's dependencies: versions by package. */
  dependencies: Record<string, string>;
  /** Whether every resource has the option `protect`. */
  protect: boolean;
}

/** The files that every project has. */
export const projectFileNames = (syntax: Syntax) =>
  syntax === "yaml"
    ? ["Pulumi.yaml", "README.md"]
    : ["Pulumi.yaml", "package.json", "tsconfig.json", ".gitignore", "README.md", "index.ts"];

/** The lines of Pulumi.yaml with which Pulumi finds the plugin in the npm package. */
export const pluginLines = [
  "plugins:",
  "  providers:",
  "    - name: tunnel-edge",
  "      path: node_modules/pulumi-tunnel-edge/plugin",
];

export const pluginNote =
  "YAML programs need the plugin. Install its archive; or run `npm install pulumi-tunnel-edge` in the project, and add " +
  "these lines to Pulumi.yaml:";

/** How Pulumi displays the first `pulumi up`, which looks like a change and is none. */
const describeDisplay = (syntax: Syntax) =>
  syntax === "yaml"
    ? "Pulumi displays each import twice, as `import` and as `update`, and then counts for example `4 imported` and " +
      "`4 updated`. The update only records in the state what the program declares. Nothing is sent to the service."
    : "Pulumi displays each import as `create`, as with every dynamic provider. A message at each resource says that it " +
      "will be imported. No object is created.";

/** Returns the commands that import the objects with the project. */
export const getNextSteps = (syntax: Syntax, secrets: Secret[]) => [
  ...(syntax === "yaml" ? [] : ["npm install"]),
  "pulumi stack init dev",
  ...secrets.map(({ key }) => `pulumi config set --secret ${key}`),
  "pulumi up",
];

/** Creates the files of the project. */
export function createProjectFiles(options: ProjectOptions, program: Program): Map<string, string> {
  const { syntax } = options;
  const head = formatHead(options);
  return new Map([
    ...program.files,
    ["README.md", formatReadme(options, program)],
    [importedNamesFile, formatImportedNames(program.importedNames)],
    ...(syntax === "yaml"
      ? ([["Pulumi.yaml", `${head}${program.files.get("Pulumi.yaml")}`]] as const)
      : Object.entries({ "Pulumi.yaml": head, ...createNodeFiles(options) })),
  ]);
}

const formatHead = ({ project, syntax }: ProjectOptions) =>
  `name: "${project}"\ndescription: Imported from an existing account of the tunnelling service\nruntime: ${syntax === "yaml" ? "yaml" : "nodejs"}\n`;

function createNodeFiles({ project, dependencies }: ProjectOptions): Record<string, string> {
  const json = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`;
  return {
    "package.json": json({
      name: project.toLowerCase(),
      private: true,
      main: "index.ts",
      dependencies,
      devDependencies: { "@types/node": "^22.0.0", typescript: "^5.0.0" },
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
    ".gitignore": "node_modules/\n",
  };
}

const formatRemoveCommand = (option: RemovableOption) => `npx pulumi-tunnel-edge import --remove ${option}`;

const formatBlock = (language: string, lines: string[]) => `\`\`\`${language}\n${lines.join("\n")}\n\`\`\``;
const formatShellBlock = (...lines: string[]) => formatBlock("sh", lines);

const formatWarning = (text: string) => `> [!WARNING]\n> ${text}`;

function formatReadme({ project, syntax, protect }: ProjectOptions, { secrets, parts }: Program): string {
  const hasApiKeys = parts.some(({ importable }) => isApiKeys(importable));
  const writeOnly = secrets.filter((secret) => secret.isWriteOnly);
  const paragraphs = [
    `# ${project}`,
    "`pulumi-tunnel-edge import` wrote this Pulumi project for the existing objects of an account. Its first " +
      "`pulumi up` imports them and changes nothing in the service.",
    ...(syntax === "yaml" ? [pluginNote, formatBlock("yaml", pluginLines), "Then:"] : []),
    formatShellBlock(...getNextSteps(syntax, secrets)),
    describeDisplay(syntax),
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
          formatShellBlock(formatRemoveCommand("protect"), "pulumi up"),
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
    formatShellBlock(formatRemoveCommand("import")),
  ];
  return `${paragraphs.join("\n\n")}\n`;
}

/** Replaces the characters that would end or format a cell of a table. */
const formatCell = (text: string) => text.replace(/[|`<\s]+/g, " ");
