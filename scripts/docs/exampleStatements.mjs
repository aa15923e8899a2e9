// What the TypeScript examples of the JSDoc do, from their syntax trees. The languages' own files write it again.
import ts from "typescript";
import { capitalize, checker, exportedSymbols, getConstructor, getProperties, getType, getTypeOf } from "./source.mjs";

/** Code that only some languages have a counterpart of. */
export class Untranslatable extends Error {}

const calls = {
  "config.require": ([name]) => ({ kind: "config", name: name.text }),
  "config.requireSecret": ([name]) => ({ kind: "config", name: name.text, isSecret: true }),
  "fs.readFileSync": ([file]) => ({ kind: "file", path: file.text }),
};

function readValue(node) {
  if (ts.isStringLiteral(node)) return { kind: "literal", value: node.text };
  if (node.kind === ts.SyntaxKind.TrueKeyword) return { kind: "literal", value: true };
  if (node.kind === ts.SyntaxKind.FalseKeyword) return { kind: "literal", value: false };
  if (ts.isArrayLiteralExpression(node)) return { kind: "list", items: node.elements.map(readValue) };
  if (ts.isObjectLiteralExpression(node)) {
    return {
      kind: "object",
      entries: node.properties.map(({ name, initializer }) => [name.text, readValue(initializer)]),
    };
  }
  if (ts.isCallExpression(node) && calls[node.expression.getText()])
    return calls[node.expression.getText()](node.arguments);
  if (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
    return { kind: "reference", ...readPath(node) };
  }
  throw new Untranslatable(node.getText());
}

/** The variable at the start of `tunnelSessions[0].id`, and what follows it. */
function readPath(node) {
  if (ts.isIdentifier(node)) return { variable: node.text, path: [] };
  const { variable, path } = readPath(node.expression);
  const step = ts.isPropertyAccessExpression(node) ? node.name.text : Number(node.argumentExpression.getText());
  return { variable, path: [...path, step] };
}

const isOfPackage = (node) => ts.isPropertyAccessExpression(node) && node.expression.getText() === "tunnel";

function readStatement(statement) {
  const [declaration] = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [];
  const expression = declaration?.initializer ?? statement.expression;
  const variable = declaration && ts.isIdentifier(declaration.name) ? declaration.name.text : undefined;
  if (expression && ts.isNewExpression(expression) && isOfPackage(expression.expression)) {
    const [name, args, options] = expression.arguments;
    return {
      kind: "resource",
      type: expression.expression.name.text,
      name: name.text,
      variable,
      args: readValue(args),
      options: options && readValue(options),
    };
  }
  if (expression && ts.isAwaitExpression(expression) && isOfPackage(expression.expression.expression)) {
    const { expression: callee, arguments: args } = expression.expression;
    const results = declaration.name.elements.map(({ name }) => name.text);
    return { kind: "invoke", name: callee.name.text, args: readValue(args[0]), results };
  }
  if (statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) && variable) {
    return { kind: "output", name: variable, value: readValue(expression) };
  }
  throw new Untranslatable(statement.getText());
}

export function readExample(code) {
  const file = ts.createSourceFile("example.ts", code, ts.ScriptTarget.Latest, true);
  return file.statements.map(readStatement);
}

/** The variable of what a function returns, of which TypeScript's examples name the parts. */
export const result = "found";

/** The parts of a function's result that only the example's reader uses. The translations export them. */
export function listUnused(statements) {
  const used = new Set();
  JSON.stringify(statements, (_, value) => {
    if (value?.kind === "reference") used.add(value.variable);
    return value;
  });
  return statements
    .filter(({ kind }) => kind === "invoke")
    .flatMap(({ results }) => results.filter((each) => !used.has(each)));
}

/** A reference as the translations write it: a part of a function's result has no variable of its own. */
export const resolve = (statements, { variable, path }) =>
  statements.some(({ results }) => results?.includes(variable)) ? [result, variable, ...path] : [variable, ...path];

/** The types of the properties that a value of this type has, by name; undefined if the names are the user's. */
export function propertyTypes(type) {
  if (type?.kind !== "object") return undefined;
  return typesOf(getProperties(checker.getDeclaredTypeOfSymbol(type.symbol)));
}

const typesOf = (properties) => Object.fromEntries(properties.map((property) => [property.name, getTypeOf(property)]));

/** Whether the generated SDK has a class for these strings, and accepts no others. */
export const isEnum = (type) => type?.kind === "union" && type.members.every(({ kind }) => kind === "value");

/** The types of a resource's or function's arguments, by name. */
export function argumentTypes({ kind, type, name }) {
  const symbol = exportedSymbols.get(type ?? name);
  if (kind === "resource") return typesOf(getProperties(getConstructor(symbol).args));
  const [parameter] = getType(symbol).getCallSignatures()[0].getParameters();
  return typesOf(getProperties(checker.getNonNullableType(getType(parameter))));
}

/** The name of an enum's value in generated SDKs: `ServiceV2` for "service/v2", `V1_2` for "1.2". */
export const nameValue = (value) =>
  /^\d/.test(value) ? `V${value.replace(/\W/g, "_")}` : value.split(/\W/).map(capitalize).join("");

/** Whether a later statement refers to a variable. */
export const isUsed = (statements, variable) => {
  let found = false;
  JSON.stringify(statements, (_, value) => {
    found ||= value?.kind === "reference" && value.variable === variable;
    return value;
  });
  return found;
};
