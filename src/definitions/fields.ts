/**
 * The kinds of argument there are. A field knows how its argument is checked, how the service writes it, when what
 * the program states is what the service holds, and what clears it. A resource's definition is a table of them.
 */

import type { Route } from "../api/routes";
import {
  asList,
  equal,
  equalAsSets,
  isObject,
  isUnset,
  type Json,
  type JsonObject,
  toSnakeCase,
  withoutNull,
} from "../json";

/** A value in the arguments' shape; undefined where nothing is set. */
export type Value = Json | undefined;

export interface Field {
  /** The check at preview. A function, because only the provider's host loads the schema library. */
  schema(schemas: Schemas): Schema;
  /** The value in an answer of the service, where `name` is the field's name on the wire. */
  read(response: JsonObject, name: string): Value;
  /** The value as a request carries it. */
  write(value: Json): Json;
  /** Whether the service holds what the program states. */
  equals(desired: Value, actual: Value): boolean;
  /** The value as outputs and function results have it, where that differs: a list that is not set is empty. */
  toOutput?(value: Value): Value;
  /** What clears it in an update, once the program has stopped stating it. */
  clear?: Json;
  /** What an unstated field of a stated module is, where the API document says so; else the service chooses. */
  default?: Json;
  /** Must be stated. */
  required?: true;
  /** A change makes a new object. */
  replaces?: true;
  /** Encrypted in the state even if the program forgot to say so. */
  secret?: true;
  /** May hold a secret: never shown in a message. */
  sensitive?: true;
  /** Messages may quote its values: ids, hostports, booleans, numbers and enums. All others may be secrets. */
  quotable?: true;
  /** The values that are known to work: any other is accepted with a warning. */
  knownValues?: readonly string[];
  /** An answer without it tells nothing: the service may hold what is stated. */
  writeOnly?: true;
  /** Never sent: known to the program and the state alone. */
  clientOnly?: true;
  /** The name that responses show it by, where that is another than requests have. */
  responseName?: string;
  /** A part of the object with operations of its own. */
  module?: Module;
}

export interface Module extends ModuleTraits {
  fields: Fields;
}

/** What a definition says of a module: its operations, and whether it restricts who may reach the object. */
interface ModuleTraits {
  put?: Route;
  remove?: Route;
  protects?: true;
}

export type Fields = Record<string, Field>;

/** A check of a value. Its type does not name the schema library, which programs would then have to compile too. */
export interface Schema {
  parse(value: unknown): unknown;
}

/** The checks there are. */
export interface Schemas {
  string(maxBytes?: number): Schema;
  nonEmpty(): Schema;
  optionalString(): Schema;
  url(): Schema;
  publicKey(): Schema;
  enumOf(words: [string, ...string[]]): Schema;
  boolean(): Schema;
  uint32(): Schema;
  id(what: string, prefix: string): Schema;
  owner(): Schema;
  list(item: Schema): Schema;
  ids(item: Schema): Schema;
  hostports(): Schema;
  acl(): Schema;
  anything(): Schema;
  map(): Schema;
  headers(): Schema;
  headerName(): Schema;
  pattern(): Schema;
  rules(): Schema;
  object(fields: Fields): Schema;
}

/** What a definition may say of a field beyond its kind. */
type Traits = Pick<Field, "required" | "replaces" | "secret" | "sensitive" | "clientOnly" | "default">;

/** A field whose wire form is its value. */
function plain(field: Pick<Field, "schema"> & Partial<Field>): Field {
  return {
    read: (response, name) => (isUnset(response[name]) ? undefined : response[name]),
    write: (value) => value,
    equals: (desired, actual) => equal(desired ?? field.default, actual ?? field.default),
    ...field,
  };
}

/** A string; null, "" and absent are the same. */
export const string = ({ maxBytes, ...traits }: { maxBytes?: number } & Traits = {}): Field =>
  plain({
    schema: (schemas) => schemas.string(maxBytes),
    equals: (desired, actual) => (desired ?? "") === (actual ?? ""),
    clear: "",
    ...traits,
  });

/** A string of a module. An empty one means something else to every service, so that it is left out instead. */
export const moduleString = (traits: Traits = {}): Field => ({
  ...string(traits),
  schema: (schemas) => schemas.optionalString(),
});

/** A string of a module that the service may show masked, as one character repeated, or empty, or not at all. */
export const secretString = (): Field => ({
  ...moduleString({ secret: true, sensitive: true }),
  read: (response, name) => (/^(.?)\1*$/s.test(String(response[name] ?? "")) ? undefined : response[name]),
  writeOnly: true,
});

/** A public key; line breaks at its end are noise. */
export const publicKey = (): Field => ({
  ...string({ required: true, replaces: true }),
  schema: (schemas) => schemas.publicKey(),
  equals: (desired, actual) => String(desired ?? "").trimEnd() === String(actual ?? "").trimEnd(),
});

/** The address of a service on the web. */
export const url = (traits: Traits = {}): Field => ({ ...string(traits), schema: (schemas) => schemas.url() });

/** The user or bot that owns an object. */
export const ownerId = (): Field => ({
  ...string({ replaces: true }),
  quotable: true,
  schema: (schemas) => schemas.owner(),
});

/** A version of TLS, of which the document does not list the allowed ones. */
export const version = (): Field => ({ ...moduleString(), quotable: true, knownValues: ["1.0", "1.1", "1.2", "1.3"] });

/** One of several words. */
export const choice = (...words: [string, ...string[]]): Field =>
  plain({ schema: (schemas) => schemas.enumOf(words), quotable: true });

/** true or false. */
export const flag = (traits: Traits = {}): Field =>
  plain({ schema: (schemas) => schemas.boolean(), quotable: true, ...traits });

/** A whole number from 0 to 2^32 - 1. */
export const uint32 = (): Field => plain({ schema: (schemas) => schemas.uint32(), quotable: true });

/** The id of an object of which the document has one kind. */
export const objectId = (what: string, prefix: string, traits: Traits = {}): Field =>
  plain({ schema: (schemas) => schemas.id(what, prefix), quotable: true, ...traits });

/** The id of an object that stands in the path of the resource's own. */
export const parentId = (what: string, prefix: string): Field =>
  objectId(what, prefix, { required: true, replaces: true });

/** Words whose order has a meaning. */
export const enumList = (words: [string, ...string[]], traits: Traits = {}): Field =>
  plain({ schema: (schemas) => schemas.list(schemas.enumOf(words)), quotable: true, toOutput: asList, ...traits });

/** Strings whose order has no meaning. */
export const stringSet = (traits: Traits & { each?: (schemas: Schemas) => Schema } = {}): Field => {
  const { each, ...rest } = traits;
  return plain({
    schema: (schemas) => schemas.list(each?.(schemas) ?? schemas.nonEmpty()),
    read: (response, name) => undefinedIfEmpty(asList(response[name])),
    equals: (desired, actual) => equalAsSets(asList(desired), asList(actual)),
    toOutput: asList,
    clear: [],
    ...rest,
  });
};

/** The rules of an SSH credential, in their order; the single rule `*` is the same as none. */
export const acl = (): Field => {
  const effective = (value: Value) => (equal(value, ["*"]) ? [] : asList(value));
  return {
    ...stringSet(),
    schema: (schemas) => schemas.acl(),
    equals: (desired, actual) => equal(effective(desired), effective(actual)),
  };
};

/** Header names and values. Names are the user's, exactly as written. */
export const headers = (): Field => plain({ schema: (schemas) => schemas.headers(), default: {}, sensitive: true });

/** Values that are never sent; a change of any of them makes a new object. */
export const keepers = (): Field =>
  plain({ schema: (schemas) => schemas.map(), default: {}, replaces: true, clientOnly: true, sensitive: true });

/** Values of any kind that are never sent; a change of any of them does the work again. */
export const triggers = (): Field =>
  plain({ schema: (schemas) => schemas.list(schemas.anything()), toOutput: asList, default: [], clientOnly: true });

/** Host and port pairs, which name the same listener in any case of letters. */
export const hostports = (): Field => {
  const lower = (value: Value) => asList(value).map((hostport) => String(hostport).toLowerCase());
  return {
    ...stringSet(),
    quotable: true,
    schema: (schemas) => schemas.hostports(),
    equals: (desired, actual) => equalAsSets(lower(desired), lower(actual)),
  };
};

/** One object, named by its id in requests and shown as a reference in answers. */
export const reference = (reference: string): Field =>
  plain({
    required: true,
    responseName: reference,
    quotable: true,
    schema: (schemas) => schemas.nonEmpty(),
    read: (response, name) => idOf(response[reference]) ?? (isUnset(response[name]) ? undefined : response[name]),
  });

/** Several objects, named by their ids in requests and shown as references in answers. */
export const references = (references: string, each: (schemas: Schemas) => Schema): Field => ({
  ...stringSet(),
  required: true,
  responseName: references,
  quotable: true,
  schema: (schemas) => schemas.ids(each(schemas)),
  read: (response, name) =>
    undefinedIfEmpty(asList(response[references] ?? response[name]).flatMap((item) => idOf(item) ?? item ?? [])),
});

/** The rules of a traffic policy, in their order. */
export const rules = (): Field =>
  plain({
    schema: (schemas) => schemas.rules(),
    read: (response, name) => undefinedIfEmpty(asList(response[name]).map(normalizeRule)),
    write: (value) => asList(value).map(writeRule),
    equals: (desired, actual) => equal(asList(desired).map(normalizeRule), asList(actual).map(normalizeRule)),
    toOutput: (value) => asList(value).map(ruleOutput),
    default: [],
  });

/** A part of an object that the program states whole, with the operations it has of its own. */
export function module(fields: Fields, traits: ModuleTraits = {}): Field {
  return {
    schema: (schemas) => schemas.object(fields),
    read: (response, name) => {
      const body = response[name];
      return isObject(body) ? readFields(fields, body) : undefined;
    },
    write: (value) => writeFields(fields, value as JsonObject),
    equals: (desired, actual) => {
      if (!isObject(desired) || !isObject(actual)) return desired === actual;
      return Object.entries(fields).every(([name, field]) => equalsDesired(field, desired[name], actual[name]));
    },
    toOutput: (value) => (isObject(value) ? toOutputs(fields, value) : undefined),
    module: { fields, ...traits },
  };
}

/** A module's field that the program leaves out and the document gives no default for is the service's to choose. */
export function equalsDesired(field: Field, desired: Value, actual: Value): boolean {
  if (desired === undefined && !("default" in field)) return true;
  return field.equals(desired ?? field.default, actual ?? field.default);
}

/** The fields of an answer, in the arguments' shape. */
export function readFields(
  fields: Record<string, Pick<Field, "read" | "clientOnly">>,
  response: JsonObject,
): JsonObject {
  const values: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = field.clientOnly ? undefined : field.read(response, toSnakeCase(name));
    if (value !== undefined) values[name] = value;
  }
  return values;
}

/** What outputs and function results have of these values. */
export function toOutputs(fields: Record<string, Pick<Field, "toOutput">>, values: JsonObject): JsonObject {
  const outputs = { ...values };
  for (const [name, { toOutput }] of Object.entries(fields)) {
    const value = toOutput?.(values[name]);
    if (value !== undefined) outputs[name] = value;
  }
  return outputs;
}

/** The body of a request that carries these values. */
export function writeFields(fields: Fields, values: JsonObject): JsonObject {
  const body: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = values[name];
    if (value !== undefined && !field.clientOnly) body[toSnakeCase(name)] = field.write(value);
  }
  return body;
}

const undefinedIfEmpty = (items: Json[]): Value => (items.length > 0 ? items : undefined);

const idOf = (value: Value): string | undefined =>
  isObject(value) && typeof value.id === "string" ? value.id : undefined;

/** A rule as it is stated: null states nothing, but in an action's config, which is the user's. */
function writeRule(rule: Json): Json {
  if (!isObject(rule)) return rule;
  const desired = withoutNull(rule);
  if (desired.actions)
    desired.actions = asList(desired.actions).map((each) => (isObject(each) ? withoutNull(each) : each));
  return desired;
}

/** A rule without what is unset in it; an action's config is the user's and is left alone. */
function normalizeRule(rule: Json): Json {
  if (!isObject(rule)) return rule;
  const tidy: JsonObject = {};
  if (!isUnset(rule.name)) tidy.name = rule.name!;
  if (!isUnset(rule.expressions)) tidy.expressions = asList(rule.expressions);
  if (!isUnset(rule.actions)) tidy.actions = asList(rule.actions).map(normalizeAction);
  return tidy;
}

const ruleOutput = (rule: Json): Json =>
  isObject(rule) ? { ...rule, expressions: asList(rule.expressions), actions: asList(rule.actions) } : rule;

function normalizeAction(action: Json): Json {
  if (!isObject(action)) return action;
  const tidy: JsonObject = {};
  if (!isUnset(action.type)) tidy.type = action.type!;
  if (isObject(action.config) && Object.keys(action.config).length > 0) tidy.config = action.config;
  return tidy;
}
