/** What a resource declares and only one resource of a program can: hostports, a public key, modules of an edge. */

import { type Definition, moduleId, type ObjectDefinition } from "../../definitions/definition";
import type { Field } from "../../definitions/fields";
import { asList, isObject, type Json, type JsonObject } from "../../json";
import { quote } from "../../quote";
import type { Options } from "../options";
import { managedArgs, type State, topLevelNames } from "../state";
import { hasUnknown } from "../unknown";
import type { Place } from "./claims";
import type { Deployment } from "./deployment";
import type { Remote } from "./remote";

/** Claims what a resource declares, as far as its check knows. Returns what other resources make impossible. */
export function claimDeclared(
  { claims }: Deployment,
  definition: Definition,
  old: JsonObject | undefined,
  args: JsonObject,
  options: Options,
): string[] {
  if (!old && options.edge?.hasOtherProvider) {
    return [
      `edgeId is the id of ${options.edge.resource}, which has another provider. Declare this resource with the ` +
        "provider of the edge and run `pulumi up`. Then change its provider, and run `pulumi up` again.",
    ];
  }
  const { desired } = managedArgs(definition, args, options);
  return claims.replace(options, placesOf(definition, desired, old ?? {}, options));
}

/** Claims an edge's modules by the edge's id, which check does not know. */
export function claimModules(
  { definition, deployment, id }: Remote,
  { managed }: State,
  desired: JsonObject,
  options: Options,
): string[] {
  if (definition.kind !== "object") return [];
  const places = modulePlaces(definition, id, desired, (name) => topLevelNames(managed).has(name));
  return deployment.claims.add(options, places);
}

/** As far as the arguments say. `old` are those in the state. */
function placesOf(definition: Definition, args: JsonObject, old: JsonObject, { key, edge }: Options): Place[] {
  if (definition.kind === "object") {
    return [
      ...uniquePlaces(definition, args, old),
      ...modulePlaces(definition, key, args, (name) => isObject(old[name])),
    ];
  }
  const { displayName, parents, route } = definition;
  const isKnown = !hasUnknown(parents.map((name) => args[name]));
  const isOld = parents.every((name) => args[name] === old[name]);
  const name = `The ${displayName.split(" of ")[0]} of its edge`;
  const edges = [edge?.key, isKnown ? moduleId(definition, args) : undefined];
  return edges.filter((each) => each !== undefined).map((each) => ({ id: `${each} ${route}`, name, isOld }));
}

/** The modules that can also be resources of their own, of an edge that is known by its key or its id. */
function modulePlaces(
  { fields }: ObjectDefinition,
  edge: string,
  args: JsonObject,
  isOld: (name: string) => boolean,
): Place[] {
  return Object.entries<Field>(fields).flatMap(([name, { module }]) => {
    const [, route] = module?.put?.split(" ") ?? [];
    return route !== undefined && isObject(args[name]) ? [{ id: `${edge} ${route}`, name, isOld: isOld(name) }] : [];
  });
}

/** The value, or the items of the list, that only one object can have. */
function uniquePlaces({ fields, unique }: ObjectDefinition, args: JsonObject, old: JsonObject): Place[] {
  if (!unique) return [];
  const { argument, normalize } = unique;
  const valuesOf = (value: Json | undefined) => asList(value).filter((each) => !hasUnknown(each)) as string[];
  const before = new Set(valuesOf(old[argument]).map(normalize));
  return valuesOf(args[argument]).map((value) => {
    const name = fields[argument]!.quotable ? `${argument}: ${quote(value)}` : argument;
    return { id: `${argument} ${normalize(value)}`, name, isOld: before.has(normalize(value)) };
  });
}
