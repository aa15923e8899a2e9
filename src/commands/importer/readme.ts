/** The README of a new project. */

import { joinWithAnd } from "../../base/quote";
import { apiKeyRisk, importedNamesFile, isApiKeys, type Program, type Syntax } from "./program";

const { version } = require("../../../package.json") as { version: string };

interface Project {
  name: string;
  syntax: Syntax;
  /** Whether every resource has the option `protect`. */
  protect: boolean;
  /** What imports the objects. */
  commands: string[];
}

const plugin = `YAML programs need the plugin. Download its archive for your system from the release, and install it:

\`\`\`sh
pulumi plugin install resource tunnel-edge ${version} --file pulumi-resource-tunnel-edge-v${version}-linux-amd64.tar.gz
\`\`\`

Or run \`npm install pulumi-tunnel-edge\` in the project, and add these lines to Pulumi.yaml:

\`\`\`yaml
plugins:
  providers:
    - name: tunnel-edge
      path: node_modules/pulumi-tunnel-edge/plugin
\`\`\`

Then:
`;

/** How Pulumi displays the first `pulumi up`, which looks like a change and is none. */
const displays: Record<Syntax, string> = {
  yaml:
    "Pulumi displays each import twice, as `import` and as `update`, and then counts for example `4 imported` and " +
    "`4 updated`. The update only records in the state what the program declares. Nothing is sent to the service.",
  typescript:
    "Pulumi displays each import as `create`, as with every dynamic provider. A message at each resource says that it " +
    "will be imported. No object is created.",
};

export function formatReadme({ name, syntax, protect, commands }: Project, { secrets, parts }: Program): string {
  const apiKeys = parts.some(({ importable }) => isApiKeys(importable))
    ? `> [!WARNING]\n> ${apiKeyRisk}`
    : `API keys are not in this project. ${apiKeyRisk} To import them, run the command with \`--include-api-keys\`.`;
  return `# ${name}

\`pulumi-tunnel-edge import\` wrote this Pulumi project for the existing objects of an account. Its first \`pulumi up\` imports them and changes nothing in the service.

${syntax === "yaml" ? `${plugin}\n` : ""}\`\`\`sh
${commands.join("\n")}
\`\`\`

${displays[syntax]}

The settings are read from the environment (\`TUNNEL_EDGE_BASE_URL\`, \`TUNNEL_EDGE_API_KEY\`) or from the stack's configuration (\`tunnel-edge:baseUrl\`, and \`tunnel-edge:apiKey\` with \`--secret\`).
${formatSecrets(secrets)}
## Protection

${protect ? protection : noProtection}

## API keys

${apiKeys}

## After the import

The program now manages these objects: what it declares is enforced, what it does not declare is left alone, and what it stops declaring is removed. Descriptions, metadata and policies were copied as they are, so review them before you share the program.

To import again into this directory, use \`--force\`. Keep \`${importedNamesFile}\`: it makes a second import use the same names. Otherwise Pulumi could confuse two objects.

After the first \`pulumi up\`, remove the option \`import\` from the resources, which is no change. Otherwise a later replacement imports the old object again.
`;
}

function formatSecrets(secrets: Program["secrets"]): string {
  if (secrets.length === 0) return "";
  const rows = secrets.map(({ key, description }) => `| \`${key}\` | ${formatCell(description)} |`);
  const writeOnly = secrets.filter(({ isWriteOnly }) => isWriteOnly).map(({ key }) => `\`${key}\``);
  const note = `
The service masks or does not return ${joinWithAnd(writeOnly)}, so a wrong value is not detected. It is sent when its module next changes. If no such secret is set, remove its line from the program.
`;
  return `
## Secrets

These values are not in the program. Each \`pulumi config set --secret\` above asks for one of them. The preview fails if the service returns another value.

| configuration | value |
|---|---|
${rows.join("\n")}
${writeOnly.length > 0 ? note : ""}`;
}

/** Replaces the characters that would end or format a cell of a table. */
const formatCell = (text: string) => text.replace(/[|`<\s]+/g, " ");

const protection = `Every resource has \`protect: true\`. \`pulumi destroy\` fails and deletes nothing, and \`pulumi up\` fails if a resource has been removed from the program. To allow Pulumi to delete an object, remove this line from its resource and run \`pulumi up\`.

> [!WARNING]
> Without \`protect\`, \`pulumi destroy\` deletes the imported objects from the account.`;

const noProtection = `> [!WARNING]
> \`pulumi destroy\` deletes the imported objects from the account, and removing a resource from the program deletes its object. The resource option \`protect: true\` prevents both.`;
