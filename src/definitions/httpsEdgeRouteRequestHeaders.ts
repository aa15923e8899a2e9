import type { ModuleDefinition } from "./definition";
import { headerNames, headers } from "./fields/fieldTypes";
import { type EdgeRoute, edgeRoute, enabled, type ModuleProps } from "./modules";

/** The request headers module of a route of an HTTPS edge. */
export interface HttpsEdgeRouteRequestHeadersProps extends EdgeRoute, ModuleProps {
  /**
   * The headers to add to requests before they are sent upstream. Names are sent as written, and a change of their case
   * is no change. Values can be secrets.
   */
  add?: { [name: string]: string };
  /** The names of the headers to remove from requests before they are sent upstream. The order and case do not matter. */
  remove?: string[];
}

export const httpsEdgeRouteRequestHeaders: ModuleDefinition<HttpsEdgeRouteRequestHeadersProps> = {
  kind: "module",
  type: "HttpsEdgeRouteRequestHeaders",
  displayName: "request headers module of route",
  parents: ["edgeId", "routeId"],
  route: "/edges/https/{edge_id}/routes/{id}/request_headers",
  fields: {
    ...edgeRoute,
    enabled,
    add: headers(),
    remove: headerNames(),
  },
  computed: {},
};
