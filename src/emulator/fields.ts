import { reject } from "./errors";

/** What an empty string in a module means. The API document does not say. */
export type EmptyStrings = "keep" | "default" | "reject";

export interface FieldOptions {
  emptyStrings: EmptyStrings;
}

/** Parses a field of a request body, or rejects it with its name. `null` means absent, except for {@link optionalNotNull}. */
export type Field<T> = (value: unknown, name: string, options: FieldOptions) => T;
export type Shape = Record<string, Field<unknown>>;
export type Values<S extends Shape> = { [K in keyof S]: ReturnType<S[K]> };

export function readFields<S extends Shape>(shape: S, body: object, options: FieldOptions, prefix = ""): Values<S> {
  for (const name of Object.keys(body)) {
    if (!Object.hasOwn(shape, name)) reject("UNKNOWN_FIELD", `The field "${prefix}${name}" is not known.`);
  }
  const bodyFields = body as Record<string, unknown>;
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(shape)) values[name] = shape[name]!(bodyFields[name], prefix + name, options);
  return values as Values<S>;
}

const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined;

export function optional<T>(field: Field<T>): Field<T | undefined> {
  return (value, name, options) => (isAbsent(value) ? undefined : field(value, name, options));
}

export function required<T>(field: Field<T>): Field<T> {
  return (value, name, options) =>
    isAbsent(value) ? reject("FIELD_REQUIRED", `The field "${name}" is required.`) : field(value, name, options);
}

export function withDefault<T>(field: Field<T>, defaultValue: T): Field<T> {
  return (value, name, options) => (isAbsent(value) ? defaultValue : field(value, name, options));
}

export const orNull = <T>(field: Field<T>): Field<T | null> => withDefault<T | null>(field, null);

export function nullIfEmpty<T>(items: Field<T[]>): Field<T[] | null> {
  return (value, name, options) => {
    const parsed = items(value, name, options);
    return parsed.length > 0 ? parsed : null;
  };
}

/** Like {@link withDefault}, for a string of a module: an empty one may mean the default. */
export function moduleStringWithDefault<T>(field: Field<string>, defaultValue: T): Field<string | T> {
  return (value, name, options) => {
    const isUnset = isAbsent(value) || (value === "" && options.emptyStrings === "default");
    return isUnset ? defaultValue : field(value, name, options);
  };
}

/** A module in a PATCH body, which can be left out but not removed. */
export function optionalNotNull<T>(module: Field<T>): Field<T | undefined> {
  return (value, name, options) =>
    value === null
      ? reject(
          "MODULE_NOT_REMOVABLE",
          `The module "${name}" cannot be removed by an update; delete it on its own path.`,
        )
      : optional(module)(value, name, options);
}

const rejectType = (name: string, type: string): never => reject("FIELD_TYPE", `The field "${name}" must be ${type}.`);
export const rejectValue = (name: string, rule: string): never => reject("FIELD_VALUE", `The field "${name}" ${rule}.`);

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const string = (value: unknown, name: string): string =>
  typeof value === "string" ? value : rejectType(name, "a string");

export const boolean: Field<boolean> = (value, name) =>
  typeof value === "boolean" ? value : rejectType(name, "a boolean");

export const uint32: Field<number> = (value, name) =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 0xffff_ffff
    ? (value as number)
    : rejectType(name, "an integer from 0 to 4294967295");

export function list<T>(item: Field<T>): Field<T[]> {
  return (value, name, options) =>
    Array.isArray(value)
      ? value.map((each, index) => item(each, `${name}[${index}]`, options))
      : rejectType(name, "a list");
}

/** A map's keys are any strings: `__proto__` is an ordinary key. */
export function map<T>(key: Field<string>, item: Field<T>): Field<Record<string, T>> {
  return (value, name, options) =>
    isObject(value)
      ? Object.fromEntries(
          Object.entries(value).map(([entryKey, entryValue]) => {
            const path = `${name}.${entryKey}`;
            return [key(entryKey, path, options), item(entryValue, path, options)];
          }),
        )
      : rejectType(name, "an object");
}

export function object<S extends Shape>(shape: S): Field<Values<S>> {
  return (value, name, options) =>
    isObject(value)
      ? readFields(shape, value, options, name === "" ? "" : `${name}.`)
      : rejectType(name || "body", "an object");
}

export const anyObject: Field<object> = (value, name) => (isObject(value) ? value : rejectType(name, "an object"));

export const moduleString: Field<string> = (value, name, { emptyStrings }) =>
  value === "" && emptyStrings === "reject" ? rejectValue(name, "must not be empty") : string(value, name);

export const nonEmptyString: Field<string> = (value, name) =>
  string(value, name) === "" ? rejectValue(name, "must not be empty") : (value as string);

export function stringUpTo(maxBytes: number): Field<string> {
  return (value, name) =>
    Buffer.byteLength(string(value, name)) > maxBytes
      ? reject("FIELD_TOO_LONG", `The field "${name}" is longer than ${maxBytes} bytes.`)
      : (value as string);
}

export function idWithPrefix(prefix: string): Field<string> {
  return (value, name) =>
    string(value, name).startsWith(prefix) && (value as string).length > prefix.length
      ? (value as string)
      : rejectValue(name, `must be an identifier that starts with "${prefix}"`);
}

export function enumOf<T extends string>(...values: T[]): Field<T> {
  return (value, name) =>
    values.includes(string(value, name) as T)
      ? (value as T)
      : rejectValue(name, `must be one of ${values.map((each) => `"${each}"`).join(", ")}`);
}

export function nonEmptyList<T>(item: Field<T>): Field<T[]> {
  return (value, name, options) => {
    const items = list(item)(value, name, options);
    return items.length > 0 ? items : rejectValue(name, "must not be empty");
  };
}
