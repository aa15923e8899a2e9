/** What a resource is, as data. */

import type { Route } from "../api/routes";
import type { JsonObject } from "../json";
import type { Fields } from "./fields";

/** A list of the service: what is in it, and the name that its pages give to the items. */
export interface List {
  displayName: string;
  route: Route;
  key: string;
}

export interface Definition {
  /** The class's name, and the last part of the engine's type. */
  type: string;
  /** What a message calls it. */
  displayName: string;
  /** The arguments. */
  fields: Fields;
  /** What the service tells beyond the arguments, in camelCase. */
  outputs: Record<string, { secret?: true /** Told at creation alone. */; once?: true }>;
  routes: {
    /** A POST that makes an object, or a PUT that sets a module. */
    create: Route;
    read: Route;
    update: Route;
    delete: Route;
  };
  /**
   * A module resource's id is made of its parents' ids: which argument stands for which segment of the routes.
   * Such a resource is a module, stated whole.
   */
  parents?: Record<string, string>;
  /** Where all objects of this kind are listed. */
  list?: List;
  /** The argument whose value one object alone can have, and where the one that has it is found. */
  unique?: {
    argument: string;
    among: List[];
    /** What to do about the one that has it. */
    advice: string;
    /** Another object of the program may be about to give the value up: it is waited for. */
    awaited?: true;
  };
  /** Rules between arguments; each broken one as a sentence. Unknown values are left out of what is given. */
  rules?(args: JsonObject): string[];
  /** Whether a module that the program dropped must be gone before the service takes the new values. */
  removeBeforeUpdate?(module: string, args: JsonObject, before: JsonObject): boolean;
  /** Whether a replacement for these reasons would be refused while the old object is there. */
  deleteBeforeReplacing?(replaces: string[]): boolean;
  /** What to warn of before this one is deleted. */
  deleteWarning?(outputs: JsonObject, secrets: string[]): string | undefined;
  /** Made again only by force, and then in the way of its own replacement. */
  deleteBeforeReplace?: true;
  /** Where the service has no delete for it: it is emptied instead, with a warning. */
  clearIfUndeletable?: true;
}

/** The parameters of a definition's routes for the object of this id. */
export function paramsOf({ parents }: Pick<Definition, "parents">, id: string): Record<string, string> {
  if (!parents) return { id };
  const ids = id.split("/");
  const names = Object.keys(parents);
  if (ids.length !== names.length)
    throw new Error(`its id has ${ids.length} parts: write ${names.map((name) => `<${name}>`).join("/")}.`);
  return Object.fromEntries(Object.values(parents).map((segment, index) => [segment, ids[index] ?? ""]));
}

/** The id of a module resource, from its arguments. */
export const idFromParents = (parents: Record<string, string>, args: JsonObject) =>
  Object.keys(parents)
    .map((argument) => String(args[argument]))
    .join("/");

/** A module has one path: PUT sets it, GET shows it, DELETE takes it away. */
export const moduleRoutes = (path: `/${string}`): Definition["routes"] => ({
  create: `PUT ${path}`,
  read: `GET ${path}`,
  update: `PUT ${path}`,
  delete: `DELETE ${path}`,
});
