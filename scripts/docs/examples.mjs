// Translates the TypeScript examples of the JSDoc to the other languages.
import { stringify } from "yaml";
import { Failure } from "../lib/index.mjs";
import { toCsharp, toGo, toJava } from "./examplePrograms.mjs";
import {
  argumentTypes,
  isEnum,
  listUnused,
  propertyTypes,
  readExample,
  resolve,
  result,
  Untranslatable,
} from "./exampleStatements.mjs";

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
    const types = argumentTypes(statement);
    if (statement.kind === "invoke") {
      const begin = `${result} = tunnel.${toSnakeCase(statement.name)}(`;
      return wrap(begin, listArguments(statement.args, types), ")", "");
    }
    const { type, name, variable, args, options } = statement;
    const parts = [() => `"${name}"`, ...listArguments(args, types)];
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
  return {
    typescript,
    python: toPython(statements),
    go: toGo(statements),
    csharp: toCsharp(statements),
    java: toJava(statements),
    yaml: toYaml(statements),
  };
}
