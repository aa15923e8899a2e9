// The plugin's package schema, with which Pulumi checks programs and generates SDKs: from the definitions, and from the
// types and JSDoc of the classes and functions.
import ts from "typescript";
import { manifest } from "../lib/index.mjs";
import { nameValue } from "./exampleStatements.mjs";
import { translateExample } from "./examples.mjs";
import { address, owner, repo, sdkNames } from "./sdkNames.mjs";
import {
  checker,
  definitions,
  describeProperty,
  formatId,
  functions,
  getConstructor,
  getDoc,
  getExamples,
  getFilterOrder,
  getOutputOrder,
  getProperties,
  getTags,
  getType,
  getTypeOf,
  listSettings,
  provider,
  resources,
} from "./source.mjs";

const createToken = (name) => `tunnel-edge:index:${name}`;

// Types.

/** The enums and objects that properties refer to, by token. */
const types = {};

function refer(name, create) {
  const token = createToken(name);
  types[token] ??= create();
  return { $ref: `#/types/${token}` };
}

const primitives = {
  string: { type: "string" },
  boolean: { type: "boolean" },
  number: { type: "integer" },
  unknown: { $ref: "pulumi.json#/Any" },
};

/** The schema of a type, where `fields` are those of a module. */
function createType(type, fields) {
  switch (type.kind) {
    case "list":
      return { type: "array", items: createType(type.items, fields) };
    case "map":
      return { type: "object", additionalProperties: createType(type.values, fields) };
    case "union":
      return createEnum(type.members, type.alias);
    case "object":
      return createObject(type.symbol, fields);
    default:
      return primitives[type.name];
  }
}

/** Known strings. If any other string is valid, too, `string` is among the members. */
function createEnum(members, name) {
  const values = members.filter(({ kind }) => kind === "value").map(({ value }) => ({ name: nameValue(value), value }));
  const known = refer(name, () => ({ type: "string", enum: values }));
  return values.length === members.length ? known : { type: "string", oneOf: [primitives.string, known] };
}

/** A module, a part of one, a reference, or an item of a list that a function returns. */
function createObject(symbol, fields) {
  const definition = definitions.get(/^Get(\w+)Result$/.exec(symbol.name)?.[1]);
  if (definition) {
    const { plural, type } = definition;
    return refer(`Get${plural}${type}`, () => ({ ...createResult(symbol), type: "object" }));
  }
  const properties = getProperties(checker.getDeclaredTypeOfSymbol(symbol));
  return refer(symbol.name, () => ({
    description: getDoc(symbol),
    ...createProperties(properties, properties.filter(isRequired), fields),
    type: "object",
  }));
}

// Properties.

const isRequired = ({ flags }) => !(flags & ts.SymbolFlags.Optional);

/** Whether an output, or a property of a result, always has a value. */
function isAlwaysSet(property) {
  const type = unwrapOutput(checker.getTypeOfSymbol(property));
  return (type.isUnion() ? type.types : [type]).every(({ flags }) => !(flags & ts.TypeFlags.Undefined));
}

/** The type in an Output. The Output of a number or boolean has another form. */
function unwrapOutput(type) {
  if (type.aliasSymbol?.name === "Output") return type.aliasTypeArguments[0];
  return type.symbol?.name === "OutputInstance" ? checker.getTypeArguments(type)[0] : type;
}

const createProperty = (property, { accepts, secret, module } = {}) => ({
  ...createType(getTypeOf(property), module?.fields),
  ...(accepts ? describeProperty(property, accepts) : { description: getDoc(property) }),
  ...(secret && { secret }),
});

/** Properties of which these are required. Fields with a check are arguments, which have defaults. */
const createProperties = (properties, required, fields = {}) => ({
  properties: Object.fromEntries(properties.map((each) => [each.name, createProperty(each, fields[each.name])])),
  ...(required.length > 0 && { required: required.map(({ name }) => name) }),
});

/** Fields as outputs and results have them: without checks and defaults. */
const withoutChecks = (fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, { secret, module }]) => [name, { secret, module }]));

/** What a function returns of an object, or a list of them. */
function createResult(symbol) {
  const definition = definitions.get(/^Get(\w+)Result$/.exec(symbol.name)[1]);
  const properties = getProperties(checker.getDeclaredTypeOfSymbol(symbol), definition && getOutputOrder(definition));
  return {
    description: getDoc(symbol),
    ...createProperties(properties, properties.filter(isAlwaysSet), withoutChecks(definition?.fields ?? {})),
  };
}

// Resources and functions.

/** A description with its examples in the form of the Pulumi Registry, which shows each language in a tab. */
function describe(symbol) {
  const doc = getDoc(symbol).replace(
    /^> \[!(\w)(\w+)\]\n> /gm,
    (_, first, rest) => `> **${first}${rest.toLowerCase()}:** `,
  );
  // How an import behaves differs between the providers, and it has a section of its own.
  const shared = getExamples(symbol).filter(({ code }) => !code.includes("{ import:"));
  const examples = shared.map(({ caption, code }) => {
    const blocks = Object.entries(translateExample(code)).map(([language, text]) => `\`\`\`${language}\n${text}\`\`\``);
    return ["{{% example %}}", caption, ...blocks, "{{% /example %}}"].filter(Boolean).join("\n");
  });
  if (examples.length === 0) return doc;
  return [doc, "{{% examples %}}", "## Example Usage", ...examples, "{{% /examples %}}"].join("\n\n");
}

function describeImport(definition) {
  const id = formatId(definition)?.replace(/`/g, "");
  if (!id) return "";
  return `\n\n## Import\n\n\`\`\`sh\npulumi import ${createToken(definition.type)} example ${id}\n\`\`\``;
}

function createResource(symbol) {
  const definition = definitions.get(symbol.name);
  const { fields, computed } = definition;
  const inputs = getProperties(getConstructor(symbol).args, Object.keys(fields));
  const outputs = getProperties(checker.getDeclaredTypeOfSymbol(symbol), getOutputOrder(definition));
  const { properties: inputProperties, required: requiredInputs } = createProperties(
    inputs,
    inputs.filter(isRequired),
    fields,
  );
  for (const [name, { replaces }] of Object.entries(fields)) {
    if (replaces) inputProperties[name].willReplaceOnChanges = true;
  }
  return {
    description: describe(symbol) + describeImport(definition),
    ...createProperties(outputs, outputs.filter(isAlwaysSet), withoutChecks({ ...fields, ...computed })),
    inputProperties,
    ...(requiredInputs && { requiredInputs }),
    ...createListInputs(definition),
  };
}

/** What the service lists can be listed by type, with the filters of the function that reads the list. */
function createListInputs({ plural }) {
  const symbol = functions.find(({ name }) => name === `get${plural}`);
  return symbol && { listInputs: createFunction(symbol).inputs };
}

function createFunction(symbol) {
  const [signature] = getType(symbol).getCallSignatures();
  const [parameter] = signature.getParameters();
  const args = getProperties(checker.getNonNullableType(getType(parameter)), getFilterOrder(symbol));
  const { description, ...outputs } = createResult(checker.getAwaitedType(signature.getReturnType()).symbol);
  return {
    description: describe(symbol),
    inputs: { ...createProperties(args, args.filter(isRequired)), type: "object" },
    outputs: { description, ...outputs, type: "object" },
  };
}

// Settings.

const createSetting = ({ property, allowed, isSecret }, notes) => {
  const { description, ...spec } = createProperty(property, { secret: isSecret });
  return { ...spec, description: [description, `Allowed: ${allowed}.`, ...notes].join("\n\n") };
};

const describeDefault = (...defaults) => (defaults.length > 0 ? [`Default: ${defaults.join(", then ")}.`] : []);

/** A setting as a stack's configuration has it. */
function createVariable(setting) {
  const { default: assumed } = describeProperty(setting.property);
  return {
    ...createSetting(setting, assumed === undefined ? describeDefault(...getTags(setting.property, "default")) : []),
    ...(assumed !== undefined && { default: assumed }),
    defaultInfo: { environment: [setting.variable] },
  };
}

/**
 * A setting as an explicit provider has it. Its default is only described: SDKs would write a value of the environment
 * into the state, and send headers that are meant for the environment's address to another one. That it is required is
 * only described, too: `pulumi do` asks for what the schema requires, even if it is in the environment.
 */
const createProviderInput = (setting) =>
  createSetting(
    setting,
    isRequired(setting.property)
      ? ["Required of a provider in a program."]
      : describeDefault(`\`${setting.variable}\` in the environment`, ...getTags(setting.property, "default")),
  );

const byName = (entries) => Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));

/** Pulumi downloads the plugin from the repository, and its registry shows the logo. */
function describeOrigin({ name, version }) {
  if (!address) return { homepage: `https://www.npmjs.com/package/${name}`, publisher: name };
  const pluginDownloadURL = `github://api.github.com/${owner}/${repo}`;
  const logoUrl = `https://raw.githubusercontent.com/${owner}/${repo}/v${version}/docs/logo.svg`;
  return { homepage: address, repository: address, publisher: owner, logoUrl, pluginDownloadURL };
}

export function createPackageSchema() {
  const settings = listSettings();
  const collect = (create) => Object.fromEntries(settings.map((setting) => [setting.name, create(setting)]));
  const schema = {
    name: "tunnel-edge",
    displayName: "Tunnel Edge",
    version: manifest.version,
    description: manifest.description,
    keywords: ["pulumi", "tunnel-edge", "category/network", "kind/native", "tunnel", "edge", "ingress"],
    license: manifest.license,
    ...describeOrigin(manifest),
    meta: { moduleFormat: "(.*)" },
    config: { variables: collect(createVariable) },
    provider: {
      description: describe(provider),
      inputProperties: collect(createProviderInput),
    },
    resources: byName(resources.map((symbol) => [createToken(symbol.name), createResource(symbol)])),
    functions: byName(functions.map((symbol) => [createToken(symbol.name), createFunction(symbol)])),
    language: {
      csharp: {
        rootNamespace: sdkNames.csharp,
        namespaces: { "tunnel-edge": "TunnelEdge" },
        respectSchemaVersion: true,
      },
      go: { importBasePath: sdkNames.go, rootPackageName: "tunneledge", respectSchemaVersion: true },
      java: { basePackage: sdkNames.java, packages: { "tunnel-edge": "tunneledge" } },
      nodejs: { respectSchemaVersion: true },
      python: {
        inputTypes: "classes-and-dicts",
        pyproject: { enabled: true },
        pythonRequires: ">=3.10",
        respectSchemaVersion: true,
      },
    },
  };
  return { ...schema, types: byName(Object.entries(types)) };
}
