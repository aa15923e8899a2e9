/** Reads the objects of an account as the arguments of their resources, by the definitions. */

import type { Client } from "../../api/client";
import type { JsonObject } from "../../base/json";
import { findProblems } from "../../core/check/checks";
import { type ImportedArgs, importedArgs } from "../../core/check/importedArgs";
import { Lookup } from "../../core/read/lookup";
import { definitions } from "../../definitions";
import { type Definition, parentsOf, routesOf } from "../../definitions/definition";
import { listItems } from "../account";
import { toCamelCase, toKebabCase } from "./names";

export interface AccountObject extends ImportedArgs {
  importable: Importable;
  id: string;
}

export interface Importable {
  /** The name on the command line: `tcp-edges`. */
  name: string;
  /** The name of the file: `tcpEdges`. */
  file: string;
  definition: Definition;
}

/**
 * What can be imported: objects that the service lists, and modules of objects that it does not list. Other modules are
 * arguments of their object.
 */
export const importables: Importable[] = definitions
  .filter((definition) => definition.kind === "object" || !hasObject(definition))
  .sort((a, b) => Number(b.kind === "object") - Number(a.kind === "object"))
  .map((definition) => {
    const name = definition.kind === "object" ? definition.list.key.replaceAll("_", "-") : toKebabCase(definition.type);
    return { name, file: toCamelCase(name), definition };
  });

/** Whether it is a module of an object that the service lists. */
function hasObject(module: Definition): boolean {
  const { read } = routesOf(module);
  return definitions.some((object) => object.kind === "object" && read.startsWith(`${object.routes.read}/`));
}

/** Finds the modules whose path has this many parents: 1 for an edge, 2 for a route of an edge. */
export const findModules = (parentCount: number) =>
  importables.filter(({ definition }) => parentsOf(definition).length === parentCount);

/** Returns what is wrong with the id, such as `<edge>/<route>`, of an object whose modules are to be imported. */
export function findIdProblem(id: string, parentCount: number): string | undefined {
  const [importable] = findModules(parentCount);
  const names = importable ? parentsOf(importable.definition) : [];
  const ids = id.split("/");
  if (!importable || ids.length !== parentCount) {
    return `must be ${names.map((name) => `<${toKebabCase(name)}>`).join("/")}, not ${JSON.stringify(id)}`;
  }
  const fields = Object.fromEntries(names.map((name) => [name, importable.definition.fields[name]!]));
  const args = Object.fromEntries(names.map((name, index) => [name, ids[index]!]));
  return findProblems({ fields }, args)[0]?.replace(/^\w+ /, "");
}

export async function listObjects(client: Client, importable: Importable): Promise<AccountObject[]> {
  if (importable.definition.kind !== "object") return [];
  const items: JsonObject[] = [];
  for await (const item of listItems(client, importable.definition)) items.push(item);
  return items.sort(compareByAge).map((item) => convertObject(importable, String(item.id), item));
}

/** Reads the module of the object with this id; undefined if it is not set. */
export async function readModule(
  client: Client,
  importable: Importable,
  id: string,
): Promise<AccountObject | undefined> {
  const module = await new Lookup(() => client).find(importable.definition, id);
  return module && convertObject(importable, id, module);
}

/** Sorts the oldest first, so that new objects do not change the names of others. */
function compareByAge(a: JsonObject, b: JsonObject): number {
  const [first, second] = [a, b].map((item) => Date.parse(String(item.created_at)) || 0) as [number, number];
  return first - second || (String(a.id) < String(b.id) ? -1 : 1);
}

const convertObject = (importable: Importable, id: string, response: JsonObject): AccountObject => ({
  importable,
  id,
  ...importedArgs(importable.definition, id, response),
});
