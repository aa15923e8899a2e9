// JSON Schemas for editors: of the resources' arguments, in files of their own and in Pulumi.yaml, from the definitions and
// the JSDoc of their interfaces, and of the emulator's seed file, from its interface.
// A schema accepts everything that a preview accepts. What it cannot express is in its descriptions.
import ts from "typescript";
import { checker, definitionFile, definitions, describeProperty, getDoc, getInterface } from "./source.mjs";

/** The schema of each base type, where `type` is the property's type in the source. */
const bases = {
  string: () => ({ type: "string" }),
  enum: ({ values }) => ({ type: "string", enum: values }),
  boolean: () => ({ type: "boolean" }),
  number: () => ({ type: "number" }),
  list: ({ items }, type) => ({ type: "array", items: schemaFor(items, itemType(type)) }),
  map: ({ values }) => ({ type: "object", additionalProperties: schemaFor(values) }),
  object: ({ fields }, type) => createObject(fields, type),
  any: () => ({}),
};

const schemaFor = (accepts, type) => ({ ...bases[accepts.base](accepts, type), ...accepts.schema });

const itemType = (type) => type && checker.isArrayType(type) && checker.getTypeArguments(type)[0];

/** What is not declared may be null, too. */
const orNull = ({ type, ...schema }) => ({
  ...(type && { type: [type, "null"] }),
  ...schema,
  ...(schema.enum && { enum: [...schema.enum, null] }),
});

const typeOf = (property) => checker.getNonNullableType(checker.getTypeOfSymbol(property));

/** The schema of an object with these fields, whose interface in the source is `type`. */
function createObject(fields, type, more = {}) {
  const properties = Object.entries(fields).map(([name, field]) => [
    name,
    createProperty(field, type.getProperty(name)),
  ]);
  const required = Object.keys(fields).filter((name) => fields[name].required);
  return {
    type: "object",
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    properties: { ...more, ...Object.fromEntries(properties) },
  };
}

function createProperty({ accepts, required, knownValues }, property) {
  const schema = schemaFor(accepts, typeOf(property));
  const { description, ...assumed } = describeProperty(property, accepts);
  return {
    description,
    ...(required ? schema : orNull(schema)),
    ...assumed,
    ...(knownValues && { examples: knownValues }),
  };
}

/** The schema of a type in the source, with this schema for its strings. What is not set may be null. */
function schemaOfType(declared, string) {
  if (declared.flags & ts.TypeFlags.Unknown) return {};
  const type = checker.getNonNullableType(declared);
  const ofType = (inner) => schemaOfType(inner, string);
  if (type.flags & ts.TypeFlags.String) return string;
  if (type.flags & ts.TypeFlags.BooleanLike) return { type: "boolean" };
  if (type.flags & ts.TypeFlags.Number) return { type: "number" };
  if (type.flags & ts.TypeFlags.NonPrimitive) return { type: "object" };
  if (type.isUnion() && type.types.every((each) => each.isStringLiteral())) {
    return { type: "string", enum: type.types.map(({ value }) => value) };
  }
  if (checker.isArrayType(type)) return { type: "array", items: ofType(checker.getTypeArguments(type)[0]) };
  const [index] = checker.getIndexInfosOfType(type);
  if (index) return { type: "object", additionalProperties: ofType(index.type) };
  const isRequired = ({ flags }) => !(flags & ts.SymbolFlags.Optional);
  const required = type.getProperties().filter(isRequired);
  const properties = type.getProperties().map((property) => {
    const description = getDoc(property);
    const schema = ofType(checker.getTypeOfSymbol(property));
    return [
      property.name,
      { ...(description && { description }), ...(isRequired(property) ? schema : orNull(schema)) },
    ];
  });
  return {
    type: "object",
    ...(required.length > 0 && { required: required.map(({ name }) => name) }),
    additionalProperties: false,
    properties: Object.fromEntries(properties),
  };
}

const head = (title, description) => ({
  $schema: "http://json-schema.org/draft-07/schema#",
  title,
  description,
});

/** What the GitOps example reads from a file beside the type and the arguments. */
const options = {
  formerly: {
    description:
      "The name that the file had before it was renamed, without `.yaml`. The GitOps example keeps the object.",
    type: "string",
    pattern: "^[a-z0-9-]+$",
    patternErrorMessage: "must be a file name without .yaml",
  },
  import: {
    description: "The id of an existing object. The GitOps example imports it instead of creating one.",
    type: "string",
  },
};

function createResourceSchema({ type: title, fields }) {
  const { doc, type } = getInterface(definitionFile(title), `${title}Props`);
  const ofFile = { type: { description: doc, const: title }, ...options };
  return { ...head(title, doc), ...createObject(fields, type, ofFile) };
}

/** The emulator's seed file, from the emulator's own types. */
function createSeedSchema() {
  const { doc, type } = getInterface("emulator/objects/index.ts", "Seed");
  return { ...head("Seed", doc), ...schemaOfType(type, { type: "string" }) };
}

/** In a YAML program, a reference or a function may stand for any value. */
const expression = {
  anyOf: [
    { type: "string", pattern: "\\$\\{.+\\}" },
    { type: "object", minProperties: 1, patternProperties: { "^fn::": {} }, additionalProperties: false },
  ],
};

const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));

const withExpressions = ({ properties, items, additionalProperties, ...schema }) => ({
  ...schema,
  ...(properties && { properties: mapValues(properties, orExpression) }),
  ...(items && { items: orExpression(items) }),
  ...(additionalProperties !== undefined && {
    additionalProperties: additionalProperties && orExpression(additionalProperties),
  }),
});

const orExpression = ({ description, ...schema }) => ({
  ...(description && { description }),
  anyOf: [withExpressions(schema), { $ref: "#/definitions/expression" }],
});

/** Pulumi.yaml with a program in YAML. What belongs to Pulumi or to other packages is not described. */
function createProgramSchema(resources) {
  const types = resources.map(({ type }) => `tunnel-edge:${type}`);
  const choices = resources.map((definition) => {
    const { type: title, fields } = definition;
    const { type } = getInterface(definitionFile(title), `${title}Props`);
    return {
      if: { required: ["type"], properties: { type: { type: "string", pattern: `^tunnel-edge:(index:)?${title}$` } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { properties: withExpressions(createObject(fields, type)) } },
    };
  });
  const resource = {
    type: "object",
    properties: {
      type: { description: "The resource's type.", anyOf: [{ enum: types }, { type: "string" }] },
      properties: { description: "The resource's arguments.", type: "object" },
    },
    allOf: choices,
  };
  return {
    ...head("Pulumi.yaml", "A Pulumi program in YAML that declares resources of tunnel-edge."),
    definitions: { expression },
    type: "object",
    properties: {
      resources: { description: "The resources by name.", type: "object", additionalProperties: resource },
    },
  };
}

/** The schemas by name: each resource, `resource`, which chooses one by `type`, `pulumi`, and `seed`. */
export function createSchemas() {
  const resources = [...definitions.values()].filter(({ kind }) => kind !== "readOnly");
  const types = resources.map(({ type }) => type);
  const resource = {
    ...head("Resource", "A resource of pulumi-tunnel-edge: its type and its arguments."),
    type: "object",
    required: ["type"],
    properties: { type: { description: "The resource's type. Its arguments follow.", enum: types } },
    allOf: types.map((type) => ({
      // A pattern, because editors complete the arguments of every constant that begins like the type.
      if: { required: ["type"], properties: { type: { type: "string", pattern: `^${type}$` } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { $ref: `${type}.json` },
    })),
  };
  return Object.fromEntries([
    ...resources.map((definition) => [definition.type, createResourceSchema(definition)]),
    ["resource", resource],
    ["pulumi", createProgramSchema(resources)],
    ["seed", createSeedSchema()],
  ]);
}
