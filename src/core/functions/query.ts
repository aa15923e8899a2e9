/** The functions that read: one object or module, or a list of objects with filters. */

import { asList, isObject, isUnset, type Json, type JsonObject, toCamelCase } from "../../base/json";
import { nameOf, nearest, quote } from "../../base/quote";
import { type ObjectDefinition, parentsOf, type Readable, type ReadOnlyDefinition } from "../../definitions/definition";
import { type Fields, type ReadField, readFields, toOutputs } from "../../definitions/fields/field";
import { assigned } from "../../definitions/fields/fieldTypes";
import type { Service } from "../read/service";

/** A function as data. Its arguments and its result are typed by the caller. */
export interface Query<Args = object, Result = object> {
  /** What it reads. */
  reads: "one" | "list";
  /** The function's name: `getTcpEdge`. */
  name: string;
  /** Reads and returns the result. */
  run(service: Service, args: Args): Promise<JsonObject>;
  /** A result in which lists that are not set are empty. */
  toResult(values: JsonObject): JsonObject;
  /** The names of the result's secrets. */
  secrets: string[];
  /** For the compiler only. */
  readonly type?: (args: Args) => Result;
}

/** A function that reads one object by its id. */
export interface OneQuery<Args = object, Result = object> extends Query<Args, Result> {
  reads: "one";
}

/** A function that reads a list; all its arguments are filters. */
export interface ListQuery<Args = object, Result = object> extends Query<Args, Result> {
  reads: "list";
}

/** Reads an object by its id, or a module by its parents' ids. */
export function readOne<Args extends { [Name in keyof Args]: string }, Result extends object>(
  definition: Readable,
): OneQuery<Args, Result> {
  const { type, kind } = definition;
  const fields = definition.fields as Fields;
  const parents = parentsOf(definition);
  const toResult = (values: JsonObject) => toOutputs(fields, values);
  return {
    reads: "one",
    name: `get${type}`,
    async run(service, args) {
      const names = kind === "module" ? parents : ["id"];
      const ids = names.map((name) => requiredString(name, args?.[name as keyof Args]));
      const id = ids.join("/");
      const found = await service.share(`${type} ${id}`, () => service.lookup.findNew(definition, id));
      if (!found) {
        const reason = kind === "readOnly" ? `: ${definition.absent}` : "";
        throw new Error(`there is no ${definition.displayName} ${id}${reason}.`);
      }
      return toResult({
        ...Object.fromEntries(names.map((each, at) => [each, ids[at]!])),
        ...readItem(definition, found),
      });
    },
    toResult,
    secrets: Object.keys(fields).filter((name) => fields[name]!.secret),
  };
}

/** Reads a whole list, and keeps the items that match all filters. */
export function readList<Args extends object, Result extends object>(
  definition: ObjectDefinition | ReadOnlyDefinition,
): ListQuery<Args, Result> {
  const { plural, list } = definition;
  const key = toCamelCase(list.key);
  const toItem = (values: Json) => (isObject(values) ? toOutputs(definition.fields, values) : values);
  return {
    reads: "list",
    name: `get${plural}`,
    async run(service, args) {
      const select = selector(definition, args);
      const read = () => service.lists.all(list, service.client.moment);
      return { [key]: select(await service.share(list.route, read)) };
    },
    toResult: (values) => ({ ...values, [key]: asList(values[key]).map(toItem) }),
    secrets: [],
  };
}

/** A function that reads the items of a response and keeps those that match all filters. */
export function selector(
  definition: ObjectDefinition | ReadOnlyDefinition,
  args: object,
): (response: JsonObject[]) => JsonObject[] {
  const { filters, fields } = definition;
  const wanted = Object.entries(args).filter(([, value]) => value !== undefined && value !== null);
  for (const [name] of wanted) {
    if (Object.hasOwn(filters, name)) continue;
    const suggestion = nearest(name, Object.keys(filters));
    const hint = suggestion
      ? `did you mean ${quote(suggestion)}?`
      : `the filters are ${Object.keys(filters).join(", ")}.`;
    throw new Error(`${nameOf([name])} is not a filter: ${hint}`);
  }
  return (response) =>
    response
      .map((item) => toOutputs(fields, readItem(definition, item)))
      .filter((item) => wanted.every(([name, value]) => filters[name]!(item, value)));
}

function requiredString(name: string, value: unknown): string {
  if (isUnset(value)) throw new Error(`${name} is required`);
  if (typeof value !== "string") throw new Error(`${name} must be a string`);
  return value;
}

/** An object or module of a response, without what the service returns only on creation. */
export function readItem(definition: Readable, response: JsonObject): JsonObject {
  const fields: Record<string, ReadField> = {
    ...(definition.kind !== "module" && { id: assigned() }),
    ...definition.fields,
  };
  const computed = definition.kind === "readOnly" ? {} : definition.computed;
  for (const [name, { createOnly }] of Object.entries(computed)) if (!createOnly) fields[name] = assigned();
  return readFields(fields, response);
}
