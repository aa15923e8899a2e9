/** The places of a resource: its object or module, the modules of an edge, its hostports or its public key. */

import { expand, type Route } from "../../api/routes";
import { asList, isObject, type Json, type JsonObject } from "../../base/json";
import { quote } from "../../base/quote";
import { type Definition, moduleParams, type ObjectDefinition } from "../../definitions/definition";
import type { Field } from "../../definitions/fields/field";
import type { Options } from "../options";
import { hasUnknown } from "../unknown";
import type { Declaration, Places } from "./entries";
import { Identity } from "./identity";
import type { Register } from "./register";

interface Declared {
  /** The arguments in the state. */
  old?: JsonObject;
  desired: JsonObject;
  /** The id of an object that is imported, or of a module, where it is known. */
  id?: string;
}

/** What a resource declares, as far as its check knows. The modules of an edge that may be new are at the edge's key. */
export function placesOfCheck(
  register: Register,
  definition: Definition,
  { old = {}, desired, id }: Declared,
  { key, edgeKey }: Options,
): Places {
  const kept = id === undefined ? {} : placesOf(new Identity(definition, id), desired, { isNew: true });
  if (definition.kind === "object") {
    const atKey = (route: Route) => expand(route, { id: key }).path;
    const isNew = (name: string) => !isObject(old[name]);
    return {
      ...uniquePlaces(register, definition, desired, old),
      ...modulePlaces(definition, desired, atKey, (module) => ({ name: module, isNew: isNew(module) })),
      ...kept,
    };
  }
  const isNew = definition.parents.some((name) => desired[name] !== old[name]);
  const atKey = edgeKey && expand(`PUT ${definition.route}`, moduleParams(definition, [edgeKey])).path;
  const name = `The ${definition.displayName.split(" of ")[0]} of its edge`;
  const places: Places = { ...kept, ...(atKey !== undefined && { [atKey]: { name: "" } }) };
  return Object.fromEntries(Object.entries(places).map(([place, each]) => [place, { ...each, name, isNew }]));
}

/** What a resource keeps, or has created: the object or module with its id, and the modules of an object. */
export function placesOf(
  identity: Identity,
  desired: JsonObject,
  traits: Partial<Declaration>,
  isNew: (module: string) => boolean = () => false,
): Places {
  const { definition, name: title } = identity;
  const isModuleResource = definition.kind === "module";
  const own = { [identity.path()]: { name: title, title, value: desired, isModuleResource, ...traits } };
  const atId = (route: Route) => identity.path(route);
  const declare = (name: string, value: JsonObject, { module }: Field) => ({
    ...{ name, title: `${name} of ${title}`, value, ...traits },
    isNew: module!.put !== undefined && isNew(name),
  });
  return { ...own, ...modulePlaces(definition, desired, atId, declare, "remove") };
}

/** The places of an edge's modules; by default, only of those that can also be resources of their own. */
function modulePlaces(
  { fields }: Definition,
  args: JsonObject,
  placeOf: (route: Route) => string,
  declare: (name: string, value: JsonObject, field: Field) => Declaration,
  operation: "put" | "remove" = "put",
): Places {
  const places = Object.entries<Field>(fields).flatMap(([name, field]) => {
    const [route, value] = [field.module?.[operation], args[name]];
    return route !== undefined && isObject(value) ? [[placeOf(route), declare(name, value, field)]] : [];
  });
  return Object.fromEntries(places);
}

/** The value, or the items of the list, that only one object can have. */
function uniquePlaces(
  register: Register,
  { fields, unique }: ObjectDefinition,
  args: JsonObject,
  old: JsonObject,
): Places {
  if (!unique) return {};
  const { argument, normalize } = unique;
  const before = new Set(knownValues(old[argument]).map(normalize));
  const places = knownValues(args[argument]).map((value) => {
    const name = fields[argument]!.quotable ? `${argument}: ${quote(value)}` : argument;
    return [uniquePlace(register, unique, value), { name, isNew: !before.has(normalize(value)) }];
  });
  return Object.fromEntries(places);
}

const knownValues = (value: Json | undefined) => asList(value).filter((each) => !hasUnknown(each)) as string[];

type Unique = Pick<NonNullable<ObjectDefinition["unique"]>, "argument" | "normalize">;

/** The place of a hostport or a public key: a hash, which only processes with the same account can compute. */
const uniquePlace = (register: Register, { argument, normalize }: Unique, value: string): string =>
  register.hash(`${argument} ${normalize(value)}`);

/** The places of what only one object can have, of these arguments. */
export const uniquePlacesOf = (register: Register, unique: Unique, args: JsonObject): string[] =>
  knownValues(args[unique.argument]).map((value) => uniquePlace(register, unique, value));
