import type { ModuleDefinition } from "./definition";
import { stringSet } from "./fields/fieldTypes";
import { regexes } from "./fields/valueTypes";
import { type EdgeRoute, edgeRoute, enabled, type ModuleProps } from "./modules";

/** The user agent filter of a route of an HTTPS edge. */
export interface HttpsEdgeRouteUserAgentFilterProps extends EdgeRoute, ModuleProps {
  /** Regular expressions for the user agents to allow, such as `(?i)curl/.*`. The order does not matter. */
  allow?: string[];
  /** Regular expressions for the user agents to deny. The order does not matter. */
  deny?: string[];
}

export const httpsEdgeRouteUserAgentFilter: ModuleDefinition<HttpsEdgeRouteUserAgentFilterProps> = {
  kind: "module",
  type: "HttpsEdgeRouteUserAgentFilter",
  displayName: "user agent filter of route",
  parents: ["edgeId", "routeId"],
  route: "/edges/https/{edge_id}/routes/{id}/user_agent_filter",
  protects: true,
  fields: {
    ...edgeRoute,
    enabled,
    allow: stringSet({ items: regexes, default: [] }),
    deny: stringSet({ items: regexes, default: [] }),
  },
  computed: {},
};
