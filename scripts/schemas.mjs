// JSON Schemas for editors: of the resources' arguments, from the definitions and the JSDoc of their interfaces, and of
// the emulator's seed file, from its interface.
// A schema accepts everything that a preview accepts. What it cannot express is in its descriptions.
import ts from "typescript";
import { checker, definitionFile, definitions, describeProperty, getDoc, getInterface } from "./source.mjs";

const port = "([1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])";

/** A string that matches; editors show the message in place of the pattern. */
const matching = (pattern, message) => ({ type: "string", pattern, patternErrorMessage: message });

const headerName = matching("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$", "Must be a header name (letters, digits and hyphens).");
const nonEmptyString = matching("\\S", "Must not be empty.");

/** The schema for each kind of check, where `type` is the property's type in the source. */
const kinds = {
  string: ({ maxBytes }) => ({ type: "string", maxLength: maxBytes }),
  nonEmptyString: () => nonEmptyString,
  optionalString: () => nonEmptyString,
  url: () => matching("^[Hh][Tt][Tt][Pp][Ss]?://\\S+$", 'Must be a URL such as "https://accounts.example.com".'),
  publicKey: () =>
    matching(
      "^\\s*(-----BEGIN (RSA )?PUBLIC KEY-----|[^\\s-]\\S*[ \\t]+AAAA)",
      'Must be a public key: "ssh-ed25519 AAAA…" or "-----BEGIN PUBLIC KEY-----…".',
    ),
  enum: ({ values }) => ({ type: "string", enum: values }),
  boolean: () => ({ type: "boolean" }),
  uint32: () => ({ type: "integer", minimum: 0, maximum: 0xffffffff }),
  id: ({ of, prefix }) => matching(`^${prefix}[^\\s/]+$`, `Must be the id of ${of}, "${prefix}…".`),
  ownerId: () => matching("^[a-z]+_[^\\s/]+$", 'Must be the id of a user or bot, such as "usr_…".'),
  list: ({ items }) => ({ type: "array", items: schemaFor(items) }),
  ids: ({ items }) => ({ type: "array", items: schemaFor(items), minItems: 1 }),
  hostports: () => ({
    type: "array",
    items: matching(
      `^(\\[[^\\]\\s]+\\]|[A-Za-z0-9_.*-]+):${port}$`,
      'Must be "<host>:<port>", such as "1.tcp.example.com:20022", with a port from 1 to 65535.',
    ),
    uniqueItems: true,
  }),
  acl: () => ({
    type: "array",
    items: matching("^(\\*|bind:\\S+)$", 'Must be "bind:<target>", or "*" as the only rule.'),
  }),
  anything: () => ({}),
  stringMap: () => ({ type: "object", additionalProperties: { type: "string" } }),
  headers: () => ({
    type: "object",
    propertyNames: headerName,
    additionalProperties: matching(
      "^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f-\\u009f]*$",
      "Must not contain line breaks or other control characters.",
    ),
  }),
  headerName: () => headerName,
  regex: () => ({ type: "string" }),
  policyRules: (_, type) => schemaOfType(type, nonEmptyString),
  module: ({ fields }, type) => createObject(fields, type),
};

const schemaFor = (check, type) => kinds[check.kind](check, type);

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

function createProperty({ check, required, knownValues }, property) {
  const schema = schemaFor(check, typeOf(property));
  const { description, ...assumed } = describeProperty(property, check);
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
const formerly = {
  description:
    "The name that the file had before it was renamed, without `.yaml`. The GitOps example keeps the object.",
  ...matching("^[a-z0-9-]+$", "must be a file name without .yaml"),
};

function createResourceSchema({ type: title, fields }) {
  const { doc, type } = getInterface(definitionFile(title), `${title}Props`);
  const ofFile = { type: { description: doc, const: title }, formerly };
  return { ...head(title, doc), ...createObject(fields, type, ofFile) };
}

/** The emulator's seed file, from the emulator's own types. */
function createSeedSchema() {
  const { doc, type } = getInterface("emulator/kinds/index.ts", "Seed");
  return { ...head("Seed", doc), ...schemaOfType(type, { type: "string" }) };
}

/** The schemas by name: each resource, `resource`, which chooses one by `type`, and `seed`. */
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
    ["seed", createSeedSchema()],
  ]);
}
