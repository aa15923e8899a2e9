// What the scripts read from src/, through the compiler, and from the definitions in dist/.
import { createRequire } from "node:module";
import path from "node:path";
import ts from "typescript";
import { root } from "./lib.mjs";

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
    .map((definition) => [definition.type, definition]),
);

// From the compiler.

export const getDeclaration = (symbol) => symbol.valueDeclaration ?? symbol.declarations[0];
export const getFileName = (symbol) => path.basename(getDeclaration(symbol).getSourceFile().fileName, ".ts");
export const getFolderName = (symbol) => path.basename(path.dirname(getDeclaration(symbol).getSourceFile().fileName));
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

// From the definitions.

/** What each kind of check requires. */
const rules = {
  string: ({ maxBytes }) => maxBytes && `at most ${maxBytes} bytes`,
  nonEmptyString: () => "not empty",
  optionalString: () => "not empty",
  url: () => "an absolute URL",
  ownerId: () => "the id of a user or bot, such as `usr_…`",
  publicKey: () => "a public key, in OpenSSH's format or PEM-encoded",
  id: ({ of, prefix }) => `the id of ${of}, \`${prefix}…\``,
  ids: ({ items }) => `at least one, each ${formatRule(items)}`,
  list: ({ items }) => formatRule(items) && `each ${formatRule(items)}`,
  enum: ({ values }) =>
    values
      .map((value) => `\`"${value}"\``)
      .join(", ")
      .replace(/, (?=[^,]*$)/, " or "),
  uint32: () => "a whole number from 0 to 4294967295",
  hostports: () => "each `<host>:<port>`, without duplicates",
  acl: () => "each `bind:<target>`, or `*` as the only one",
  headers: () => "valid header names, without duplicates (ignoring case), with single-line values",
  headerName: () => "a valid header name",
  regex: () => "a regular expression; rejected only if it is invalid in every dialect",
};

export const formatRule = (check) => rules[check.kind]?.(check);
