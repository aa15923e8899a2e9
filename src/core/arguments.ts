/** What a program declares: its arguments, which of them are managed, and the paths by which the state records them. */

import { isObject, type Json, type JsonObject, withoutNull } from "../base/json";
import type { Definition } from "../definitions/definition";
import { equalsDesired, type Fields } from "../definitions/fields/field";
import { ignoredNames, type Options } from "./options";
import { managedKey, parseState, withoutInternal } from "./state";

/** The declared arguments: null declares nothing. */
export const parseArgs = (fields: Fields, inputs: JsonObject): JsonObject => setArgs(fields, withoutInternal(inputs));

/** The arguments that are set, whatever their names. */
export function setArgs(fields: Fields, inputs: JsonObject): JsonObject {
  const args = Object.entries(inputs).map(([name, value]): [string, Json] => {
    return [name, fields[name]?.module && isObject(value) ? withoutNull(value) : value];
  });
  return withoutNull(Object.fromEntries(args));
}

/** What a program declares, by what becomes of it. */
export interface ManagedArgs {
  /** What the service is to have. */
  desired: JsonObject;
  /** The arguments that `ignoreChanges` names. */
  ignored: string[];
  /** The paths of those that are among the inputs all the same. */
  ignoredPaths: string[];
}

/**
 * The arguments that are managed. Those that `ignoreChanges` names are not: the engine supplies their old values. If they
 * were managed, an argument that has left the program would be removed together with the option.
 */
export function managedArgs({ fields, kind }: Definition, args: JsonObject, options: Options): ManagedArgs {
  // The engine keeps the old inputs of what is ignored. In a module, which is set whole, these are sent; of a replacing
  // argument they decide the identity.
  const names = kind === "module" ? [] : ignoredNames(options, Object.keys(fields));
  const ignored = names.filter((name) => !fields[name]!.replaces);
  const [desired, kept] = [false, true].map((isIgnored) =>
    Object.fromEntries(Object.entries(args).filter(([name]) => ignored.includes(name) === isIgnored)),
  ) as [JsonObject, JsonObject];
  return { desired, ignored, ignoredPaths: pathsOf(fields, kept) };
}

/** The arguments, in the form in which they were declared before where that is equal to the service. */
export function preserveEquivalent(fields: Fields, before: JsonObject, args: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]): [string, Json] => {
      const field = fields[name];
      const old = before[name];
      if (!field || old === undefined || old === null) return [name, value];
      if (field.module && isObject(value) && isObject(old))
        return [name, preserveEquivalent(field.module.fields, old, value)];
      return [name, field.equals(value, old) ? old : value];
    }),
  );
}

/** The inputs as the service has them now: the managed values, and fields that a managed module should not have. */
export const inputsFrom = ({ fields, kind }: Definition, values: JsonObject, managed: string[]): JsonObject =>
  managedInputs(fields, values, managed, kind === "module");

function managedInputs(fields: Fields, values: JsonObject, managed: string[], isModule: boolean): JsonObject {
  const names = topLevelNames(managed);
  const inputs: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = values[name];
    if (value === undefined) continue;
    if (names.has(name)) {
      inputs[name] =
        field.module && isObject(value)
          ? managedInputs(field.module.fields, value, pathsWithin(managed, name), true)
          : value;
    } else if (isModule && !equalsDesired(field, undefined, value)) {
      inputs[name] = value;
    }
  }
  return inputs;
}

/** What the service never returns, because it is never sent. */
export const clientOnlyValues = ({ fields }: Pick<Definition, "fields">, values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([name]) => fields[name]?.clientOnly));

/**
 * Without what responses may leave out, such as clientSecret: after a lost response they do not show whether it arrived.
 * No module of an object has such a field.
 */
export const withoutWriteOnly = ({ fields }: Pick<Definition, "fields">, desired: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(desired).filter(([name]) => !fields[name]?.writeOnly));

/** Of these paths, those that do not belong to one of these arguments. */
export const withoutNames = (paths: string[], names: Iterable<string>) => {
  const removed = new Set(names);
  return paths.filter((path) => !removed.has(path.split(".")[0]!));
};

/** The paths of what is declared, a module's fields one by one: `description`, `backend.backendId`. */
export function pathsOf(fields: Fields, args: JsonObject): string[] {
  return Object.entries(args).flatMap(([name, value]) => {
    if (!fields[name]?.module || !isObject(value)) return [name];
    const inner = Object.keys(value).map((key) => `${name}.${key}`);
    return inner.length > 0 ? inner : [name];
  });
}

/** Of these paths, those within a module, without its name. */
export const pathsWithin = (names: string[], module: string) =>
  names.filter((name) => name.startsWith(`${module}.`)).map((name) => name.slice(module.length + 1));

/** The arguments that these paths belong to. */
export const topLevelNames = (names: string[]) => new Set(names.map((name) => name.split(".")[0]!));

/** The same properties, of a state whose program declared these paths, too, except those that were only ignored. */
export function withDeclared(properties: JsonObject, declared: string[]): JsonObject {
  const { managed, ignored } = parseState("", properties);
  const names = [...managed, ...withoutNames(declared, topLevelNames(ignored))];
  return { ...properties, [managedKey]: [...new Set(names)].join(" ") };
}
