/** What a data function is, as data: what it reads, by which route, and how a list is narrowed down. */

import * as pulumi from "@pulumi/pulumi";
import type { Route } from "../api/routes";
import type { Definition, List } from "../definitions/definition";
import { type Field, readFields, toOutputs } from "../definitions/fields";
import type { Connection } from "../dynamic/connection";
import { asList, isObject, isUnset, type Json, type JsonObject, toCamelCase } from "../json";
import { readObject } from "./response";

/** What functions read. A resource's definition is one, so that its fields are listed once. */
export interface Subject extends Pick<Definition, "displayName" | "parents"> {
  fields: Record<string, Pick<Field, "read" | "clientOnly" | "secret" | "responseName" | "toOutput">>;
  outputs?: Definition["outputs"];
  routes: { read: Route };
  list?: List;
  /** Why there may be none of an id that once was. */
  absent?: string;
}

export interface Query<Args, Result> {
  /** The function's name in the program. */
  name: string;
  run(connection: Connection, args: Args): Promise<Result>;
  /** A result from what is known of it: lists that are not set are empty, and secrets are Outputs. */
  toResult(values: JsonObject): Result;
}

/** For each filter, whether an item is what the filter wants. */
type Filters<Args, Item> = {
  [Name in keyof Args]-?: (item: Item, wanted: NonNullable<Args[Name]>) => boolean;
};

type ItemOf<Result> = Result[keyof Result] extends (infer Item)[] ? Item : never;

/** A function that reads one object by its id, or one module by the ids of what it belongs to. */
export function readOne<Args extends { [argument in keyof Args]: string }, Result>(
  name: string,
  subject: Subject,
): Query<Args, Result> {
  const parents = Object.entries(subject.parents ?? { id: "id" });
  const toResult = (values: JsonObject) => markSecrets(subject, toOutputs(subject.fields, values)) as Result;
  return {
    name,
    async run(connection, args) {
      const named = parents.map(([argument]) => [argument, args?.[argument as keyof Args]] as const);
      for (const [argument, id] of named) {
        if (isUnset(id)) throw new Error(`${argument} is required`);
        if (typeof id !== "string") throw new Error(`${argument} must be a string`);
      }
      const ids = named.map(([, id]) => id as string);
      const params = Object.fromEntries(parents.map(([, segment], index) => [segment, ids[index]!]));
      const id = ids.join("/");
      const { read } = subject.routes;
      const found = await readObject(subject, read, id, () => connection.read(read, params));
      if (!found)
        throw new Error(`there is no ${subject.displayName} ${id}${subject.absent ? `: ${subject.absent}` : ""}.`);
      return toResult({ ...Object.fromEntries(named), ...readItem(subject, found) });
    },
    toResult,
  };
}

/** A function that reads a whole list, and keeps of it what its filters want. */
export function readList<Args extends object, Result>(
  name: string,
  subject: Subject,
  filters: Filters<Args, ItemOf<Result>>,
): Query<Args, Result> {
  const all = subject.list!;
  const key = toCamelCase(all.key);
  const toItem = (values: Json) => (isObject(values) ? toOutputs(subject.fields, values) : values);
  const among = filters as Record<string, (item: unknown, wanted: unknown) => boolean>;
  return {
    name,
    async run(connection, args) {
      const desired = Object.entries(args).filter(([, wanted]) => wanted !== undefined && wanted !== null);
      for (const [name] of desired) {
        if (Object.hasOwn(among, name)) continue;
        throw new Error(`${name} is not a filter: the filters are ${Object.keys(among).join(", ")}.`);
      }
      const items = (await connection.list(all)).map((item) => toItem(readItem(subject, item)));
      const kept = items.filter((item) => desired.every(([name, wanted]) => among[name]!(item, wanted)));
      return { [key]: kept } as Result;
    },
    toResult: (values) => ({ ...values, [key]: asList(values[key]).map(toItem) }) as Result,
  };
}

/** The filter of a field that is equal, or, with "", of one that is not set. */
export const equalsField =
  <Name extends string>(field: Name) =>
  (item: { [name in Name]?: unknown }, wanted: unknown): boolean =>
    (item[field] ?? "") === wanted;

/** A field as the service has it. */
export const anyValue: Subject["fields"][string] = {
  read: (response, name) => (isUnset(response[name]) ? undefined : response[name]),
};

/** A reference to another object, which stays one. */
export const objectReference: Subject["fields"][string] = { read: (response, name) => refIn(response[name]) };

/** References to other objects; a single one is a list of one. */
export const objectReferences: Subject["fields"][string] = {
  read: (response, name) => asList(response[name]).flatMap((item) => refIn(item) ?? []),
  toOutput: asList,
};

function refIn(found: Json | undefined): JsonObject | undefined {
  if (!isObject(found) || typeof found.id !== "string") return undefined;
  return { id: found.id, ...(typeof found.uri === "string" && { uri: found.uri }) };
}

function readItem({ fields, outputs = {}, parents }: Subject, response: JsonObject): JsonObject {
  const told = Object.entries(outputs).filter(([, { once }]) => !once);
  const further = Object.fromEntries(told.map(([name]) => [name, anyValue]));
  return readFields({ ...(!parents && { id: anyValue }), ...fields, ...further }, response);
}

function markSecrets({ fields }: Subject, values: JsonObject): object {
  const secrets = Object.keys(fields).filter((name) => fields[name]!.secret);
  return { ...values, ...Object.fromEntries(secrets.map((name) => [name, pulumi.secret(values[name])])) };
}
