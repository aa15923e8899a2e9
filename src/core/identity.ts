/** The object or module of one id: its name in messages, and its paths. */

import { expand, type Route } from "../api/routes";
import { type Definition, paramsOf, routesOf } from "../definitions/definition";

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
