// Writes docs/reference, docs/coverage.md, schemas, Pulumi.yaml, the list of resources in README.md and the table in
// docs/settings.md, from the JSDoc of src/ and the definitions in dist/:
//   node scripts/docs.mjs            writes what has changed
//   node scripts/docs.mjs --check    writes nothing, and fails if something would change
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import ts from "typescript";
import { createCoveragePage } from "./coverage.mjs";
import { port } from "./emulator.mjs";
import { Failure, log, main, readIfExists, root } from "./lib.mjs";
import { createSchemas } from "./schemas.mjs";
import {
  checker,
  definitions,
  exportedSymbols,
  formatRule,
  getDeclaration,
  getDoc,
  getFileName,
  getFolderName,
  getTags,
  getType,
  isInternal,
  isOurs,
  unwrap,
} from "./source.mjs";

const require = createRequire(import.meta.url);
const reference = "docs/reference";
const schemas = "schemas";
const { routesOf } = require(path.join(root, "dist/definitions/definition.js"));

/** Returns the captions and code of examples from the source, because the compiler's API loses indentation. */
function getExamples(symbol) {
  const tags = ts.getJSDocTags(getDeclaration(symbol)).filter((tag) => tag.tagName.text === "example");
  return tags.map((tag) => {
    const lines = tag
      .getText()
      .replace(/^@example/, "")
      .split("\n");
    const text = lines
      .map((line) => line.replace(/^\s*\* ?/, ""))
      .join("\n")
      .trim();
    const [, caption, code] = /^([\s\S]*?)(```[\s\S]*```)\s*$/.exec(text) ?? [];
    if (!code) throw new Failure(`An @example of ${symbol.name} has no code between \`\`\`.`);
    return [unwrap(caption), code].filter(Boolean).join("\n\n");
  });
}

/** Formats a type as the source writes it, without Pulumi's wrappers, such as Input. */
function formatType(node, types) {
  if (ts.isParenthesizedTypeNode(node)) return formatType(node.type, types);
  if (ts.isArrayTypeNode(node)) {
    const item = formatType(node.elementType, types);
    return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
  }
  if (ts.isUnionTypeNode(node)) {
    return node.types
      .map((part) => formatType(part, types))
      .filter((text) => text !== "undefined")
      .join(" | ");
  }
  if (ts.isTypeLiteralNode(node) && node.members.length === 1 && ts.isIndexSignatureDeclaration(node.members[0])) {
    return `map of ${formatType(node.members[0].type, types)}`;
  }
  // `string & {}`, next to the strings that editors suggest.
  if (ts.isIntersectionTypeNode(node)) return formatType(node.types[0], types);
  if (!ts.isTypeReferenceNode(node)) return node.getText();
  const name = node.typeName.getText().split(".").pop();
  const [inner] = node.typeArguments ?? [];
  if (name === "Input") return formatType(inner, types);
  const found = checker.getSymbolAtLocation(node.typeName);
  const symbol = found && found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
  if (!symbol || !isOurs(symbol)) return node.getText();
  const { type } = getDeclaration(symbol);
  // An alias of a type without properties.
  if (ts.isTypeAliasDeclaration(getDeclaration(symbol)) && !ts.isTypeLiteralNode(type)) return formatType(type, types);
  return linkToType(symbol, types);
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
  return Object.entries(fields).flatMap(([name, { check, module }]) => {
    if (module) return formatRules(module.fields, `${prefix}${name}.`);
    const rule = formatRule(check);
    return rule ? [`- \`${prefix}${name}\`: ${rule}`] : [];
  });
}

/** Formats the id of an object, such as `edgtcp_…`. The id of a module consists of its parents' ids. */
function formatId({ kind, type, fields, parents }) {
  if (kind === "command") return undefined;
  if (kind === "module") return `\`${parents.map((name) => `${fields[name].check.prefix}…`).join("/")}\``;
  const result = checker.getDeclaredTypeOfSymbol(exportedSymbols.get(`Get${type}Result`));
  return /`.*`/.exec(getDoc(result.getProperty("id")))[0];
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
const firstSentence = (text) => /^[\s\S]*?[.](?=\s|$)/.exec(text)?.[0] ?? text;
const joinParts = (...parts) => `${parts.flat().filter(Boolean).join("\n\n")}\n`;
const createSection = (title, ...parts) => {
  const body = parts.flat().filter(Boolean);
  return body.length > 0 ? [`## ${title}`, ...body] : [];
};

const createNote = (symbol) =>
  `<!-- Generated by \`npm run docs\` from src/${getFolderName(symbol)}/${getFileName(symbol)}.ts. Edit that file instead. -->`;

/** Returns the properties of a type in this order; without one, those that it inherits come first. */
function getProperties(type, order = getInheritedNames(type)) {
  const rank = ({ name }) => (order.includes(name) ? order.indexOf(name) : order.length);
  return type
    .getProperties()
    .filter((property) => isOurs(property) && !isInternal(property))
    .sort((a, b) => rank(a) - rank(b));
}

const getInheritedNames = (type) =>
  (type.isClassOrInterface() ? checker.getBaseTypes(type) : []).flatMap((base) => [
    ...getInheritedNames(base),
    ...base.getProperties().map(({ name }) => name),
  ]);

/** The order of a definition's outputs. */
const getOutputOrder = ({ fields, computed = {} }) => ["id", ...Object.keys(fields), ...Object.keys(computed)];

function createArgumentRows(properties, types, fields) {
  return properties.map((property) => {
    const field = fields?.[property.name];
    return [
      `\`${property.name}\``,
      formatType(getDeclaration(property).type, types) + (field?.secret ? ", secret" : ""),
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
    formatType(getDeclaration(property).type, types) + (fields[property.name]?.secret ? ", secret" : ""),
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

function getConstructor(symbol) {
  const signature = getType(symbol).getConstructSignatures()[0];
  const args = signature.getParameters()[1];
  return { args: checker.getNonNullableType(getType(args)), isOptional: Boolean(getDeclaration(args).questionToken) };
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
    createSection("Examples", getExamples(symbol)),
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

const toUpperSnakeCase = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

const settings = require(path.join(root, "dist/settings.js"));

/** Formats the settings, which are the Provider's arguments. Required are those that are missing if none is set. */
function formatSettings(args, columns) {
  const { problems } = settings.readSettings({}, {});
  const required = problems.map(({ setting }) => setting);
  const contents = {
    Config: ({ name }) => `\`tunnel-edge:${name}\``,
    Environment: ({ name }) => `\`TUNNEL_EDGE_${toUpperSnakeCase(name)}\``,
    Meaning: getDoc,
    Allowed: ({ name }) => settings.allowedValues(name),
    Default: (property) => (required.includes(property.name) ? "required" : getTags(property, "default")[0]),
  };
  const rows = getProperties(args).map((property) => columns.map((column) => contents[column](property)));
  return formatTable(columns, rows);
}

function createProviderPage(symbol) {
  const types = new Set();
  const { args } = getConstructor(symbol);
  return joinParts(
    createNote(symbol),
    `# ${symbol.name}`,
    getDoc(symbol),
    createSection("Examples", getExamples(symbol)),
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
      formatSettings(args, ["Config", "Environment", "Meaning", "Allowed", "Default"]),
      "The same values are allowed in the arguments. See [Configure the provider](../settings.md) and [Use several accounts](../accounts.md).",
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
  const listed = [...definitions.values()].find(({ plural }) => plural !== undefined && name === `get${plural}`);
  const order = listed && Object.keys(listed.filters);
  const outputForm = exportedSymbols.has(`${name}Output`) ? `, or ${call(`${name}Output`)} → Output of the same` : "";
  const rows = createArgumentRows(getProperties(argsType, order), types);
  return [
    getDoc(symbol),
    ...getExamples(symbol),
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

const isClass = (symbol) => Boolean(symbol.flags & ts.SymbolFlags.Class);
const byName = (a, b) => (a.name < b.name ? -1 : 1);
const symbols = [...exportedSymbols.values()].sort(byName);
const resources = symbols.filter((symbol) => isClass(symbol) && definitions.has(symbol.name));
const provider = exportedSymbols.get("Provider");
const functions = symbols.filter(
  ({ name }) => /^get[A-Z]/.test(name) && !(/Output$/.test(name) && exportedSymbols.has(name.slice(0, -6))),
);

/** The functions of a page: those of one file. The page is named after the last, `getTcpEdges`. */
const functionPages = new Map(
  [...new Set(functions.map(getFileName))].map((file) => {
    const group = functions.filter((symbol) => getFileName(symbol) === file);
    return [group.at(-1).name.replace(/^get./, (start) => start.at(-1).toLowerCase()), group];
  }),
);

const linkTo = (symbol, folder = "") => `[\`${symbol.name}\`](${folder}${getFileName(symbol)}.md)`;

const formatResources = () =>
  formatTable(
    ["Resource", "Description"],
    resources.map((symbol) => [linkTo(symbol), firstSentence(getDoc(symbol))]),
  );

const linkToFunction = ({ name }, folder = "") => {
  const [page] = [...functionPages].find(([, group]) => group.some((symbol) => symbol.name === name));
  return `[\`${name}\`](${folder}functions/${page}.md#${name.toLowerCase()})`;
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

/** Returns a page with this content between `<!-- name -->` and `<!-- /name -->`. */
function fillIn(file, name, content) {
  const text = readIfExists(path.join(root, file)) ?? "";
  const pattern = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`);
  if (!pattern.test(text)) throw new Failure(`${file} has no place for the ${name}: <!-- ${name} -->.`);
  return [file, text.replace(pattern, (_, begin, end) => `${begin}\n${content}\n\n${end}`)];
}

/** The project at the top level: the quickstart with the emulator of `npm run emulator`. */
function createProjectFile() {
  const { defaultApiKey } = require("../dist/emulator");
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
  return new Map([
    fillIn("README.md", "resources", `${resources.map((symbol) => linkTo(symbol, `${reference}/`)).join(", ")}.`),
    fillIn(
      "docs/settings.md",
      "settings",
      formatSettings(getConstructor(provider).args, ["Config", "Environment", "Meaning", "Default"]),
    ),
    ["Pulumi.yaml", createProjectFile()],
    [
      "docs/coverage.md",
      createCoveragePage({
        linkToResource: (type) => linkTo(exportedSymbols.get(type), "reference/"),
        linkToFunction: (name) => linkToFunction(exportedSymbols.get(name), "reference/"),
        formatTable,
      }),
    ],
    page("README.md", createIndexPage()),
    page(`${getFileName(provider)}.md`, createProviderPage(provider)),
    ...resources.map((symbol) => page(`${getFileName(symbol)}.md`, createResourcePage(symbol))),
    ...[...functionPages].map(([name, group]) => page(`functions/${name}.md`, createFunctionsPage(group))),
    ...Object.entries(createSchemas()).map(([name, schema]) => [
      path.join(schemas, `${name}.json`),
      `${JSON.stringify(schema, null, 2)}\n`,
    ]),
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
