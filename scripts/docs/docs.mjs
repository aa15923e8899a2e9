// Writes docs/reference, the tables of dev/api.md, schemas, plugin/schema.json, Pulumi.yaml, the example in
// docs/_index.md, the settings in docs/installation-configuration.md, and the names of SDKs in pages and examples, from the JSDoc of src/ and the definitions in dist/:
//   node scripts/docs/docs.mjs            writes what has changed
//   node scripts/docs/docs.mjs --check    writes nothing, and fails if something would change
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import ts from "typescript";
import { port } from "../dev/emulator.mjs";
import { Failure, log, main, readIfExists, root } from "../lib/index.mjs";
import { createApiTables } from "./apiPage.mjs";
import { translateExample } from "./examples.mjs";
import { createPackageSchema } from "./packageSchema.mjs";
import { createSchemas } from "./schemas.mjs";
import { sdkNames } from "./sdkNames.mjs";
import {
  checker,
  definitions,
  exportedSymbols,
  firstSentence,
  formatId,
  functions,
  getConstructor,
  getDeclaration,
  getDoc,
  getExamples,
  getFileName,
  getFilterOrder,
  getOutputOrder,
  getProperties,
  getSourcePath,
  getTags,
  getType,
  getTypeOf,
  listSettings,
  provider,
  resources,
} from "./source.mjs";

const require = createRequire(import.meta.url);
const reference = "docs/reference";
const schemas = "schemas";
const { routesOf } = require(path.join(root, "dist/definitions/definition.js"));

const formatBlock = (language, code) => `\`\`\`${language}\n${code}\`\`\``;

/** The other languages, in the order of the pages, by the names that highlight their code. */
const otherLanguages = { python: "Python", go: "Go", java: "Java", csharp: "C#" };

/** The examples in TypeScript and YAML, with the other languages folded. How an import behaves differs in these. */
const formatExamples = (symbol) =>
  getExamples(symbol).map(({ caption, code }) => {
    const { yaml, ...translated } = code.includes("{ import:") ? {} : translateExample(code);
    const folded = Object.entries(otherLanguages)
      .filter(([language]) => translated[language])
      .map(([language, title]) => `${title}:\n\n${formatBlock(language, translated[language])}`);
    return [
      caption,
      formatBlock("ts", code),
      yaml && formatBlock("yaml", yaml),
      folded.length > 0 &&
        `<details>\n<summary>${Object.values(otherLanguages).join(", ")}</summary>\n\n${folded.join("\n\n")}\n\n</details>`,
    ]
      .filter(Boolean)
      .join("\n\n");
  });

/** The first example of a class, with a choice of languages, as Pulumi's registry shows it. */
function formatChooser(symbol) {
  const [{ code }] = getExamples(symbol);
  const translated = Object.entries(translateExample(code));
  const parts = translated.map(
    ([language, text]) =>
      `{{% choosable language ${language} %}}\n\n${formatBlock(language, text)}\n\n{{% /choosable %}}`,
  );
  const names = translated.map(([language]) => language).join(",");
  return [`{{< chooser language "${names}" >}}`, ...parts, "{{< /chooser >}}"].join("\n\n");
}

/** Formats a type, and adds the types that it refers to. */
function formatType(type, types) {
  const format = (inner) => formatType(inner, types);
  switch (type.kind) {
    case "list":
      return type.items.kind === "union" ? `(${format(type.items)})[]` : `${format(type.items)}[]`;
    case "union":
      return type.members.map(format).join(" | ");
    case "map":
      return `map of ${format(type.values)}`;
    case "value":
      return `"${type.value}"`;
    case "object":
      return linkToType(type.symbol, types);
    default:
      return type.name;
  }
}

function linkToType(symbol, types) {
  types.add(symbol);
  const name = getTypeName(symbol);
  return `[${name}](#${name.toLowerCase()})`;
}

/** The name by which the package exports a type. */
const getTypeName = ({ name }) => (exportedSymbols.has(`${name}Args`) ? `${name}Args` : name);

// From the definitions.

function formatRules(fields, prefix = "") {
  return Object.entries(fields).flatMap(([name, { accepts, module }]) => {
    if (module) return formatRules(module.fields, `${prefix}${name}.`);
    return accepts.rule ? [`- \`${prefix}${name}\`: ${accepts.rule}`] : [];
  });
}

function formatCalls(definition) {
  const { kind, fields, list, clearIfUndeletable } = definition;
  const routes = kind === "command" ? definition.routes : routesOf(definition);
  const modules = Object.entries(fields).filter(([, { module }]) => module);
  const puts = modules.filter(([, { module }]) => module.put);
  const rows = Object.entries(routes).map(([operation, route]) => {
    const notes = [];
    if (operation === "read" && list) notes.push(`\`${list.route}\` for several at once`);
    if (operation === "update" && kind === "object") {
      notes.push(...puts.map(([name, { module }]) => `\`${module.put}\` if only \`${name}\` changes`));
    }
    if (operation === "delete" && clearIfUndeletable) {
      notes.push("if the service does not have this call, hostports and modules are removed instead, with a warning");
    }
    return [operation, [`\`${route}\``, ...notes].join("; ")];
  });
  const removals = modules.filter(([, { module }]) => module.remove);
  rows.push(...removals.map(([name, { module }]) => [`remove \`${name}\``, `\`${module.remove}\``]));
  return formatTable(["Operation", "Call"], rows);
}

// Pages.

const formatCell = (text) =>
  String(text ?? "")
    .replace(/\|/g, "\\|")
    .replace(/\s*\n\s*/g, " ");
/** Formats a table without empty columns. */
function formatTable(head, rows) {
  const used = head.map((_, column) => rows.some((row) => formatCell(row[column]) !== ""));
  const line = (row) =>
    `| ${row
      .filter((_, column) => used[column])
      .map(formatCell)
      .join(" | ")} |`;
  return [head, head.map(() => "---"), ...rows].map(line).join("\n");
}
const formatYes = (value) => (value ? "yes" : "");
const joinParts = (...parts) => `${parts.flat().filter(Boolean).join("\n\n")}\n`;
const createSection = (title, ...parts) => {
  const body = parts.flat().filter(Boolean);
  return body.length > 0 ? [`## ${title}`, ...body] : [];
};

const createNote = (symbol) =>
  `<!-- Generated by \`npm run docs\` from ${getSourcePath(symbol)}. Edit that file instead. -->`;

function createArgumentRows(properties, types, fields) {
  return properties.map((property) => {
    const field = fields?.[property.name];
    return [
      `\`${property.name}\``,
      formatType(getTypeOf(property), types) + (field?.secret ? ", secret" : ""),
      formatYes(!(property.flags & ts.SymbolFlags.Optional)),
      getTags(property, "default")[0],
      ...(fields ? [formatYes(field?.replaces)] : []),
      getDoc(property),
    ];
  });
}

const createOutputRows = (properties, types, fields = {}) =>
  properties.map((property) => [
    `\`${property.name}\``,
    formatType(getTypeOf(property), types) + (fields[property.name]?.secret ? ", secret" : ""),
    getDoc(property),
  ]);

/** Describes the types that a page refers to, and those that these refer to. */
function describeTypes(types, isResult) {
  const parts = [];
  // The set grows during the iteration.
  for (const symbol of types) {
    const definition = definitions.get(/^Get(\w+)Result$/.exec(symbol.name)?.[1]);
    const properties = getProperties(checker.getDeclaredTypeOfSymbol(symbol), definition && getOutputOrder(definition));
    const rows = isResult
      ? createOutputRows(properties, types, definition?.fields)
      : createArgumentRows(properties, types);
    const head = isResult ? ["Property", "Type", "Meaning"] : ["Argument", "Type", "Required", "Default", "Meaning"];
    parts.push(`### ${getTypeName(symbol)}`, getDoc(symbol), formatTable(head, rows));
  }
  return createSection("Types", parts);
}

function createResourcePage(symbol) {
  const { name } = symbol;
  const definition = definitions.get(name);
  const types = new Set();
  const { args, isOptional } = getConstructor(symbol);
  const { fields, computed } = definition;
  const rows = createArgumentRows(getProperties(args, Object.keys(fields)), types, fields);
  const outputs = getProperties(checker.getDeclaredTypeOfSymbol(symbol), getOutputOrder(definition));
  const id = formatId(definition);
  const isReadable = Boolean(getType(symbol).getProperty("get"));
  const hasReplacement = Object.values(fields).some((field) => field.replaces);
  return joinParts(
    createNote(symbol),
    `# ${name}`,
    getDoc(symbol),
    createSection("Examples", formatExamples(symbol)),
    createSection(
      "Arguments",
      `\`new tunnel.${name}(name, args${isOptional ? "?" : ""}, opts?)\``,
      formatTable(["Argument", "Type", "Required", "Default", "Replaces", "Meaning"], rows),
      isReadable && !hasReplacement && "All arguments are updated in place.",
    ),
    describeTypes(types),
    createSection("Checked at preview", formatRules(fields).join("\n")),
    createSection(
      "Outputs",
      `Every argument is also an output${isReadable ? ", with the value that the service has, even if the program does not declare it" : ""}.`,
      formatTable(
        ["Output", "Type", "Meaning"],
        [
          ["`id`", "string", id ? `The id, ${id}.` : "Generated by the provider. The service does not know it."],
          ...createOutputRows(
            outputs.filter(({ name }) => name in computed),
            types,
            computed,
          ),
        ],
      ),
    ),
    isReadable &&
      createSection(
        "Import and get",
        `To import an existing object, set the resource option \`import\` to the id, ${id}. See [Import existing objects](../import.md).`,
        `To read an object without managing it, use \`get\`:`,
        `\`\`\`ts\nconst existing = tunnel.${name}.get("existing", "${id.replace(/`/g, "")}");\n\`\`\``,
      ),
    createSection("Calls", formatCalls(definition)),
  );
}

function formatSettings(columns) {
  const contents = {
    Config: ({ name }) => `\`tunnel-edge:${name}\``,
    Environment: ({ variable }) => `\`${variable}\``,
    Meaning: ({ property }) => getDoc(property),
    Allowed: ({ allowed }) => allowed,
    Default: ({ property, isRequired }) => (isRequired ? "required" : getTags(property, "default")[0]),
  };
  return formatTable(
    columns,
    listSettings().map((setting) => columns.map((column) => contents[column](setting))),
  );
}

function createProviderPage(symbol) {
  const types = new Set();
  const { args } = getConstructor(symbol);
  return joinParts(
    createNote(symbol),
    `# ${symbol.name}`,
    getDoc(symbol),
    createSection("Examples", formatExamples(symbol)),
    createSection(
      "Arguments",
      `\`new tunnel.${symbol.name}(name, args, opts?)\``,
      getDoc(args.symbol),
      formatTable(
        ["Argument", "Type", "Required", "Default", "Meaning"],
        createArgumentRows(getProperties(args), types),
      ),
    ),
    createSection(
      "Settings of the stack",
      formatSettings(["Config", "Environment", "Meaning", "Allowed", "Default"]),
      "The same values are allowed in the arguments. See [Configuration](../installation-configuration.md#configuration) and [Several accounts](../installation-configuration.md#several-accounts).",
    ),
  );
}

/** Describes a function and its Output form. */
function describeFunction(symbol, types) {
  const { name } = symbol;
  const [signature] = getType(symbol).getCallSignatures();
  const [args] = signature.getParameters();
  const isOptional = Boolean(getDeclaration(args).questionToken);
  const argsType = checker.getNonNullableType(checker.getTypeOfSymbol(args));
  const call = (callee) => `\`tunnel.${callee}(args${isOptional ? "?" : ""}, opts?)\``;
  const result = linkToType(checker.getAwaitedType(signature.getReturnType()).symbol, types);
  const outputForm = exportedSymbols.has(`${name}Output`) ? `, or ${call(`${name}Output`)} → Output of the same` : "";
  const rows = createArgumentRows(getProperties(argsType, getFilterOrder(symbol)), types);
  return [
    getDoc(symbol),
    ...formatExamples(symbol),
    `${call(name)} → Promise of ${result}${outputForm}`,
    isOptional && getDoc(argsType.symbol),
    formatTable(["Argument", "Type", "Required", "Default", "Meaning"], rows),
  ];
}

function createFunctionsPage(symbols) {
  const types = new Set();
  const [first, ...more] = symbols;
  const parts = symbols.flatMap((symbol) => [
    more.length > 0 && `## ${symbol.name}`,
    ...describeFunction(symbol, types),
  ]);
  const title = symbols.map(({ name }) => name).join(", ");
  return joinParts(createNote(first), `# ${title}`, parts, describeTypes(types, true));
}

/** The functions of a page: those of one file. The page is named after the last, `getTcpEdges`. */
const functionPages = new Map(
  [...new Set(functions.map(getFileName))].map((file) => {
    const group = functions.filter((symbol) => getFileName(symbol) === file);
    return [group.at(-1).name.replace(/^get./, (start) => start.at(-1).toLowerCase()), group];
  }),
);

const linkTo = (symbol) => `[\`${symbol.name}\`](${getFileName(symbol)}.md)`;

const formatResources = () =>
  formatTable(
    ["Resource", "Description"],
    resources.map((symbol) => [linkTo(symbol), firstSentence(getDoc(symbol))]),
  );

const linkToFunction = ({ name }) => {
  const [page] = [...functionPages].find(([, group]) => group.some((symbol) => symbol.name === name));
  return `[\`${name}\`](functions/${page}.md#${name.toLowerCase()})`;
};

const formatFunctions = () =>
  formatTable(
    ["Function", "Description"],
    [...functionPages.values()].flat().map((symbol) => [linkToFunction(symbol), firstSentence(getDoc(symbol))]),
  );

function createIndexPage() {
  return joinParts(
    "<!-- Generated by `npm run docs`. -->",
    "# Reference",
    '`import * as tunnel from "pulumi-tunnel-edge"`',
    createSection("Resources", formatResources(), `${linkTo(provider)}: ${firstSentence(getDoc(provider))}`),
    createSection(
      "Functions",
      "Each function returns a Promise. A second form, such as `getTunnelsOutput`, takes and returns Outputs.",
      formatFunctions(),
    ),
  );
}

/** Returns a page with each content between `<!-- name -->` and `<!-- /name -->`. */
const fillIn = (file, contents) => [
  file,
  Object.entries(contents).reduce(
    (text, [name, content]) => fillInOne(file, text, name, content),
    readIfExists(path.join(root, file)) ?? "",
  ),
];

function fillInOne(file, text, name, content) {
  const pattern = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`);
  if (!pattern.test(text)) throw new Failure(`${file} has no place for the ${name}: <!-- ${name} -->.`);
  return text.replace(pattern, (_, begin, end) => `${begin}\n${content}\n\n${end}`);
}

/** The pages and programs that name SDKs. */
const namedSdks = [
  "docs/installation-configuration.md",
  "docs/languages.md",
  "docs/troubleshooting.md",
  "examples/languages/README.md",
  "examples/languages/go/go.mod",
  "examples/languages/go/main.go",
  "examples/languages/java/src/main/java/edges/App.java",
  "scripts/release/rehearsal/dotnet/Program.cs",
  "scripts/release/rehearsal/go/main.go",
  "scripts/release/rehearsal/java/App.java",
];

/** Gives the SDKs the names of the schema. */
const fillInNames = (text) =>
  text
    .replace(/[\w./-]+\/sdk\/go\b/g, path.posix.dirname(sdkNames.go))
    .replace(/[\w.]+(?=\.tunneledge\b)/g, sdkNames.java)
    .replace(/\w+(?=\.TunnelEdge\b)/g, sdkNames.csharp)
    .replace(/[\w.-]+(?=<\/groupId>\s*<artifactId>pulumi-tunnel-edge<)/g, sdkNames.group)
    .replace(/(?<=github\.com\/)[\w-]+(?=\/pulumi-tunnel-edge\b)/g, sdkNames.owner);

/** The project at the top level: the quickstart with the emulator of `npm run emulator`. */
function createProjectFile() {
  const { defaultApiKey } = require("../../dist/emulator");
  return `# Generated by \`npm run docs\` from examples/quickstart/Pulumi.yaml.
${readIfExists(path.join(root, "examples/quickstart/Pulumi.yaml"))}main: examples/quickstart
config:
  # The emulator that \`npm run emulator\` starts.
  tunnel-edge:baseUrl: http://127.0.0.1:${port}
  tunnel-edge:apiKey: ${defaultApiKey}
`;
}

/** Returns the content of every file that this script writes. */
function createPages() {
  const page = (name, text) => [path.join(reference, name), text];
  const json = (name, value) => [name, `${JSON.stringify(value, null, 2)}\n`];
  return new Map([
    fillIn("docs/_index.md", { example: formatChooser(exportedSymbols.get("TcpEdge")) }),
    fillIn("dev/api.md", createApiTables(formatTable)),
    fillIn("docs/installation-configuration.md", {
      settings: formatSettings(["Config", "Environment", "Meaning", "Default"]),
    }),
    ["Pulumi.yaml", createProjectFile()],
    page("README.md", createIndexPage()),
    page(`${getFileName(provider)}.md`, createProviderPage(provider)),
    ...resources.map((symbol) => page(`${getFileName(symbol)}.md`, createResourcePage(symbol))),
    ...[...functionPages].map(([name, group]) => page(`functions/${name}.md`, createFunctionsPage(group))),
    ...Object.entries(createSchemas()).map(([name, schema]) => json(path.join(schemas, `${name}.json`), schema)),
    json("plugin/schema.json", createPackageSchema()),
  ]);
}

/** The files in a folder, by their paths from the root. */
function listFiles(folder) {
  if (!fs.existsSync(path.join(root, folder))) return [];
  const entries = fs.readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)));
}

await main(async ([check]) => {
  const pages = createPages();
  for (const file of namedSdks) pages.set(file, fillInNames(pages.get(file) ?? readIfExists(path.join(root, file))));
  const stale = [reference, schemas].flatMap(listFiles).filter((file) => !pages.has(file));
  const changed = [...pages].filter(([file, text]) => readIfExists(path.join(root, file)) !== text);
  const names = [...changed.map(([file]) => file), ...stale];
  if (check === "--check") {
    if (names.length > 0) throw new Failure(`Not up to date: ${names.join(", ")}. Run \`npm run docs\`.`);
    return;
  }
  for (const [file, text] of changed) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), text);
  }
  for (const file of stale) fs.rmSync(path.join(root, file));
  log(names.length > 0 ? `Written: ${names.join(", ")}.` : "Everything is up to date.");
});
