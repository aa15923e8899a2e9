// Translates the TypeScript examples of the JSDoc to Python and YAML.
import ts from "typescript";
import { stringify } from "yaml";
import { Failure } from "./lib.mjs";
import { checker, exportedSymbols, getConstructor, getProperties, getType, getTypeOf } from "./source.mjs";

/** Code that only some languages have a counterpart of. */
class Untranslatable extends Error {}

// What an example does, from its syntax tree.

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

function readExample(code) {
  const file = ts.createSourceFile("example.ts", code, ts.ScriptTarget.Latest, true);
  return file.statements.map(readStatement);
}

/** The variable of what a function returns, of which TypeScript's examples name the parts. */
const result = "found";

/** The parts of a function's result that only the example's reader uses. The translations export them. */
function listUnused(statements) {
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
const resolve = (statements, { variable, path }) =>
  statements.some(({ results }) => results?.includes(variable)) ? [result, variable, ...path] : [variable, ...path];

// YAML.

function toYaml(statements) {
  const [config, resources, variables, outputs] = [{}, {}, {}, {}];
  const interpolate = (variable, ...path) =>
    `\${${variable}${path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("")}}`;
  const convert = (value) => {
    switch (value.kind) {
      case "list":
        return value.items.map(convert);
      case "object":
        return Object.fromEntries(value.entries.map(([name, each]) => [name, convert(each)]));
      case "config":
        config[value.name] = { type: "string", ...(value.isSecret && { secret: true }) };
        return interpolate(value.name);
      case "file":
        return { "fn::readFile": value.path };
      case "reference":
        return interpolate(...resolve(statements, value));
      default:
        return value.value;
    }
  };
  for (const statement of statements) {
    if (statement.kind === "resource") {
      const { type, name, variable = name, args, options } = statement;
      resources[variable] = {
        type: type === "Provider" ? "pulumi:providers:tunnel-edge" : `tunnel-edge:${type}`,
        ...(variable !== name && { name }),
        properties: convert(args),
        ...(options && { options: convert(options) }),
      };
    } else if (statement.kind === "invoke") {
      const { name, args } = statement;
      variables[result] = { "fn::invoke": { function: `tunnel-edge:${name}`, arguments: convert(args) } };
    } else outputs[statement.name] = convert(statement.value);
  }
  for (const name of listUnused(statements)) outputs[name] = interpolate(result, name);
  const sections = Object.entries({ config, variables, resources, outputs });
  return stringify(Object.fromEntries(sections.filter(([, section]) => Object.keys(section).length > 0)), {
    lineWidth: 0,
  });
}

// Python.

const toSnakeCase = (name) => name.replace(/-/g, "_").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The types of the properties that a value of this type has, by name; undefined if the names are the user's. */
function propertyTypes(type) {
  if (type?.kind !== "object") return undefined;
  return typesOf(getProperties(checker.getDeclaredTypeOfSymbol(type.symbol)));
}

const typesOf = (properties) => Object.fromEntries(properties.map((property) => [property.name, getTypeOf(property)]));

/** Whether the generated SDK has a class for these strings, and accepts no others. */
const isEnum = (type) => type?.kind === "union" && type.members.every(({ kind }) => kind === "value");

/** Code on one line if it fits, else with each part on a line of its own. */
function wrap(begin, parts, end, indent, head = 0) {
  const line = `${begin}${parts.map((part) => part("")).join(", ")}${end}`;
  if (!line.includes("\n") && indent.length + head + line.length <= 88) return line;
  const inner = `${indent}    `;
  return `${begin}\n${parts.map((part) => `${inner}${part(inner)},\n`).join("")}${indent}${end}`;
}

function toPython(statements) {
  const used = { config: false, pulumi: false, path: false };
  const access = (variable, ...path) =>
    toSnakeCase(variable) +
    path.map((step) => (typeof step === "number" ? `[${step}]` : `.${toSnakeCase(step)}`)).join("");
  const convert = (value, type, indent, head) => {
    switch (value.kind) {
      case "list":
        return wrap(
          "[",
          value.items.map((item) => (inner) => convert(item, type?.items, inner)),
          "]",
          indent,
          head,
        );
      case "object": {
        const known = propertyTypes(type);
        const entries = value.entries.map(([name, each]) => (inner) => {
          const key = `"${known ? toSnakeCase(name) : name}": `;
          return key + convert(each, known ? known[name] : type?.values, inner, key.length);
        });
        return wrap("{", entries, "}", indent, head);
      }
      case "config":
        used.config = true;
        return `config.require${value.isSecret ? "_secret" : ""}("${value.name}")`;
      case "file":
        used.path = true;
        return `Path("${value.path}").read_text()`;
      case "reference":
        return access(...resolve(statements, value));
      default:
        if (isEnum(type)) return `tunnel.${type.alias}.${value.value.toUpperCase()}`;
        return typeof value.value === "string" ? JSON.stringify(value.value) : value.value ? "True" : "False";
    }
  };
  /** Keyword arguments. */
  const listArguments = ({ entries }, types) =>
    entries.map(([name, value]) => (indent) => {
      const keyword = `${toSnakeCase(name)}${name === "import" ? "_" : ""}=`;
      return keyword + convert(value, types[name], indent, keyword.length + 1);
    });
  const lines = statements.map((statement) => {
    if (statement.kind === "output") {
      used.pulumi = true;
      return `pulumi.export("${statement.name}", ${convert(statement.value)})`;
    }
    const symbol = exportedSymbols.get(statement.type ?? statement.name);
    if (statement.kind === "invoke") {
      const [parameter] = getType(symbol).getCallSignatures()[0].getParameters();
      const types = typesOf(getProperties(checker.getNonNullableType(getType(parameter))));
      const begin = `${result} = tunnel.${toSnakeCase(statement.name)}(`;
      return wrap(begin, listArguments(statement.args, types), ")", "");
    }
    const { type, name, variable, args, options } = statement;
    const parts = [() => `"${name}"`, ...listArguments(args, typesOf(getProperties(getConstructor(symbol).args)))];
    if (options) {
      used.pulumi = true;
      parts.push((indent) => wrap("opts=pulumi.ResourceOptions(", listArguments(options, {}), ")", indent));
    }
    return wrap(`${variable ? `${toSnakeCase(variable)} = ` : ""}tunnel.${type}(`, parts, ")", "");
  });
  for (const name of listUnused(statements)) {
    used.pulumi = true;
    lines.push(`pulumi.export("${name}", ${access(result, name)})`);
  }
  const head = [
    used.path && "from pathlib import Path\n",
    (used.pulumi || used.config) && "import pulumi",
    "import pulumi_tunnel_edge as tunnel",
    used.config && "\nconfig = pulumi.Config()",
  ];
  return `${[...head.filter(Boolean), "", ...lines].join("\n")}\n`;
}

// TypeScript.

/** The example with what it leaves out: its imports, and the stack's configuration. */
function completeTypeScript(code) {
  const imports = { fs: "node:fs", pulumi: "@pulumi/pulumi", tunnel: "pulumi-tunnel-edge" };
  const config = /\bconfig\./.test(code) ? "const config = new pulumi.Config();\n" : "";
  const head = Object.entries(imports)
    .filter(([name]) => new RegExp(`\\b${name}\\.`).test(config + code))
    .map(([name, from]) => `import * as ${name} from "${from}";\n`);
  return `${head.join("")}\n${config}${code}`;
}

/** An example in each language that has a counterpart of it. */
export function translateExample(code) {
  const typescript = completeTypeScript(code);
  let statements;
  try {
    statements = readExample(code);
  } catch (error) {
    if (error instanceof Untranslatable) return { typescript };
    throw new Failure(`An example cannot be read: ${error.message}\n${code}`);
  }
  return { typescript, python: toPython(statements), yaml: toYaml(statements) };
}
