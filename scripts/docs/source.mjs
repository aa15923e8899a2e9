// What the scripts read from src/, through the compiler, and from the definitions in dist/.
import { createRequire } from "node:module";
import path from "node:path";
import ts from "typescript";
import { Failure, root } from "../lib/index.mjs";

const require = createRequire(import.meta.url);

export const source = (name) => path.join(root, "src", name);
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(path.join(root, "tsconfig.build.json"), ts.sys.readFile).config,
  ts.sys,
  root,
);
export const program = ts.createProgram([source("index.ts"), source("emulator/index.ts")], options);
export const checker = program.getTypeChecker();

/** Everything that the package exports, by name. */
export const exportedSymbols = new Map(
  checker
    .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(source("index.ts"))))
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    .map((symbol) => [symbol.name, symbol]),
);

/** The definitions of all resources, and of what functions read, by type. */
export const definitions = new Map(
  Object.values(require(path.join(root, "dist/definitions/index.js")))
    .flat()
    .filter(({ type }) => type !== undefined)
    .map((definition) => [definition.type, definition]),
);

const isClass = (symbol) => Boolean(symbol.flags & ts.SymbolFlags.Class);
const byName = (a, b) => (a.name < b.name ? -1 : 1);
const symbols = [...exportedSymbols.values()].sort(byName);
/** The classes of all resources, and of the explicit Provider. */
export const resources = symbols.filter((symbol) => isClass(symbol) && definitions.has(symbol.name));
export const provider = exportedSymbols.get("Provider");
/** The functions, without their Output forms. */
export const functions = symbols.filter(
  ({ name }) => /^get[A-Z]/.test(name) && !(/Output$/.test(name) && exportedSymbols.has(name.slice(0, -6))),
);

// From the compiler.

export const getDeclaration = (symbol) => symbol.valueDeclaration ?? symbol.declarations[0];
export const getFileName = (symbol) => path.basename(getDeclaration(symbol).getSourceFile().fileName, ".ts");
export const getSourcePath = (symbol) => path.relative(root, getDeclaration(symbol).getSourceFile().fileName);
export const isOurs = (symbol) => getDeclaration(symbol)?.getSourceFile().fileName.startsWith(source(""));
export const getType = (symbol) => checker.getTypeOfSymbolAtLocation(symbol, getDeclaration(symbol));

/** Joins the lines of a paragraph, which are wrapped in the source. */
export const unwrap = (text) => text.replace(/([^\n])\n(?![\n\->`])/g, "$1 ").trim();
const formatLinks = (text) => text.replace(/\{@link (\w+)\}/g, (_, name) => `\`${name}\``);
const formatComment = (comment) => formatLinks(ts.getTextOfJSDocComment(comment) ?? "");

export const getDoc = (symbol) =>
  unwrap(
    ts
      .getJSDocCommentsAndTags(getDeclaration(symbol))
      .filter(ts.isJSDoc)
      .map((doc) => formatComment(doc.comment))
      .join("\n\n"),
  );

export const getTags = (symbol, name) =>
  ts
    .getJSDocTags(getDeclaration(symbol))
    .filter((tag) => tag.tagName.text === name)
    .map((tag) => formatComment(tag.comment));

export const isInternal = (symbol) =>
  getTags(symbol, "internal").length > 0 ||
  symbol.name.startsWith("__") ||
  Boolean(symbol.flags & ts.SymbolFlags.Method) ||
  Boolean(ts.getCombinedModifierFlags(getDeclaration(symbol)) & ts.ModifierFlags.NonPublicAccessibilityModifier);

/** An interface that a file of src exports. */
export function getInterface(file, name) {
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(source(file))));
  const symbol = exported.find((each) => each.name === name);
  return symbol && { doc: getDoc(symbol), type: checker.getDeclaredTypeOfSymbol(symbol) };
}

/** The file of the definition of a resource, or of what functions read. */
export const definitionFile = (type) => `definitions/${type[0].toLowerCase()}${type.slice(1)}.ts`;

export const capitalize = (text) => text[0].toUpperCase() + text.slice(1);

/**
 * Reads a property's type as the source writes it, without Pulumi's wrappers, such as Input, and without undefined. A
 * union without a name of its own is named after the property.
 */
export function getTypeOf(property) {
  const type = readType(getDeclaration(property).type);
  return type.kind === "union" ? { alias: capitalize(property.name), ...type } : type;
}

function readType(node) {
  if (ts.isParenthesizedTypeNode(node)) return readType(node.type);
  if (ts.isArrayTypeNode(node)) return { kind: "list", items: readType(node.elementType) };
  if (ts.isUnionTypeNode(node)) {
    const members = node.types.map(readType).filter(({ name }) => name !== "undefined");
    return members.length === 1 ? members[0] : { kind: "union", members };
  }
  if (ts.isTypeLiteralNode(node) && node.members.length === 1 && ts.isIndexSignatureDeclaration(node.members[0])) {
    return { kind: "map", values: readType(node.members[0].type) };
  }
  // `string & {}`, next to the strings that editors suggest.
  if (ts.isIntersectionTypeNode(node)) return readType(node.types[0]);
  if (ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal))
    return { kind: "value", value: node.literal.text };
  const other = { kind: "other", name: node.getText() };
  if (!ts.isTypeReferenceNode(node)) return other;
  const [inner] = node.typeArguments ?? [];
  if (node.typeName.getText().split(".").pop() === "Input") return readType(inner);
  const found = checker.getSymbolAtLocation(node.typeName);
  const symbol = found && found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
  if (!symbol || !isOurs(symbol)) return other;
  const { type } = getDeclaration(symbol);
  // An alias of a type without properties.
  if (ts.isTypeAliasDeclaration(getDeclaration(symbol)) && !ts.isTypeLiteralNode(type)) {
    return { ...readType(type), alias: symbol.name };
  }
  return { kind: "object", symbol };
}

/** Returns the properties of a type in this order; without one, those that it inherits come first. */
export function getProperties(type, order = getInheritedNames(type)) {
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
export const getOutputOrder = ({ fields, computed = {} }) => ["id", ...Object.keys(fields), ...Object.keys(computed)];

/** The order of a function's filters; undefined if it has none. */
export function getFilterOrder({ name }) {
  const listed = [...definitions.values()].find(({ plural }) => plural !== undefined && name === `get${plural}`);
  return listed && Object.keys(listed.filters);
}

/** A class's arguments, and whether they can be left out. */
export function getConstructor(symbol) {
  const signature = getType(symbol).getConstructSignatures()[0];
  const args = signature.getParameters()[1];
  return { args: checker.getNonNullableType(getType(args)), isOptional: Boolean(getDeclaration(args).questionToken) };
}

/** The captions and code of examples, from the source, because the compiler's API loses indentation. */
export function getExamples(symbol) {
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
    const [, caption, code] = /^([\s\S]*?)```ts\n([\s\S]*)```\s*$/.exec(text) ?? [];
    if (!code) throw new Failure(`An @example of ${symbol.name} has no code between \`\`\`.`);
    return { caption: unwrap(caption), code };
  });
}

export const firstSentence = (text) => /^[\s\S]*?[.](?=\s|$)/.exec(text)?.[0] ?? text;

/** What a property means: its doc, what is checked that the doc does not say, and a default that is no value. */
export function describeProperty(property, { rule } = {}) {
  const doc = getDoc(property);
  const [assumed] = getTags(property, "default");
  const isValue = /^(true|false|\d+)$/.test(assumed);
  return {
    description: [
      doc,
      rule && !doc.includes(rule) && `Checked at preview: ${rule}.`,
      assumed && !isValue && `Default: ${assumed}.`,
    ]
      .filter(Boolean)
      .join("\n\n"),
    ...(isValue && { default: JSON.parse(assumed) }),
  };
}

// From the definitions.

/** Formats the id of an object, such as `edgtcp_…`. The id of a module consists of its parents' ids. */
export function formatId({ kind, type, fields, parents }) {
  if (kind === "command") return undefined;
  if (kind === "module") return `\`${parents.map((name) => `${fields[name].accepts.prefix}…`).join("/")}\``;
  const result = checker.getDeclaredTypeOfSymbol(exportedSymbols.get(`Get${type}Result`));
  return /`.*`/.exec(getDoc(result.getProperty("id")))[0];
}

/** The settings, which are the Provider's arguments. Required are those that are missing if none is set. */
export function listSettings() {
  const { allowedValues, isSecretSetting, readSettings } = require(path.join(root, "dist/base/settings.js"));
  const required = readSettings({}, {}).problems.map(({ setting }) => setting);
  return getProperties(getConstructor(provider).args).map((property) => ({
    property,
    name: property.name,
    variable: `TUNNEL_EDGE_${property.name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
    allowed: allowedValues(property.name),
    isSecret: isSecretSetting(property.name),
    isRequired: required.includes(property.name),
  }));
}
