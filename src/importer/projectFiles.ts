/** The files of a new Pulumi project, besides its program. */

import { joinWithAnd } from "../quote";
import { formatImportedNames, importedNamesFile } from "./importedNames";
import { apiKeyRisk, isApiKeys, type Program, type Secret } from "./program";
import type { RemovableOption } from "./removeOption";

export interface ProjectOptions {
  /** The project's name. */
  project: string;
  /** The program's dependencies: versions by package. */
  dependencies: Record<string, string>;
  /** Whether every resource has the option `protect`. */
  protect: boolean;
}

/** The files that every project has. */
export const projectFileNames = ["Pulumi.yaml", "package.json", "tsconfig.json", ".gitignore", "README.md", "index.ts"];

/** Returns the commands that import the objects with the project. */
export const getNextSteps = (secrets: Secret[]) => [
  "npm install",
  "pulumi stack init dev",
  ...secrets.map(({ key }) => `pulumi config set --secret ${key}`),
  "pulumi up",
];

/** Creates the files of the project besides its program. */
export function createProjectFiles(options: ProjectOptions, program: Program): Record<string, string> {
  const { project, dependencies } = options;
  const json = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`;
  return {
    "Pulumi.yaml": `name: "${project}"\ndescription: Imported from an existing account of the tunnelling service\nruntime: nodejs\n`,
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
    "README.md": formatReadme(options, program),
    [importedNamesFile]: formatImportedNames(program.importedNames),
  };
}

const formatRemoveCommand = (option: RemovableOption) => `npx pulumi-tunnel-edge import --remove ${option}`;

const formatShellBlock = (...lines: string[]) => `\`\`\`sh\n${lines.join("\n")}\n\`\`\``;

const formatWarning = (text: string) => `> [!WARNING]\n> ${text}`;

function formatReadme({ project, protect }: ProjectOptions, { secrets, parts }: Program): string {
  const hasApiKeys = parts.some(({ importable }) => isApiKeys(importable));
  const writeOnly = secrets.filter((secret) => secret.isWriteOnly);
  const paragraphs = [
    `# ${project}`,
    "`pulumi-tunnel-edge import` wrote this Pulumi project for the existing objects of an account. Its first " +
      "`pulumi up` imports them and changes nothing in the service.",
    formatShellBlock(...getNextSteps(secrets)),
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
