/** The places of a resource, and how the message of a conflict names each: `ipRestriction`, `hostports: "a.example:1"`. */

import { expand, type Route } from "../../api/routes";
import { asList, isObject, type Json, type JsonObject } from "../../base/json";
import { quote } from "../../base/quote";
import {
  type Definition,
  displayNameOf,
  type Identity,
  type ModuleDefinition,
  moduleParams,
  type ObjectDefinition,
  pathOf,
} from "../../definitions/definition";
import type { Field } from "../../definitions/fields/field";
import type { Options } from "../options";
import { hasUnknown } from "../unknown";

/** The path of an object or module, or the hash of a hostport or public key. */
type Place = string;

export type Places = Record<Place, string>;

type Hash = (text: string) => string;

/** What is known of a resource when it is checked. Arguments may be invalid: then they claim nothing. */
interface Checked {
  definition: Definition;
  /** The arguments in the state. */
  old?: JsonObject;
  args: JsonObject;
  desired: JsonObject;
}

/** What a resource claims when it is checked. */
export const placesOfCheck = (checked: Checked, hash: Hash, options: Options): Places =>
  checked.definition.kind === "object"
    ? placesOfObject(checked.definition, checked, hash, options)
    : placesOfModule(checked.definition, checked.args, options);

/**
 * The id of an object is known only if the object is imported. A new edge has none: its modules are at the key of its
 * resource, where `new TcpEdgeIpRestriction("own", { edgeId: edge.id, … })` claims a place, too.
 */
function placesOfObject(definition: ObjectDefinition, { old, desired }: Checked, hash: Hash, options: Options): Places {
  const { key, importId, isImport } = options;
  // When a plugin checks what the engine has imported, it does not know yet which modules ignoreChanges names.
  const imported = isImport ? {} : desired;
  return {
    ...uniquePlaces(definition, desired, hash),
    ...modulePlaces(definition, desired, "put", (route) => expand(route, { id: key }).path),
    ...((!old || isImport) && isId(importId) && placesOf({ definition, id: importId }, imported)),
  };
}

/** A module is at the id of its edge, and at the key of its edge's resource, as far as they are known. */
function placesOfModule(definition: ModuleDefinition, args: JsonObject, { edgeKey }: Options): Places {
  const ids = parentIds(definition, args);
  const known = [...(ids ? [ids] : []), ...(edgeKey === undefined ? [] : [[edgeKey]])];
  const paths = known.map((each) => expand(`PUT ${definition.route}`, moduleParams(definition, each)).path);
  return Object.fromEntries(
    paths.map((place) => [place, `The ${definition.displayName.split(" of ")[0]} of its edge`]),
  );
}

/** The ids of a module's parents, if all are known. */
export function parentIds({ parents }: ModuleDefinition, args: JsonObject): string[] | undefined {
  const ids = parents.map((name) => args[name]);
  return ids.every(isId) ? ids : undefined;
}

const isId = (value: Json | undefined): value is string =>
  typeof value === "string" && /^[\w-]+$/.test(value) && !hasUnknown(value);

/** What a resource with an id claims: the object or module, and the modules of an object. */
export function placesOf(identity: Identity, desired: JsonObject): Places {
  return {
    [pathOf(identity)]: displayNameOf(identity),
    ...modulePlaces(identity.definition, desired, "remove", (route) => pathOf(identity, route)),
  };
}

/** The modules of an edge that it declares. Only some of them can be resources of their own: the API has a PUT for these. */
function modulePlaces(
  { fields }: Definition,
  desired: JsonObject,
  operation: "put" | "remove",
  placeOf: (route: Route) => Place,
): Places {
  const places = Object.entries<Field>(fields).flatMap(([name, { module }]) => {
    const route = module?.[operation];
    return route !== undefined && isObject(desired[name]) ? [[placeOf(route), name]] : [];
  });
  return Object.fromEntries(places);
}

/** The value, or the items of the list, that only one object of the account can have. */
export function uniquePlaces(
  { fields, unique }: Pick<ObjectDefinition, "fields" | "unique">,
  args: JsonObject,
  hash: Hash,
): Places {
  if (!unique) return {};
  const { argument, normalize } = unique;
  const values = asList(args[argument]).filter((value) => typeof value === "string" && !hasUnknown(value)) as string[];
  const nameOf = (value: string) => (fields[argument]!.quotable ? `${argument}: ${quote(value)}` : argument);
  return Object.fromEntries(values.map((value) => [hash(`${argument} ${normalize(value)}`), nameOf(value)]));
}

/** A module of an edge that can also be a resource of its own: the API has a PUT for it. */
interface SharedModule {
  name: string;
  path: string;
}

export const sharedModules = (edge: Identity): SharedModule[] =>
  Object.entries<Field>(edge.definition.fields).flatMap(([name, { module }]) =>
    module?.put ? [{ name, path: pathOf(edge, module.put) }] : [],
  );
