// Writes docs/reference and the tables of README.md from the JSDoc of src/ and the definitions in dist/, and Pulumi.yaml:
//   node scripts/docs.mjs            writes what has changed
//   node scripts/docs.mjs --check    writes nothing, and fails when something would change
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import ts from "typescript";
import { port } from "./emulator.mjs";
import { Failure, main, read, root, say } from "./lib.mjs";

const require = createRequire(import.meta.url);
const reference = "docs/reference";

const source = (name) => path.join(root, "src", name);
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(path.join(root, "tsconfig.build.json"), ts.sys.readFile).config,
  ts.sys,
  root,
);
const program = ts.createProgram([source("index.ts")], options);
const checker = program.getTypeChecker();

/** Everything that the package exports, by name. */
const exported = new Map(
  checker
    .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(source("index.ts"))))
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    .map((symbol) => [symbol.name, symbol]),
);

/** The definitions of all resources, by type. */
const definitions = new Map(
  Object.values(require(path.join(root, "dist/resources/index.js")))
    .flat()
    .map((definition) => [definition.type, definition]),
);

// What the compiler knows.

const declarationOf = (symbol) => symbol.valueDeclaration ?? symbol.declarations[0];
const fileOf = (symbol) => path.basename(declarationOf(symbol).getSourceFile().fileName, ".ts");
const folderOf = (symbol) => path.basename(path.dirname(declarationOf(symbol).getSourceFile().fileName));
const isOurs = (symbol) => declarationOf(symbol)?.getSourceFile().fileName.startsWith(source(""));
const typeOf = (symbol) => checker.getTypeOfSymbolAtLocation(symbol, declarationOf(symbol));

/** Comments are wrapped in the source; in a table, and in a page, a paragraph is one line. */
const unwrapped = (text) => text.replace(/([^\n])\n(?![\n\-`])/g, "$1 ").trim();
const linked = (text) => text.replace(/\{@link (\w+)\}/g, (_, name) => `\`${name}\``);
const textOf = (comment) => linked(ts.getTextOfJSDocComment(comment) ?? "");

const docOf = (symbol) =>
  unwrapped(
    ts
      .getJSDocCommentsAndTags(declarationOf(symbol))
      .filter(ts.isJSDoc)
      .map((doc) => textOf(doc.comment))
      .join("\n\n"),
  );

const tagsOf = (symbol, name) =>
  ts
    .getJSDocTags(declarationOf(symbol))
    .filter((tag) => tag.tagName.text === name)
    .map((tag) => textOf(tag.comment));

const isInternal = (symbol) =>
  tagsOf(symbol, "internal").length > 0 ||
  symbol.name.startsWith("__") ||
  Boolean(symbol.flags & ts.SymbolFlags.Method) ||
  Boolean(ts.getCombinedModifierFlags(declarationOf(symbol)) & ts.ModifierFlags.NonPublicAccessibilityModifier);

/** An example's caption and its code, from the source itself: the compiler's own reading loses indentation. */
function examplesOf(symbol) {
  const tags = ts.getJSDocTags(declarationOf(symbol)).filter((tag) => tag.tagName.text === "example");
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
    return [unwrapped(caption), code].filter(Boolean).join("\n\n");
  });
}

/** The type of an argument or output as a program sees it, without what Pulumi wraps around it. */
function show(node, types) {
  if (ts.isParenthesizedTypeNode(node)) return show(node.type, types);
  if (ts.isArrayTypeNode(node)) {
    const item = show(node.elementType, types);
    return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
  }
  if (ts.isUnionTypeNode(node)) {
    return node.types
      .map((part) => show(part, types))
      .filter((text) => text !== "undefined")
      .join(" | ");
  }
  if (ts.isTypeLiteralNode(node) && node.members.length === 1 && ts.isIndexSignatureDeclaration(node.members[0])) {
    return `map of ${show(node.members[0].type, types)}`;
  }
  // `string & {}`, beside the strings that editors are to offer.
  if (ts.isIntersectionTypeNode(node)) return show(node.types[0], types);
  if (!ts.isTypeReferenceNode(node)) return node.getText();
  const name = node.typeName.getText().split(".").pop();
  const [inner] = node.typeArguments ?? [];
  if (["Input", "Output", "Unwrap", "Resolved", "Promise"].includes(name)) return show(inner, types);
  if (name === "Record") return `map of ${show(node.typeArguments[1], types)}`;
  const found = checker.getSymbolAtLocation(node.typeName);
  const symbol = found && found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
  if (!symbol || !isOurs(symbol)) return node.getText();
  const { type } = declarationOf(symbol);
  // Another name for a type that has no properties of its own to list.
  if (ts.isTypeAliasDeclaration(declarationOf(symbol)) && !ts.isTypeLiteralNode(type)) return show(type, types);
  types.add(symbol);
  return `[${name}](#${name.toLowerCase()})`;
}

// What the definitions know.

/** In place of the schemas of the check at preview: each kind says in words what it asks for. */
const demands = new Proxy(
  {
    string: (most) => (most === undefined ? "" : `at most ${most} bytes`),
    nonEmpty: () => "not empty",
    optionalString: () => "not empty",
    url: () => "a URL in full",
    owner: () => "the id of a user or bot, such as `usr_…`",
    publicKey: () => "a public key, in OpenSSH's format or PEM-encoded",
    id: (what, prefix) => `the id of ${what}, \`${prefix}…\``,
    ids: (item) => (item ? `one at least, each ${item}` : "one at least"),
    list: (item) => item && `each ${item}`,
    enumOf: (words) => words.map((word) => `\`"${word}"\``).join(" or "),
    uint32: () => "a whole number from 0 to 4294967295",
    hostports: () => "each `<host>:<port>`, none twice",
    acl: () => "each `bind:<target>`, or `*` as the only one",
    headers: () => "valid header names, none twice in different case, and values of one line",
    headerName: () => "a valid header name",
    pattern: () => "a regular expression, as far as every dialect agrees on what is one",
  },
  { get: (known, kind) => known[kind] ?? (() => "") },
);

function demandsOf(fields, prefix = "") {
  return Object.entries(fields).flatMap(([name, field]) => {
    if (field.module) return demandsOf(field.module.fields, `${prefix}${name}.`);
    const demand = field.schema(demands);
    return demand ? [`- \`${prefix}${name}\`: ${demand}`] : [];
  });
}

/** The id of an object, such as `edgtcp_…`: a module's is made of its parents'. */
function idOf(symbol, definition) {
  const [stated] = tagsOf(symbol, "id");
  if (stated || !definition.parents) return stated;
  const prefix = (name) => /`(.*)`/.exec(definition.fields[name].schema(demands))[1];
  return `\`${Object.keys(definition.parents).map(prefix).join("/")}\``;
}

function callsOf({ fields, routes, list, parents, clearIfUndeletable }) {
  const modules = Object.entries(fields).filter(([, { module }]) => module);
  const puts = modules.filter(([, { module }]) => module.put);
  const rows = Object.entries(routes).map(([operation, route]) => {
    const more = [];
    if (operation === "read" && list) more.push(`several at once from \`${list.route}\``);
    if (operation === "update" && !parents) {
      more.push(...puts.map(([name, { module }]) => `\`${name}\` alone: \`${module.put}\``));
    }
    if (operation === "delete" && clearIfUndeletable) {
      more.push("a service without it: hostports and modules are taken off instead, with a warning");
    }
    return [operation, [`\`${route}\``, ...more].join("; ")];
  });
  const removals = modules.filter(([, { module }]) => module.remove);
  rows.push(...removals.map(([name, { module }]) => [`remove \`${name}\``, `\`${module.remove}\``]));
  return table(["Operation", "Call"], rows);
}

// Pages.

const cell = (text) =>
  String(text ?? "")
    .replace(/\|/g, "\\|")
    .replace(/\s*\n\s*/g, " ");
/** A table without the columns that would be empty. */
function table(head, rows) {
  const used = head.map((_, column) => rows.some((row) => cell(row[column]) !== ""));
  const line = (row) =>
    `| ${row
      .filter((_, column) => used[column])
      .map(cell)
      .join(" | ")} |`;
  return [head, head.map(() => "---"), ...rows].map(line).join("\n");
}
const yes = (holds) => (holds ? "yes" : "");
const sentence = (text) => /^[\s\S]*?[.](?=\s|$)/.exec(text)?.[0] ?? text;
const joined = (...parts) => `${parts.flat().filter(Boolean).join("\n\n")}\n`;
const section = (title, ...parts) => {
  const body = parts.flat().filter(Boolean);
  return body.length > 0 ? [`## ${title}`, ...body] : [];
};

const note = (symbol) =>
  `<!-- Made by \`npm run docs\` from src/${folderOf(symbol)}/${fileOf(symbol)}.ts: change that instead. -->`;

/** Properties of a type, those that the definition lists first and in its order. */
function propertiesOf(type, fields = {}) {
  const order = Object.keys(fields);
  const rank = ({ name }) => (order.includes(name) ? order.indexOf(name) : order.length);
  return type
    .getProperties()
    .filter((property) => isOurs(property) && !isInternal(property))
    .sort((a, b) => rank(a) - rank(b));
}

function argumentRows(type, fields, types) {
  return propertiesOf(type, fields).map((property) => {
    const field = fields?.[property.name];
    return [
      `\`${property.name}\``,
      show(declarationOf(property).type, types) + (field?.secret ? ", secret" : ""),
      yes(!(property.flags & ts.SymbolFlags.Optional)),
      tagsOf(property, "default")[0],
      ...(fields ? [yes(field?.replaces)] : []),
      docOf(property),
    ];
  });
}

const outputRows = (properties, types, secrets = {}) =>
  properties.map((property) => [
    `\`${property.name}\``,
    show(declarationOf(property).type, types) + (secrets[property.name]?.secret ? ", secret" : ""),
    docOf(property),
  ]);

/** The types that a page's tables name, and those that these name in turn. */
function supporting(types, isResult) {
  const parts = [];
  // A set that grows while it is walked.
  for (const symbol of types) {
    const properties = propertiesOf(checker.getDeclaredTypeOfSymbol(symbol));
    const rows = isResult
      ? outputRows(properties, types)
      : argumentRows(checker.getDeclaredTypeOfSymbol(symbol), undefined, types);
    const head = isResult ? ["Property", "Type", "Meaning"] : ["Argument", "Type", "Required", "Default", "Meaning"];
    parts.push(`### ${symbol.name}`, docOf(symbol), table(head, rows));
  }
  return section("Types", parts);
}

function constructorOf(symbol) {
  const signature = typeOf(symbol).getConstructSignatures()[0];
  const args = signature.getParameters()[1];
  return { args: checker.getNonNullableType(typeOf(args)), optional: Boolean(declarationOf(args).questionToken) };
}

function resourcePage(symbol) {
  const { name } = symbol;
  const definition = definitions.get(name);
  const types = new Set();
  const { args, optional } = constructorOf(symbol);
  const rows = argumentRows(args, definition.fields, types);
  const outputs = propertiesOf(checker.getDeclaredTypeOfSymbol(symbol), definition.fields);
  const further = outputs.filter((property) => !(property.name in definition.fields));
  const id = idOf(symbol, definition);
  const readable = Boolean(typeOf(symbol).getProperty("get"));
  const replaces = Object.values(definition.fields).some((field) => field.replaces);
  return joined(
    note(symbol),
    `# ${name}`,
    docOf(symbol),
    section("Examples", examplesOf(symbol)),
    section(
      "Arguments",
      `\`new tunnel.${name}(name, args${optional ? "?" : ""}, opts?)\``,
      table(["Argument", "Type", "Required", "Default", "Replaces", "Meaning"], rows),
      readable && !replaces && "Every change is made in place.",
    ),
    supporting(types),
    section("Checked at preview, before any call", demandsOf(definition.fields).join("\n")),
    section(
      "Outputs",
      `Every argument is an output too${readable ? ", and shows what the service has, stated or not" : ""}.`,
      table(
        ["Output", "Type", "Meaning"],
        [
          ["`id`", "string", id ? `${id}.` : "Made up; it names nothing in the service."],
          ...outputRows(further, types, definition.outputs),
        ],
      ),
    ),
    readable &&
      section(
        "Import and get",
        `The option \`import\` with the id, ${id}, takes over what exists already instead of making it, after comparing it with the arguments: see [Existing infrastructure](../import.md).`,
        `\`get\` reads one without managing it:`,
        `\`\`\`ts\nconst existing = tunnel.${name}.get("existing", "${id.replace(/`/g, "")}");\n\`\`\``,
      ),
    section("Calls", callsOf(definition)),
  );
}

const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

const settings = require(path.join(root, "dist/settings.js"));

/** The settings of a stack, which are a Provider's arguments; with nothing set, the required ones are missing. */
function settingTable(args, columns) {
  const { problems } = settings.readSettings({}, {});
  const required = problems.map(({ setting }) => setting);
  const contents = {
    Config: ({ name }) => `\`tunnel-edge:${name}\``,
    Environment: ({ name }) => `\`TUNNEL_EDGE_${snake(name)}\``,
    Meaning: docOf,
    Allowed: ({ name }) => settings.allowedValues(name),
    Default: (property) => (required.includes(property.name) ? "required" : tagsOf(property, "default")[0]),
  };
  const rows = propertiesOf(args).map((property) => columns.map((column) => contents[column](property)));
  return table(columns, rows);
}

function providerPage(symbol) {
  const types = new Set();
  const { args } = constructorOf(symbol);
  return joined(
    note(symbol),
    `# ${symbol.name}`,
    docOf(symbol),
    section("Examples", examplesOf(symbol)),
    section(
      "Arguments",
      `\`new tunnel.${symbol.name}(name, args, opts?)\``,
      docOf(args.symbol),
      table(["Argument", "Type", "Required", "Default", "Meaning"], argumentRows(args, undefined, types)),
    ),
    section(
      "Settings of the stack",
      settingTable(args, ["Config", "Environment", "Meaning", "Allowed", "Default"]),
      "The allowed values hold for the arguments too.",
    ),
  );
}

/** A function and its Output form, which has no page of its own. */
function functionParts(symbol, types) {
  const { name } = symbol;
  const [signature] = typeOf(symbol).getCallSignatures();
  const [args] = signature.getParameters();
  const { questionToken, initializer, type } = declarationOf(args);
  const call = (callee) => `\`tunnel.${callee}(args${questionToken || initializer ? "?" : ""}, opts?)\``;
  const result = show(signature.getDeclaration().type, types);
  const twin = exported.has(`${name}Output`) ? `, or ${call(`${name}Output`)} → Output of the same` : "";
  const rows = argumentRows(checker.getTypeFromTypeNode(type), undefined, types);
  return [
    docOf(symbol),
    ...examplesOf(symbol),
    `${call(name)} → Promise of ${result}${twin}`,
    table(["Argument", "Type", "Required", "Default", "Meaning"], rows),
  ];
}

function functionsPage(symbols) {
  const types = new Set();
  const [first, ...more] = symbols;
  const parts = symbols.flatMap((symbol) => [more.length > 0 && `## ${symbol.name}`, ...functionParts(symbol, types)]);
  const title = symbols.map(({ name }) => name).join(", ");
  return joined(note(first), `# ${title}`, parts, supporting(types, true));
}

const isClass = (symbol) => Boolean(symbol.flags & ts.SymbolFlags.Class);
const byName = (a, b) => (a.name < b.name ? -1 : 1);
const symbols = [...exported.values()].sort(byName);
const resources = symbols.filter((symbol) => isClass(symbol) && definitions.has(symbol.name));
const provider = exported.get("Provider");
const functions = symbols.filter(
  ({ name }) => /^get[A-Z]/.test(name) && !(/Output$/.test(name) && exported.has(name.slice(0, -6))),
);
const subjects = Map.groupBy ? Map.groupBy(functions, fileOf) : group(functions, fileOf);

/** Map.groupBy, which Node 20 has not. */
function group(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

const linkTo = (symbol, folder, within = "") => `[\`${symbol.name}\`](${within}${folder}${fileOf(symbol)}.md)`;

const resourceTable = (within) =>
  table(
    ["Resource", ""],
    resources.map((symbol) => [linkTo(symbol, "", within), sentence(docOf(symbol))]),
  );

const functionTable = (within) =>
  table(
    ["Function", ""],
    [...subjects.values()]
      .flat()
      .map((symbol) => [
        `[\`${symbol.name}\`](${within}functions/${fileOf(symbol)}.md#${symbol.name.toLowerCase()})`,
        sentence(docOf(symbol)),
      ]),
  );

function indexPage() {
  return joined(
    "<!-- Made by `npm run docs`. -->",
    "# Reference",
    '`import * as tunnel from "pulumi-tunnel-edge"`',
    section("Resources", resourceTable(""), `${linkTo(provider, "")}: ${sentence(docOf(provider))}`),
    functions.length > 0 && section("Functions", functionTable("")),
  );
}

/** The tables of a page written by hand stand between `<!-- name -->` and `<!-- /name -->`. */
function withTables(text, tables) {
  return Object.entries(tables).reduce((page, [name, content]) => {
    const place = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`);
    if (!place.test(page)) throw new Failure(`README.md has no place for its table of ${name}: <!-- ${name} -->.`);
    return page.replace(place, (_, begin, end) => `${begin}\n${content}\n\n${end}`);
  }, text);
}

/** The project at the top level: the quickstart's, with the emulator that `npm run emulator` keeps open. */
function projectFile() {
  const { defaultApiKey } = require("../dist/emulator");
  return `# Made by \`npm run docs\` from examples/quickstart/Pulumi.yaml.
${read(path.join(root, "examples/quickstart/Pulumi.yaml"))}main: examples/quickstart
config:
  # The emulator that \`npm run emulator\` keeps open.
  tunnel-edge:baseUrl: http://127.0.0.1:${port}
  tunnel-edge:apiKey: ${defaultApiKey}
`;
}

/** Every file that this script writes, with its text. */
function pages() {
  const page = (name, text) => [path.join(reference, name), text];
  return new Map([
    [
      "README.md",
      withTables(read(path.join(root, "README.md")), {
        settings: settingTable(constructorOf(provider).args, ["Config", "Environment", "Meaning", "Default"]),
        resources: resourceTable(`${reference}/`),
        functions: functions.length > 0 ? functionTable(`${reference}/`) : "None yet.",
      }),
    ],
    ["Pulumi.yaml", projectFile()],
    page("README.md", indexPage()),
    page(`${fileOf(provider)}.md`, providerPage(provider)),
    ...resources.map((symbol) => page(`${fileOf(symbol)}.md`, resourcePage(symbol))),
    ...[...subjects].map(([file, group]) => page(`functions/${file}.md`, functionsPage(group))),
  ]);
}

await main(async ([check]) => {
  const wanted = pages();
  const folder = path.join(root, reference);
  const present = fs.existsSync(folder)
    ? fs.readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(".md"))
    : [];
  const stale = present.map((file) => path.join(reference, file)).filter((file) => !wanted.has(file));
  const changed = [...wanted].filter(([file, text]) => read(path.join(root, file)) !== text);
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
  say(names.length > 0 ? `Written: ${names.join(", ")}.` : "Everything is up to date.");
});
