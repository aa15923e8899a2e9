/**
 * The types of field. Each can be left out of a program, unless it is wrapped in `required` or says otherwise.
 */

import { asList, equal, equalAsSets, isObject, isUnset, type Json, type JsonObject } from "../../base/json";
import {
  equalsDesired,
  type Field,
  type Fields,
  type FieldsOf,
  type ModuleOperations,
  type ReadField,
  type Ref,
  readFields,
  toOutputs,
  type Value,
  writeFields,
} from "./field";
import { configsOf, normalizeRule, type PolicyRule, ruleToOutput, ruleToRequest } from "./policyRules";
import { isSameKey } from "./publicKeys";
import {
  acls,
  any,
  booleans,
  enums,
  headerMaps,
  headerNames as headerNameStrings,
  hostportLists,
  ids,
  lists,
  nonEmptyLists,
  nonEmptyStrings,
  objects,
  optionalStrings,
  ownerIds,
  policyRuleLists,
  publicKeys,
  stringMaps,
  strings,
  uint32s,
  urls,
  type ValueType,
} from "./valueTypes";

/** What a definition can say of a field beyond its type. */
type Traits = Pick<Field, "secret" | "sensitive" | "default" | "mayBeChosen">;

/** A field that requests and responses write as it is. */
function plain<T>(field: Pick<Field, "accepts"> & Partial<Field>): Field<T> {
  return {
    read: readValue,
    write: (value) => value,
    equals: (desired, actual) => equal(desired ?? field.default, actual ?? field.default),
    ...field,
  };
}

/** The form of a field that a program must declare. */
export const required = <T>(field: Field<T>): Field<Exclude<T, undefined>> => ({ ...(field as Field), required: true });

/** A string; null, "" and absent are the same. */
export const string = ({ maxBytes, ...traits }: { maxBytes?: number } & Traits = {}): Field<string | undefined> =>
  plain({
    accepts: strings(maxBytes),
    equals: (desired, actual) => (desired ?? "") === (actual ?? ""),
    clear: "",
    ...traits,
  });

/** The same field, which decides who can connect. */
export const deciding = <T>(decides: Field["decides"], field: Field<T>): Field<T> => ({ ...field, decides });

/** A string of a module. Services disagree on what an empty one means, so it is left out instead. */
export const moduleString = (traits: Traits = {}): Field<string | undefined> => ({
  ...string(traits),
  accepts: optionalStrings,
});

/** A string of a module that the service may mask (one character repeated), empty or leave out in responses. */
export const secretString = (): Field<string | undefined> => ({
  ...moduleString({ secret: true, sensitive: true }),
  read: (response, name) => (/^(.?)\1*$/s.test(String(response[name] ?? "")) ? undefined : response[name]),
  writeOnly: true,
});

/** A public key, of which the service may return another form. */
export const publicKey = (): Field<string> => ({
  ...required(string()),
  accepts: publicKeys,
  equals: (desired, actual) => isSameKey(String(desired ?? ""), String(actual ?? "")),
  replaces: true,
});

export const url = (traits: Traits = {}): Field<string | undefined> => ({ ...string(traits), accepts: urls });

/** The user or bot that owns an object. */
export const ownerId = (): Field<string | undefined> => ({
  ...string(),
  accepts: ownerIds,
  replaces: true,
  quotable: true,
  mayBeChosen: () => true,
});

/**
 * A version of TLS; the API document does not list the allowed ones. It promises a safe one where none is declared, so
 * none below 1.2.
 */
export const tlsVersion = <Version extends string>(): Field<Version | undefined> => ({
  ...(moduleString({ mayBeChosen: (version) => version === "1.2" }) as Field),
  quotable: true,
  knownValues: ["1.0", "1.1", "1.2", "1.3"],
});

export const enumOf = <Word extends string>(...values: Word[]): Field<Word | undefined> =>
  plain({ accepts: enums(values), quotable: true });

/** A list of enum values, whose order has a meaning. */
export const enumList = <Word extends string>(...values: readonly Word[]): Field<Word[] | undefined> =>
  plain({ accepts: lists(enums(values)), quotable: true, toOutput: toList });

export const boolean = (traits: Traits = {}): Field<boolean | undefined> =>
  plain({ accepts: booleans, quotable: true, ...traits });

/** A whole number from 0 to 2^32 - 1. */
export const uint32 = (traits: Traits = {}): Field<number | undefined> =>
  plain({ accepts: uint32s, quotable: true, ...traits });

/** The id of an object of which the API document has exactly one kind. */
export const objectId = (of: string, prefix: string): Field<string | undefined> =>
  plain({ accepts: ids(of, prefix), quotable: true });

/** The id of the object that a module belongs to. */
export const parentId = (of: string, prefix: string): Field<string> => ({
  ...required(objectId(of, prefix)),
  replaces: true,
});

/** Strings whose order has no meaning. */
export const stringSet = ({
  items = nonEmptyStrings,
  ...traits
}: { items?: ValueType } & Traits = {}): Field<string[] | undefined> =>
  plain({
    accepts: lists(items),
    read: (response, name) => undefinedIfEmpty(asList(response[name])),
    equals: (desired, actual) => equalAsSets(asList(desired), asList(actual)),
    toOutput: toList,
    clear: [],
    ...traits,
  });

/** The rules of an SSH credential, in order; the single rule `*` is the same as none. */
export const acl = (): Field<string[] | undefined> => {
  const effective = (value: Value) => (equal(value, ["*"]) ? [] : asList(value));
  return {
    ...stringSet(),
    accepts: acls,
    equals: (desired, actual) => equal(effective(desired), effective(actual)),
    mayBeChosen: (value) => effective(value).length === 0,
  };
};

/** Header names and values. Names are sent exactly as written, and compared without case. */
export const headers = (): Field<{ [name: string]: string } | undefined> =>
  plain({
    accepts: headerMaps,
    default: {},
    sensitive: true,
    equals: (desired, actual) => equal(mapNames(desired ?? {}, lowerCase), mapNames(actual ?? {}, lowerCase)),
    toDeclaredForm: (desired, actual) => {
      const declared = new Map(Object.keys(desired ?? {}).map((name) => [lowerCase(name), name]));
      return mapNames(actual, (name) => declared.get(lowerCase(name)) ?? name);
    },
  });

/** Header names, whose order and case have no meaning. */
export const headerNames = (): Field<string[] | undefined> => ({
  ...stringSet({ items: headerNameStrings, default: [] }),
  equals: equalIgnoringCase,
});

/** Values that are never sent; changing any of them replaces the object. */
export const keepers = (): Field<{ [name: string]: string } | undefined> =>
  plain({ accepts: stringMaps, default: {}, replaces: true, clientOnly: true, sensitive: true });

/** Values of any type that are never sent; changing any of them runs the commands again. */
export const triggers = (): Field<unknown[] | undefined> =>
  plain({
    accepts: lists(any),
    toOutput: toList,
    default: [],
    clientOnly: true,
  });

/** Host and port pairs, which are not case-sensitive. */
export const hostports = (): Field<string[] | undefined> => ({
  ...stringSet(),
  accepts: hostportLists,
  quotable: true,
  equals: equalIgnoringCase,
});

/** One object: its id in requests, a reference in responses. */
export const reference = (responseName: string, accepts: ValueType): Field<string | undefined> =>
  plain({
    accepts,
    responseName,
    quotable: true,
    read: (response, name) => idOf(response[responseName]) ?? readValue(response, name),
  });

/** Several objects: their ids in requests, references in responses. The order does not matter. */
export const references = (responseName: string, items: ValueType): Field<string[] | undefined> => ({
  ...stringSet(),
  accepts: nonEmptyLists(items),
  responseName,
  quotable: true,
  read: (response, name) =>
    undefinedIfEmpty(asList(response[responseName] ?? response[name]).flatMap((item) => idOf(item) ?? item ?? [])),
});

/** A value that the service assigns. */
export const assigned = <T>(): ReadField<T> => ({ read: readValue });

/** A reference that stays one. */
export const objectReference = <T extends Ref | undefined>(): ReadField<T> => ({
  read: (response, name) => refOf(response[name]),
});

/** References that stay what they are; a single one is a list of one. */
export const objectReferences = (): ReadField<Ref[]> => ({
  read: (response, name) => asList(response[name]).flatMap((item) => refOf(item) ?? []),
  toOutput: toList,
});

/** The rules of a traffic policy, in order. */
export const policyRules = (): Field<PolicyRule[] | undefined> =>
  plain({
    accepts: policyRuleLists,
    read: (response, name) => undefinedIfEmpty(asList(response[name]).map(normalizeRule)),
    write: (value) => asList(value).map(ruleToRequest),
    equals: (desired, actual) => equal(asList(desired).map(normalizeRule), asList(actual).map(normalizeRule)),
    toOutput: (value) => (typeof value === "string" ? value : asList(value).map(ruleToOutput)),
    default: [],
    sensitive: (rules) => asList(rules).flatMap(configsOf),
  });

/** A part of an object that the program declares whole, with the operations it has of its own. */
export function module<Props>(fields: FieldsOf<Props>, operations: ModuleOperations = {}): Field<Props | undefined> {
  const table: Fields = fields;
  return {
    accepts: objects(table),
    read: (response, name) => {
      const body = response[name];
      return isObject(body) ? readFields(table, body) : undefined;
    },
    write: (value) => writeFields(table, value as JsonObject),
    equals: (desired, actual) => {
      if (!isObject(desired) || !isObject(actual)) return desired === actual;
      return Object.entries(table).every(([name, field]) => equalsDesired(field, desired[name], actual[name]));
    },
    toOutput: (value) => (isObject(value) ? toOutputs(table, value) : undefined),
    module: { fields: table, ...operations },
  };
}

const readValue = (response: JsonObject, name: string): Value => (isUnset(response[name]) ? undefined : response[name]);

/** A list that is not set is empty. A string in its place stands for an unknown value in a preview. */
const toList = (value: Value): Value => (typeof value === "string" ? value : asList(value));

const lowerCase = (value: Json) => String(value).toLowerCase();

const equalIgnoringCase = (desired: Value, actual: Value) =>
  equalAsSets(asList(desired).map(lowerCase), asList(actual).map(lowerCase));

const mapNames = (map: Value, rename: (name: string) => string): Value =>
  isObject(map) ? Object.fromEntries(Object.entries(map).map(([name, value]) => [rename(name), value])) : map;

const undefinedIfEmpty = (items: Json[]): Value => (items.length > 0 ? items : undefined);

function refOf(value: Value): JsonObject | undefined {
  if (!isObject(value) || typeof value.id !== "string") return undefined;
  return { id: value.id, ...(typeof value.uri === "string" && { uri: value.uri }) };
}

const idOf = (value: Value): string | undefined =>
  isObject(value) && typeof value.id === "string" ? value.id : undefined;
