// Examples in Go, Java and C#, whose values have the types of the generated SDKs.

import { Failure } from "../lib/index.mjs";
import {
  argumentTypes,
  isEnum,
  isUsed,
  listUnused,
  nameValue,
  propertyTypes,
  resolve,
  result,
} from "./exampleStatements.mjs";
import { sdkNames } from "./sdkNames.mjs";
import { capitalize, exportedSymbols } from "./source.mjs";

const width = 110;

/** A list of parts in brackets, on one line if it fits, else with each part on a line of its own. */
const group = (open, parts, close, pad = "") => ({ open, parts, close, pad });

/** Calls in a row, as of a builder in Java. */
const chain = (begin, calls) => ({ begin, calls });

function printFlat(code) {
  if (typeof code === "string") return code;
  if (code.calls) return `${code.begin}${code.calls.map(printFlat).join("")}`;
  if (code.name) return `${code.name}${printFlat(code.value)}`;
  const { open, parts, close, pad } = code;
  return parts.length > 0 ? `${open}${pad}${parts.map(printFlat).join(", ")}${pad}${close}` : `${open}${close}`;
}

/** Prints code that begins in a column, in the style of a language. */
function print(code, indent, style, column = indent.length) {
  const flat = printFlat(code);
  if (typeof code === "string" || (column + flat.length <= width && !code.isBroken)) return flat;
  const inner = indent + style.step;
  if (code.name) return code.name + print(code.value, indent, style, column + code.name.length);
  if (code.calls) {
    const far = inner + (style.chainStep ?? "");
    return `${code.begin}${code.calls.map((call) => `\n${far}${print(call, far, style)}`).join("")}`;
  }
  const { parts, close } = code;
  const [first] = parts;
  if (style.isHugging && parts.length === 1 && typeof first !== "string")
    return code.open + print(first, indent, style, column + code.open.length) + close;
  const open = style.hasOwnBrace ? code.open.replace(/ \{$/, `\n${indent}{`) : code.open;
  const printed = parts.map((part) => [part.name, print(part, inner, style, inner.length * (style.tab ?? 1))]);
  if (style.isAligned) alignValues(printed);
  const comma = style.hasLastComma ? "," : "";
  return `${open}\n${printed.map(([, text]) => `${inner}${text}`).join(",\n")}${comma}\n${indent}${close}`;
}

/** Go's own formatter aligns the values of neighbours that each have one line. */
function alignValues(printed) {
  for (let start = 0; start < printed.length; start++) {
    const isOneLine = ([name, text]) => name && !text.includes("\n");
    let end = start;
    while (end < printed.length && isOneLine(printed[end])) end++;
    const section = printed.slice(start, end);
    const longest = Math.max(...section.map(([name]) => name.length));
    for (const entry of section) entry[1] = entry[0].padEnd(longest) + entry[1].slice(entry[0].length);
    start = end;
  }
}

/** Reads the statements with what a language makes of each value. */
function convertAll(statements, language) {
  const used = new Set();
  const convert = (value, type, context) => {
    switch (value.kind) {
      case "list":
        return language.list(
          value.items.map((item) => convert(item, type?.items, context)),
          type,
          context,
          value,
        );
      case "object": {
        const known = propertyTypes(type);
        const entries = value.entries.map(([name, each]) => [
          name,
          convert(each, known ? known[name] : type?.values, context),
          each,
        ]);
        return known ? language.object(entries, type.symbol.name, used) : language.map(entries, type, context, used);
      }
      case "config":
        used.add("config");
        return language.config(value, context);
      case "file":
        used.add("file");
        return language.file(value, context);
      case "reference":
        return language.reference(resolve(statements, value), context);
      default:
        if (isEnum(type)) return language.enumValue(type.alias, nameValue(value.value), used);
        return language.literal(value.value, context);
    }
  };
  return { convert, used };
}

/** The options of a resource that examples have. */
function readOptions(options) {
  const entries = Object.fromEntries(options?.entries ?? []);
  const { provider, ...others } = entries;
  if (Object.keys(others).length > 0) throw new Failure(`An example has the option ${Object.keys(others)}.`);
  return provider?.variable;
}

const isResource = (name) => exportedSymbols.has(name.replace(/^get/, ""));
const quote = (text) => JSON.stringify(text);

// Go.

/** Lists and maps of inputs. The arguments of functions are plain values, and pointers where they are optional. */
const goLanguage = {
  literal: (value, { isPlain, isOptional }) => {
    if (!isPlain) return typeof value === "string" ? `pulumi.String(${quote(value)})` : `pulumi.Bool(${value})`;
    return isOptional ? `pulumi.StringRef(${quote(value)})` : quote(value);
  },
  enumValue: (type, name) => `tunnel.${type}${name}`,
  list: (items, type, _, value) => {
    if (type.items.name === "unknown") return group("pulumi.Array{", items, "}");
    if (isEnum(type.items)) return group(`tunnel.${type.items.alias}Array{`, items, "}");
    if (type.items.kind === "object") return group(`tunnel.${type.items.symbol.name}Array{`, items, "}");
    if (value.items.every(({ kind }) => kind === "literal"))
      return group(
        "pulumi.ToStringArray([]string{",
        value.items.map((item) => quote(item.value)),
        "})",
      );
    return group("pulumi.StringArray{", items, "}");
  },
  object: (entries, type) =>
    group(
      `tunnel.${type}Args{`,
      entries.map(([name, value]) => ({ name: `${capitalize(name)}: `, value })),
      "}",
    ),
  map: (entries, type, { isPlain }) =>
    isPlain
      ? group(
          "map[string]string{",
          entries.map(([name, , { value }]) => `${quote(name)}: ${quote(value)}`),
          "}",
        )
      : group(
          type.values.name === "unknown" ? "pulumi.Map{" : "pulumi.StringMap{",
          entries.map(([name, value]) => ({ name: `${quote(name)}: `, value })),
          "}",
        ),
  config: ({ name, isSecret }) =>
    isSecret ? `cfg.RequireSecret(${quote(name)})` : `pulumi.String(cfg.Require(${quote(name)}))`,
  file: (_, { isPlain }) => (isPlain ? "pulumi.StringRef(string(publicKey))" : "pulumi.String(string(publicKey))"),
  reference: ([variable, ...path]) => {
    if (variable === result) {
      const read = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${capitalize(step)}`)).join("");
      return `pulumi.String(${result}${read})`;
    }
    const read = path.map((step) =>
      typeof step === "number" ? `.Index(pulumi.Int(${step}))` : step === "id" ? ".ID()" : `.${capitalize(step)}`,
    );
    return variable + read.join("");
  },
};

export function toGo(statements) {
  const { convert, used } = convertAll(statements, goLanguage);
  const style = { step: "\t", tab: 4, isAligned: true, hasLastComma: true };
  const assign = (variable, call) => {
    const isNeeded = variable !== undefined && (variable === result || isUsed(statements, variable));
    const text = print(call, "\t\t", style, 8);
    return isNeeded
      ? `${variable}, err := ${text}\n\t\tif err != nil {\n\t\t\treturn err\n\t\t}`
      : `if _, err := ${text}; err != nil {\n\t\t\treturn err\n\t\t}`;
  };
  const lines = statements.map((statement) => {
    const { kind, name, args } = statement;
    if (kind === "output")
      return `ctx.Export(${quote(name)}, ${print(convert(statement.value, undefined, {}), "", style)})`;
    const types = argumentTypes(statement);
    const listFields = (context) =>
      args.entries.map(([each, value]) => ({
        name: `${capitalize(each)}: `,
        value: convert(value, types[each], context),
      }));
    if (kind === "invoke") {
      const call = name.replace(/^get/, isResource(name) ? "Lookup" : "Get");
      const isOptional = !isRequired(statement);
      const fields = group(`tunnel.${call}(ctx, &tunnel.${call}Args{`, listFields({ isPlain: true, isOptional }), "})");
      return assign(result, fields);
    }
    const { type, variable, options } = statement;
    const provider = readOptions(options);
    const end = provider ? `}, pulumi.Provider(${provider}))` : "})";
    return assign(variable, group(`tunnel.New${type}(ctx, ${quote(name)}, &tunnel.${type}Args{`, listFields({}), end));
  });
  for (const name of listUnused(statements))
    lines.push(`ctx.Export(${quote(name)}, pulumi.Any(${result}.${capitalize(name)}))`);
  if (used.has("file")) {
    const [file] = listFiles(statements);
    lines.unshift(`publicKey, err := os.ReadFile(${quote(file)})\n\t\tif err != nil {\n\t\t\treturn err\n\t\t}`);
  }
  if (used.has("config")) lines.unshift('cfg := config.New(ctx, "")');
  const imports = [
    used.has("file") && '"os"\n',
    `tunnel "${sdkNames.go}"`,
    '"github.com/pulumi/pulumi/sdk/v3/go/pulumi"',
    used.has("config") && '"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"',
  ].filter(Boolean);
  const body = lines.map((line) => `\t\t${line}\n`).join("");
  return `package main

import (
${imports.map((each) => `\t${each}`).join("\n")}
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
${body}\t\treturn nil
	})
}
`;
}

/** Whether a function's arguments are required: those that read one object. */
const isRequired = ({ name }) => !/s$/.test(name) || name.endsWith("Headers");

/** The files that an example reads: at most one. */
const listFiles = (statements) => {
  const files = [];
  JSON.stringify(statements, (_, value) => {
    if (value?.kind === "file") files.push(value.path);
    return value;
  });
  return files;
};

// Java.

const javaLanguage = {
  literal: (value) => (typeof value === "string" ? quote(value) : String(value)),
  enumValue: (type, name, used) => {
    used.add(`enums.${type}`);
    return `${type}.${name}`;
  },
  // A builder takes the items of a list as its arguments.
  list: (items) => ({ items }),
  object: (entries, type, used) => {
    used.add(`inputs.${type}Args`);
    return createBuilder(`${type}Args`, entries);
  },
  map: (entries, _, __, used) => {
    used.add("Map");
    const secret = entries.find(([, , { isSecret }]) => isSecret);
    const items = entries.flatMap(([name, value, each]) => [quote(name), each.isSecret ? "secret" : value]);
    const map = group("Map.of(", items, ")");
    return secret ? group(`${secret[1]}.applyValue(secret -> `, [map], ")") : map;
  },
  config: ({ name, isSecret }) => `config.require${isSecret ? "Secret" : ""}(${quote(name)})`,
  file: () => "publicKey",
  reference: ([variable, ...path]) => {
    const read = path.map((step) => (typeof step === "number" ? `.get(${step})` : `.${step}()`));
    if (variable === result) return `${result}.applyValue(result -> result${read.join("")})`;
    const [first, ...others] = read;
    return others.length > 0
      ? `${variable}${first}.applyValue(all -> all${others.join("")})`
      : variable + (first ?? "");
  },
};

const createBuilder = (type, entries) =>
  chain(`${type}.builder()`, [
    ...entries.map(([name, value]) => group(`.${name}(`, value.items ?? [value], ")")),
    ".build()",
  ]);

export function toJava(statements) {
  const { convert, used } = convertAll(statements, javaLanguage);
  const style = { step: "    ", chainStep: "    ", isHugging: true };
  const printed = (code) => print(code, "            ", style);
  const lines = statements.map((statement) => {
    const { kind, name, args } = statement;
    if (kind === "output") return `ctx.export(${quote(name)}, ${printFlat(convert(statement.value))});`;
    const types = argumentTypes(statement);
    const entries = args.entries.map(([each, value]) => [each, convert(value, types[each])]);
    if (kind === "invoke") {
      const type = `${capitalize(name)}Args`;
      used.add("TunneledgeFunctions").add(`inputs.${type}`);
      return `var ${result} = ${printed(group(`TunneledgeFunctions.${name}(`, [createBuilder(type, entries)], ");"))}`;
    }
    const { type, variable, options } = statement;
    used.add(type).add(`${type}Args`);
    const provider = readOptions(options);
    if (provider) used.add("CustomResourceOptions");
    const builder = createBuilder(`${type}Args`, entries);
    const others = provider ? [`CustomResourceOptions.builder().provider(${provider}).build()`] : [];
    const begin = variable && isUsed(statements, variable) ? `var ${variable} = new` : "new";
    const flat = `${begin} ${type}(${[quote(name), printFlat(builder), ...others].join(", ")});`;
    if (flat.length + 12 <= width) return flat;
    return `${begin} ${type}(${[quote(name), print({ ...builder, isBroken: true }, "            ", style), ...others].join(", ")});`;
  });
  for (const name of listUnused(statements))
    lines.push(`ctx.export(${quote(name)}, ${result}.applyValue(result -> result.${name}()));`);
  const [file] = listFiles(statements);
  if (used.delete("config")) lines.unshift("var config = ctx.config();");
  const imports = [...used].flatMap((each) => {
    if (each === "file") return ["java.io.IOException", "java.nio.file.Files", "java.nio.file.Path"];
    if (each === "Map") return ["java.util.Map"];
    if (each === "CustomResourceOptions") return ["com.pulumi.resources.CustomResourceOptions"];
    return [`${sdkNames.java}.tunneledge.${each}`];
  });
  const read = file ? `        var publicKey = Files.readString(Path.of(${quote(file)}));\n` : "";
  return `${["com.pulumi.Pulumi", ...imports]
    .sort()
    .map((each) => `import ${each};`)
    .join("\n")}

public class App {
    public static void main(String[] args)${file ? " throws IOException" : ""} {
${read}        Pulumi.run(ctx -> {
${lines.map((line) => `            ${line}\n`).join("")}        });
    }
}
`;
}

// C#.

const csharpLanguage = {
  literal: (value) => (typeof value === "string" ? quote(value) : String(value)),
  enumValue: (type, name) => `${type}.${name}`,
  list: (items) => group("new[] {", items, "}", " "),
  object: (entries, type, used) => {
    used.add("Inputs");
    return group(
      `new ${type}Args {`,
      entries.map(([name, value]) => ({ name: `${capitalize(name)} = `, value })),
      "}",
      " ",
    );
  },
  map: (entries) =>
    group(
      "{",
      entries.map(([name, value]) => group("{", [quote(name), value], "}", " ")),
      "}",
      " ",
    ),
  config: ({ name, isSecret }) => `config.Require${isSecret ? "Secret" : ""}(${quote(name)})`,
  file: ({ path }) => `File.ReadAllText(${quote(path)})`,
  reference: ([variable, ...path]) => {
    const read = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${capitalize(step)}`));
    if (variable === result) return `${result}.Apply(result => result${read.join("")})`;
    const [first, ...others] = read;
    return others.length > 0 ? `${variable}${first}.Apply(all => all${others.join("")})` : variable + (first ?? "");
  },
};

export function toCsharp(statements) {
  const { convert, used } = convertAll(statements, csharpLanguage);
  const style = { step: "    ", hasOwnBrace: true, hasLastComma: true };
  const outputs = [];
  const lines = statements.flatMap((statement) => {
    const { kind, name, args } = statement;
    if (kind === "output") {
      outputs.push([name, printFlat(convert(statement.value))]);
      return [];
    }
    const types = argumentTypes(statement);
    const fields = args.entries.map(([each, value]) => ({
      name: `${capitalize(each)} = `,
      value: convert(value, types[each]),
    }));
    if (kind === "invoke") {
      const call = group(`${capitalize(name)}.Invoke(new() {`, fields, "});", " ");
      return `var ${result} = ${print(call, "    ", style)}`;
    }
    const { type, variable, options } = statement;
    const provider = readOptions(options);
    const end = provider ? `}, new CustomResourceOptions { Provider = ${provider} });` : "});";
    const begin = variable && isUsed(statements, variable) ? `var ${variable} = new` : "new";
    return print(group(`${begin} ${type}(${quote(name)}, new() {`, fields, end, " "), "    ", style);
  });
  for (const name of listUnused(statements))
    outputs.push([name, `${result}.Apply(result => result.${capitalize(name)})`]);
  if (used.has("config")) lines.unshift("var config = new Pulumi.Config();");
  if (outputs.length > 0) {
    lines.push(
      `return new Dictionary<string, object?>\n    {\n${outputs.map(([name, value]) => `        [${quote(name)}] = ${value},\n`).join("")}    };`,
    );
  }
  const namespace = `${sdkNames.csharp}.TunnelEdge`;
  const imports = [
    outputs.length > 0 && "System.Collections.Generic",
    used.has("file") && "System.IO",
    namespace,
    used.has("Inputs") && `${namespace}.Inputs`,
    "Pulumi",
  ].filter(Boolean);
  return `${imports.map((each) => `using ${each};`).join("\n")}

return await Deployment.RunAsync(() =>
{
${lines.map((line) => `    ${line}\n`).join("")}});
`;
}
