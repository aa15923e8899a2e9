/**
 * Which values are secret, beside the values. A value that was secret, or may be, stays secret at its place, until the
 * service no longer has it or the program declares it plain.
 */

import { equal, isObject, type Json, type JsonObject } from "../base/json";
import type { Definition } from "../definitions/definition";
import type { Field, Fields, Value } from "../definitions/fields/field";

/** What is secret in a value: all of it, or what these keys have. A list is secret as a whole. */
export type SecretMarks = true | { [key: string]: SecretMarks };

/** Values, and which of them are secret. */
export interface Marked {
  values: JsonObject;
  marks?: SecretMarks;
}

/** The key that marks an envelope, and its value where the envelope contains a secret. */
const envelopeKey = "4dabf18193072939515e22adb298388d";
const secretKind = "1b47061264138c4ac30d75fd1eb44270";

export const isSecretEnvelope = (value: unknown): value is JsonObject =>
  isObject(value) && value[envelopeKey] === secretKind;

/** A copy of the values in which each secret is in an envelope, as the engine reads it. */
export function encloseSecrets({ values, marks }: Marked): JsonObject {
  if (marks === undefined) return values;
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, enclose(value, markAt(marks, key))]));
}

function enclose(value: Json, marks: SecretMarks | undefined): Json {
  if (marks === undefined || value === null || value === undefined) return value;
  return marks !== true && isObject(value)
    ? encloseSecrets({ values: value, marks })
    : { [envelopeKey]: secretKind, value };
}

const markAt = (marks: SecretMarks | undefined, key: string): SecretMarks | undefined =>
  marks === true || marks === undefined ? marks : Object.hasOwn(marks, key) ? marks[key] : undefined;

/** What either marks. */
export function uniteMarks(a: SecretMarks | undefined, b: SecretMarks | undefined): SecretMarks | undefined {
  if (a === undefined) return b;
  if (a === true || b === true) return true;
  const keys = Object.keys({ ...a, ...b });
  return Object.fromEntries(keys.map((key) => [key, uniteMarks(markAt(a, key), markAt(b, key))!]));
}

/** Whether `outer` marks everything that `inner` marks. */
export function covers(outer: SecretMarks | undefined, inner: SecretMarks | undefined): boolean {
  if (outer === true || inner === undefined) return true;
  if (outer === undefined || inner === true) return false;
  return Object.entries(inner).every(([key, mark]) => covers(markAt(outer, key), mark));
}

/**
 * The internal property with the names of secret values, because the dynamic provider gets no marks. A class passes the
 * names of the arguments that contain secrets, and the outputs have the names of earlier secrets, too.
 */
export const secretsKey = "__secrets";

/** What the names in these properties mark. */
export function namedSecrets({ [secretsKey]: names }: JsonObject): SecretMarks | undefined {
  return typeof names === "string" ? markNames(names.split(" ")) : undefined;
}

/** Outputs that also name what is secret in them. */
export function nameSecrets(properties: Properties, { values, marks }: Marked): Marked {
  const always = secretProperties(properties);
  const names = markedNames(marks)
    .filter((name) => markAt(always, name) === undefined)
    .sort();
  return { values: { ...values, ...(names.length > 0 && { [secretsKey]: names.join(" ") }) }, marks };
}

/** Marks these properties as a whole. */
export const markNames = (names: string[]): SecretMarks | undefined =>
  names.length > 0 ? Object.fromEntries(names.map((name) => [name, true])) : undefined;

/** The properties that are secret, as a whole or in part. */
export const markedNames = (marks: SecretMarks | undefined): string[] =>
  typeof marks === "object" ? Object.keys(marks) : [];

type Properties = Pick<Definition, "fields" | "computed">;

/**
 * The secrets among a resource's values that are recorded or shown. They are those that the program declares as secrets,
 * and those from before, unless the program declares this very value plain.
 */
export function secretsIn(
  properties: Properties,
  values: JsonObject,
  declared: Marked,
  before?: SecretMarks,
): SecretMarks | undefined {
  const always = secretProperties(properties);
  if (!always && !declared.marks && !before) return undefined;
  return secretsOfObject(properties.fields, values, declared.values, uniteMarks(declared.marks, always), before);
}

/** Whether a recorded value becomes secret: a change for which nothing is sent. */
export function becomesSecret(
  properties: Properties,
  outputs: Marked,
  declared: Marked,
  before = outputs.marks,
): boolean {
  const recorded = uniteMarks(outputs.marks, secretProperties(properties));
  return !covers(recorded, secretsIn(properties, outputs.values, declared, before));
}

function secretsOfObject(
  fields: Fields | undefined,
  values: JsonObject,
  declared: JsonObject,
  marks: SecretMarks | undefined,
  before: SecretMarks | undefined,
): SecretMarks | undefined {
  const isRenamed = !fields && [marks, before].some((each) => lacksMarked(values, each));
  const found: { [key: string]: SecretMarks } = {};
  for (const [key, value] of Object.entries(values)) {
    const field = fields?.[key];
    const own = (Object.hasOwn(declared, key) ? declared[key] : undefined) ?? field?.default;
    const secrets =
      (isRenamed && own === undefined) || secretsOf(field, value, own, markAt(marks, key), markAt(before, key));
    if (secrets !== undefined) found[key] = secrets;
  }
  return Object.keys(found).length > 0 ? found : undefined;
}

/**
 * Whether a map lacks a key whose value is secret. The service may have returned it in another form, such as x-token for
 * X-Token: then each key that the program does not declare may be the one.
 */
const lacksMarked = (values: JsonObject, marks: SecretMarks | undefined): boolean =>
  markedNames(marks).some((key) => !Object.hasOwn(values, key));

function secretsOf(
  field: Field | undefined,
  value: Value,
  declared: Value,
  marks: SecretMarks | undefined,
  before: SecretMarks | undefined,
): SecretMarks | undefined {
  if (value === undefined || value === null || (marks ?? before) === undefined) return undefined;
  if (marks === true || (before === true && declared === undefined)) return true;
  const isPlain = marks === undefined && declared !== undefined && !field?.module;
  if (isPlain && (field?.equals ?? equal)(declared, value)) return undefined;
  if (!isObject(value)) return true;
  return secretsOfObject(field?.module?.fields, value, isObject(declared) ? declared : {}, marks, before);
}

/** Cached, because every call of the engine needs them. */
const alwaysSecret = new WeakMap<object, SecretMarks | false>();

/** The properties that are secret even if the program does not mark them. */
function secretProperties({ fields, computed }: Properties): SecretMarks | undefined {
  const known = alwaysSecret.get(fields);
  if (known !== undefined) return known || undefined;
  const properties: Record<string, { secret?: true }> = { ...fields, ...computed };
  const marks = markNames(Object.keys(properties).filter((name) => properties[name]!.secret));
  alwaysSecret.set(fields, marks ?? false);
  return marks;
}

/**
 * The secrets among a resource's values that the service may have from elsewhere: from an import, from somebody else,
 * or from an update that was never recorded. A value that may be secret is one, unless the program declares this very
 * value plain.
 */
export const secretsInResponse = (
  properties: Properties,
  values: JsonObject,
  declared: Marked,
  before?: SecretMarks,
): SecretMarks | undefined =>
  secretsIn(properties, values, declared, uniteMarks(before, possibleSecrets(properties.fields, values)));

/** Outputs after a response, and which of them are secret. */
export const markOutputs = (
  properties: Properties,
  values: JsonObject,
  declared: Marked,
  before?: SecretMarks,
): Marked => nameSecrets(properties, { values, marks: secretsInResponse(properties, values, declared, before) });

/** What may be secret in values that no program has marked. */
function possibleSecrets(fields: Fields, values: JsonObject): SecretMarks | undefined {
  const found = Object.entries(fields).flatMap(([name, { secret, sensitive, module }]): [string, SecretMarks][] => {
    const value = values[name] ?? null;
    const marks =
      module && isObject(value)
        ? possibleSecrets(module.fields, value)
        : typeof sensitive === "function"
          ? sensitive(value).length > 0 || undefined
          : (secret || sensitive) && markEach(value);
    return marks ? [[name, marks]] : [];
  });
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

/** All values of a map, whose keys are no secrets; or any other value. */
const markEach = (value: Json): SecretMarks | undefined =>
  value === null ? undefined : isObject(value) ? markNames(Object.keys(value)) : true;

/** The strings that are marked. */
export function secretStrings({ values, marks }: Marked): string[] {
  if (marks === undefined) return [];
  return Object.entries(values).flatMap(([key, value]) => {
    const mark = markAt(marks, key);
    if (mark === undefined) return [];
    return mark !== true && isObject(value) ? secretStrings({ values: value, marks: mark }) : stringsIn(value);
  });
}

/** All strings in a value. */
export function stringsIn(value: Json): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** The strings within secret and sensitive properties, and all that are marked as secret. */
export function sensitiveStrings({ fields, computed }: Properties, properties: Marked): string[] {
  const { values } = properties;
  const sensitive = [...sensitiveIn(fields, values), ...sensitiveIn(computed, values)];
  return [...sensitive.flatMap(stringsIn), ...secretStrings(properties)];
}

type Sensitivity = Pick<Field, "secret" | "sensitive" | "module">;
type Sensitivities = Record<string, Sensitivity>;

const sensitiveIn = (fields: Sensitivities, values: JsonObject): Json[] =>
  sensitiveFields(fields).flatMap(([name, { secret, sensitive, module }]) => {
    const value = values[name] ?? null;
    if (module) return isObject(value) ? sensitiveIn(module.fields, value) : [];
    if (typeof sensitive === "function") return sensitive(value);
    return secret || sensitive ? [value] : [];
  });

/** Cached, because every call of the engine needs it. */
const sensitiveFieldsOf = new WeakMap<Sensitivities, [string, Sensitivity][]>();

function sensitiveFields(fields: Sensitivities): [string, Sensitivity][] {
  const found = sensitiveFieldsOf.get(fields) ?? Object.entries(fields).filter(([, field]) => isSensitive(field));
  sensitiveFieldsOf.set(fields, found);
  return found;
}

const isSensitive = ({ secret, sensitive, module }: Sensitivity): boolean =>
  Boolean(secret || sensitive || (module && sensitiveFields(module.fields).length > 0));
