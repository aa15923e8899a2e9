// biome-ignore-all lint/suspicious/noExplicitAny: a field of any type

/**
 * What a field is: which values are valid, how the API writes it, when the service has what the program declares, and
 * what clears it. A resource's definition is a table of fields.
 */

import type { Route } from "../../api/routes";
import { isObject, type Json, type JsonObject, toSnakeCase } from "../../base/json";
import type { ValueType } from "./valueTypes";

/** A value in the arguments' shape; undefined where nothing is set. */
export type Value = Json | undefined;

/** A field of a property of type `T`, which includes undefined where the property is optional. */
export interface Field<T = any> {
  /** Which values are valid: checked in the preview. */
  accepts: ValueType;
  /**
   * What is wrong with it in combination with the other arguments of its resource or module, if each of them is valid. An
   * unknown argument is undefined, an unset one is missing. `nameOf` returns their names for messages.
   */
  conflict?(args: Partial<JsonObject>, nameOf: (name: string) => string): string | undefined;
  /** The value in a response, where `name` is the field's name in the API. */
  read(response: JsonObject, name: string): Value;
  /** The value as a request carries it. */
  write(value: Json): Json;
  /** Whether the service has what the program declares. */
  equals(desired: Value, actual: Value): boolean;
  /** What the service has, if it differs, in which the equal parts have the form that the program writes. */
  toDeclaredForm?(desired: Value, actual: Value): Value;
  /** The value in outputs and function results, where that differs: a list that is not set is empty. */
  toOutput?(value: Value): Value;
  /**
   * What clears it in an update, once the program stops declaring it. Without this, and without a default, it keeps its
   * value and is no longer managed; so does one that replaces.
   */
  clear?: Json;
  /** Its value if it is left out: within a module, the API's default; of an argument that is never sent, its initial value. */
  default?: Json;
  /** Whether the service may have chosen this value, because nobody did: an import does not declare it. */
  mayBeChosen?(value: Json): boolean;
  required?: true;
  /** A change replaces the object. */
  replaces?: true;
  /** Encrypted in the state even if the program does not mark it as a secret. */
  secret?: true;
  /** May contain a secret, as a whole or in these parts: never shown in a message. */
  sensitive?: true | ((value: Json) => Json[]);
  /** Messages may quote its values: ids, hostports, booleans, numbers and enums. All others may be secrets. */
  quotable?: true;
  /** The values that are known to work: any other is accepted with a warning. */
  knownValues?: readonly string[];
  /** Responses may leave it out although it is set. */
  writeOnly?: true;
  /** Never sent: only the program and the state know it. */
  clientOnly?: true;
  /** Its name in responses, where that differs from the name in requests. */
  responseName?: string;
  /**
   * In a module, how it decides who can connect: each item of a list, or `true`, lets in more; another value lets in others;
   * each rule denies some. Unset if it does not decide that.
   */
  decides?: "items" | "begins" | "value" | "rules";
  /** A part of the object with operations of its own. */
  module?: Module;
  /** The property's type, for the compiler only. */
  readonly type?: (value: T) => T;
}

export type Fields = Record<string, Field>;

/** The table of fields for an interface: a missing field, or one of another type or optionality, does not compile. */
export type FieldsOf<Props> = { [Name in keyof Required<Props>]: Field<Props[Name]> };

/** A field of what functions read and nothing writes. */
export type ReadField<T = any> = Pick<Field<T>, "read" | "toOutput" | "type">;

/** As `FieldsOf`, for what functions only read. An object's id is not among its fields. */
export type ReadFieldsOf<Props> = { [Name in Exclude<keyof Props, "id">]: ReadField<Props[Name]> };

/** Properties as outputs and function results have them: a list is never undefined, at any depth. */
export type WithLists<Props> = {
  [Name in keyof Props as IsList<Props[Name]> extends true ? never : Name]: ValueWithLists<Props[Name]>;
} & {
  [Name in keyof Props as IsList<Props[Name]> extends true ? Name : never]-?: ValueWithLists<NonNullable<Props[Name]>>;
};

/** As `WithLists`, for any value. */
export type ValueWithLists<T> = T extends Primitive
  ? T
  : T extends (infer Item)[]
    ? ValueWithLists<Item>[]
    : T extends object
      ? WithLists<T>
      : T;

type IsList<T> = NonNullable<T> extends unknown[] ? true : false;

/** Listed first in mapped types, because `string & {}` extends object. */
export type Primitive = string | number | boolean | undefined;

export interface Module extends ModuleOperations {
  fields: Fields;
}

export interface ModuleOperations {
  put?: Route;
  remove?: Route;
  /** Whether it restricts who can reach the object. */
  protects?: true;
}

/** A reference to another object. */
export interface Ref {
  /** The object's id. */
  readonly id: string;
  /** The object's address in the API. */
  readonly uri: string;
}

/** As `equals`, within a module: what the program leaves out and has no default is the service's choice. */
export function equalsDesired(field: Field, desired: Value, actual: Value): boolean {
  if (desired === undefined && !("default" in field)) return true;
  return field.equals(desired ?? field.default, actual ?? field.default);
}

/** What an update sends of a field that the program stops declaring. */
export const clearedValue = ({ clear, default: assumed }: Field): Value => clear ?? assumed;

/** The fields of a response, in the arguments' shape. */
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

/** These values as outputs and function results have them. */
export function toOutputs(fields: Record<string, Pick<Field, "toOutput">>, values: JsonObject): JsonObject {
  const outputs = { ...values };
  for (const [name, { toOutput }] of Object.entries(fields)) {
    const value = toOutput?.(values[name]);
    if (value !== undefined) outputs[name] = value;
  }
  return outputs;
}

/** The body of a request with these values. */
export function writeFields(fields: Fields, values: JsonObject): JsonObject {
  const body: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = values[name];
    if (value !== undefined && !field.clientOnly) body[toSnakeCase(name)] = field.write(value);
  }
  return body;
}

/** Whether all required arguments are there, and every argument exists: a check without the schema library, which loads slowly. */
export const hasValidNames = (fields: Fields, args: JsonObject): boolean =>
  Object.keys(args).every((name) => Object.hasOwn(fields, name)) &&
  Object.entries(fields).every(([name, { required, module }]) => {
    const value = args[name];
    return value === undefined ? !required : !module || !isObject(value) || hasValidNames(module.fields, value);
  });
