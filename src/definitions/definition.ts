// biome-ignore-all lint/suspicious/noExplicitAny: a definition of any resource

/** What a resource is, as data. */

import { expand, type Params, type Route } from "../api/routes";
import type { JsonObject } from "../base/json";
import type { Field, Fields, FieldsOf, ReadFieldsOf } from "./fields/field";
import type { Filters } from "./filters";

interface ResourceDefinition<Props, Computed> {
  /** The class's name, and the last part of the engine's type. */
  type: string;
  /** What messages call it. */
  displayName: string;
  /** The arguments. */
  fields: FieldsOf<Props>;
  /** What the service assigns, beside the id: outputs that are not arguments. */
  computed: { [Name in Exclude<keyof Computed, "id">]: ComputedField };
}

/** What is wrong with an argument: `cannot be combined with …`. */
export interface Problem {
  /** The argument: `["policy", "inbound", 0, "name"]`. */
  path: (string | number)[];
  message: string;
}

interface ComputedField {
  secret?: true;
  /** The service returns it only on creation. */
  createOnly?: true;
}

/** What the service assigns to every object, beside its id. */
export interface Assigned {
  /** The creation time, in RFC 3339 format. */
  createdAt: string;
  /** The object's address in the API. */
  uri: string;
}

/** An object with an id of its own: a POST creates it, a PATCH updates it. */
export interface ObjectDefinition<Props = any, Computed = any, Wanted = any>
  extends ResourceDefinition<Props, Computed> {
  kind: "object";
  /** The type's plural: the function that reads the list is called `get<plural>`. */
  plural: string;
  routes: Routes;
  /** Where all objects of this kind are listed. */
  list: List;
  /** The filters of the function that reads the list. */
  filters: Filters<Wanted, Props & Computed>;
  /** The argument whose value only one object can have, and the lists of objects that may have it. */
  unique?: {
    argument: keyof Props & string;
    among: List[];
    /** The same string for equal values, or for equal items of a list. */
    normalize(value: string): string;
    /** What the user can do about the object that has it. */
    fix: string;
  };
  /** Whether dropped modules must be removed before the service accepts the new values; `known` is what it has for sure. */
  removeBeforeUpdate?(args: JsonObject, known: JsonObject): boolean;
  /** What a dropped module is set to until it is removed, if the service does not accept new protection with it. */
  setUntilRemoved?(module: string, known: JsonObject): JsonObject | undefined;
  /** Whether the service would reject a replacement because of these arguments while the old object exists. */
  deleteBeforeReplaceWhen?(replaces: string[]): boolean;
  /** What to warn of before this object is deleted. */
  deleteWarning?(outputs: JsonObject, apiKey: string): string | undefined;
  /** Whether it is deleted before its replacement is created, which needs what it has: its hostports. */
  deleteBeforeReplace?: true;
  /** Whether services may lack its DELETE: then it is cleared instead, with a warning. */
  clearIfUndeletable?: true;
}

/** A module of another object, declared as a resource of its own: a PUT sets it whole. */
export interface ModuleDefinition<Props = any, Computed = object> extends ResourceDefinition<Props, Computed> {
  kind: "module";
  /** The arguments whose values are the ids in the route, in its order, and make up the resource's id. */
  parents: (keyof Props & string)[];
  /** The module's one path. */
  route: `/${string}`;
  /** Whether it restricts who can reach the object. */
  protects?: true;
}

export type Definition<Props = any, Computed = any> =
  | ObjectDefinition<Props, Computed>
  | ModuleDefinition<Props, Computed>;

/** An object that agents create: functions read it while it is online, and no resource manages it. */
export interface ReadOnlyDefinition<Props = any, Wanted = any> {
  kind: "readOnly";
  /** The functions are called `get<type>` and `get<plural>`. */
  type: string;
  plural: string;
  displayName: string;
  fields: ReadFieldsOf<Props>;
  route: Route;
  list: List;
  filters: Filters<Wanted, Props>;
  /** Why an object that existed may not be found. */
  absent: string;
}

/** What functions can read. */
export type Readable = Definition | ReadOnlyDefinition;

/** Commands to an agent: events, of which the service keeps nothing. */
export interface CommandDefinition<Props = any, Computed = any> extends ResourceDefinition<Props, Computed> {
  kind: "command";
  /** Where each command is sent. */
  routes: Record<AgentCommand, Route>;
}

/** A command that an agent can run. */
export type AgentCommand = "update" | "restart" | "stop";

/** A list of objects, and the name that its pages give to the items. */
export interface List {
  displayName: string;
  route: Route;
  key: string;
}

interface Routes {
  create: Route;
  read: Route;
  update: Route;
  delete: Route;
}

export function routesOf(definition: Definition): Routes {
  if (definition.kind === "object") return definition.routes;
  const { route } = definition;
  return { create: `PUT ${route}`, read: `GET ${route}`, update: `PUT ${route}`, delete: `DELETE ${route}` };
}

/** The names of the arguments that make up a resource's id; an object's id is the service's. */
export const parentsOf = (definition: Readable): string[] => (definition.kind === "module" ? definition.parents : []);

/** The parameters of a definition's routes, for the object or module of this id. */
export function paramsOf(definition: Readable, id: string): Params {
  if (definition.kind !== "module") return { id };
  const { parents } = definition;
  const ids = id.split("/");
  if (ids.length !== parents.length) {
    throw new Error(`its id must be ${parents.map((name) => `<${name}>`).join("/")}, not "${id}".`);
  }
  return moduleParams(definition, ids);
}

/** The parameters of a module's route, from the ids of its parents. */
export function moduleParams({ route }: Pick<ModuleDefinition, "route">, ids: string[]): Params {
  const names = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  return Object.fromEntries(names.map((name, index) => [name, ids[index]!]));
}

/** The fields without those that are in the path: what requests and responses contain. */
export function ownFields(definition: Definition): Fields {
  const parents = parentsOf(definition);
  return Object.fromEntries(Object.entries<Field>(definition.fields).filter(([name]) => !parents.includes(name)));
}

/** A module resource's id, from its arguments. */
export const moduleId = ({ parents }: Pick<ModuleDefinition, "parents">, args: JsonObject): string =>
  parents.map((name) => String(args[name])).join("/");

/** The arguments that a module resource's id stands for. */
export function parentArgs(definition: Definition, id: string): JsonObject {
  const ids = id.split("/");
  return Object.fromEntries(parentsOf(definition).map((name, index) => [name, ids[index]!]));
}

/** The object or module of one id. */
export interface Identity<D extends Definition = Definition> {
  definition: D;
  id: string;
}

/** As messages name it: `TCP edge edgtcp_…`. */
export const displayNameOf = ({ definition, id }: Identity): string => `${definition.displayName} ${id}`;

/** The path of one of its operations; by default its own path, that of its DELETE. */
export const pathOf = ({ definition, id }: Identity, route: Route = routesOf(definition).delete): string =>
  expand(route, paramsOf(definition, id)).path;

/** The path of the object that it is, or that the module belongs to. */
export function objectPathOf(identity: Identity): string {
  const { delete: route } = routesOf(identity.definition);
  return pathOf(identity, route.slice(0, route.indexOf("}") + 1) as Route);
}
