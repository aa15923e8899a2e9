/** Reads the objects of an account, as a program would declare them. Everything here follows from the definitions. */

import type { Client } from "../api/client";
import { problemsOf } from "../core/checks";
import { readObject } from "../core/response";
import { type Definition, paramsOf } from "../definitions/definition";
import { equalsDesired, type Field, type Fields, readFields } from "../definitions/fields";
import { isObject, type Json, type JsonObject } from "../json";
import { definitions } from "../resources";
import { camel, kebab } from "./names";

/** An object of the account. */
export interface Found {
  kind: Kind;
  id: string;
  /** The arguments that a program must declare. */
  args: JsonObject;
  /** What the object has and no program can declare, each as a sentence. */
  leftOut: string[];
  /** Whether the rest can be declared without it. */
  complete: boolean;
}

/** Objects that are imported alike. */
export interface Kind {
  /** As the command line calls it: `tcp-edges`. */
  name: string;
  /** As a file is called: `tcpEdges`. */
  file: string;
  definition: Definition;
}

/**
 * What can be imported: what the service lists, and modules of objects that it does not list. The modules of what it
 * lists are arguments of the object itself.
 */
export const kinds: Kind[] = definitions
  .filter((definition) => definition.list || (definition.parents && !isPartOfListed(definition)))
  .sort((a, b) => Number(b.list !== undefined) - Number(a.list !== undefined))
  .map((definition) => {
    const name = definition.list ? definition.list.key.replaceAll("_", "-") : kebab(definition.type);
    return { name, file: camel(name), definition };
  });

function isPartOfListed({ routes }: Definition): boolean {
  return definitions.some((owner) => owner.list && routes.read.startsWith(`${owner.routes.read}/`));
}

const parentsOf = ({ definition: { parents = {} } }: Kind) => Object.keys(parents);

/** The kinds whose objects belong to this many parents, each given by its id. */
export const modulesOf = (parents: number) => kinds.filter((kind) => parentsOf(kind).length === parents);

/** What is wrong with the id, `<parent>/<child>`, of an object whose modules are to be imported. */
export function problemWith(id: string, parents: number): string | undefined {
  const [kind] = modulesOf(parents);
  const names = kind ? parentsOf(kind) : [];
  const ids = id.split("/");
  if (!kind || ids.length !== parents) {
    return `must be ${names.map((name) => `<${kebab(name)}>`).join("/")}, not ${JSON.stringify(id)}`;
  }
  const fields = Object.fromEntries(names.map((name) => [name, kind.definition.fields[name]!]));
  const given = Object.fromEntries(names.map((name, at) => [name, ids[at]!]));
  return problemsOf(fields, given)[0]?.replace(/^\w+ /, "");
}

/** Everything of a kind that the service lists. */
export async function listed(client: Client, kind: Kind): Promise<Found[]> {
  const { route, key } = kind.definition.list!;
  const items = new Map<string, JsonObject>();
  // Pages shift while others create and delete: an object may come twice.
  for (const item of await client.list(route, key)) items.set(item.id, item);
  return [...items.values()].sort(byAge).map((item) => describe(kind, String(item.id), item));
}

/** The module of a kind that the object of this id has. */
export async function moduleOf(client: Client, kind: Kind, id: string): Promise<Found | undefined> {
  const { definition } = kind;
  const { read } = definition.routes;
  const module = await readObject(definition, read, id, () => client.call(read, { params: paramsOf(definition, id) }));
  return module && describe(kind, id, module);
}

/** Oldest first, so that an object keeps its name when others come after it. */
function byAge(a: JsonObject, b: JsonObject): number {
  const [left, right] = [a, b].map((item) => Date.parse(String(item.created_at)) || 0) as [number, number];
  return left - right || (String(a.id) < String(b.id) ? -1 : 1);
}

/** An object as the service returned it, in the arguments' shape; each argument passes the checks of a preview. */
function describe(kind: Kind, id: string, response: JsonObject): Found {
  const { fields, parents = {} } = kind.definition;
  const ids = id.split("/");
  const values: JsonObject = Object.fromEntries(Object.keys(parents).map((name, at) => [name, ids[at]!]));
  for (const [name, value] of Object.entries(readFields(fields, response))) values[name] ??= value;
  const found: Found = { kind, id, args: {}, leftOut: [], complete: true };
  for (const [name, field] of Object.entries(fields)) {
    const value = field.module && isObject(values[name]) ? needed(field.module.fields, values[name]) : values[name];
    if (value === undefined ? !field.required : kind.definition.parents && isDefault(field, value)) continue;
    const problems = problemsOf({ [name]: field }, value === undefined ? {} : { [name]: value });
    if (problems.length === 0) found.args[name] = value!;
    else if (field.required) found.complete = false;
    found.leftOut.push(...problems);
  }
  return found;
}

/** A module's fields that must be declared. */
const needed = (fields: Fields, values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => !isDefault(fields[name]!, value)));

/** Whether leaving a field of a module out means the same. */
const isDefault = (field: Field, value: Json) => "default" in field && equalsDesired(field, undefined, value);
