import type * as pulumi from "@pulumi/pulumi";
import { type Definition, moduleRoutes } from "../definitions/definition";
import { headers, stringSet } from "../definitions/fields";
import { enabled } from "../definitions/modules";
import { engineType, TunnelResource } from "../dynamic/baseResource";
import { type RouteArgs, routeFields, routeParents } from "./routeArgs";

/** The arguments of an {@link HttpsEdgeRouteRequestHeaders}. */
export interface HttpsEdgeRouteRequestHeadersArgs extends RouteArgs {
  /**
   * Whether the module is applied to traffic.
   * @default true
   */
  enabled?: pulumi.Input<boolean>;
  /** The headers to put into requests before they go upstream. Names are sent exactly as written; values may be secrets. */
  add?: pulumi.Input<{ [name: string]: pulumi.Input<string> }>;
  /** The names of the headers to take out of requests before they go upstream. Their order has no meaning. */
  remove?: pulumi.Input<pulumi.Input<string>[]>;
}

export const httpsEdgeRouteRequestHeaders: Definition = {
  type: "HttpsEdgeRouteRequestHeaders",
  displayName: "request headers module of route",
  parents: routeParents,
  fields: {
    ...routeFields,
    enabled,
    add: headers(),
    remove: stringSet({ each: (schemas) => schemas.headerName(), default: [] }),
  },
  outputs: {},
  routes: moduleRoutes("/edges/https/{edge_id}/routes/{id}/request_headers"),
};

/**
 * Headers put into, and taken out of, the requests of a route of an HTTPS edge. It replaces whatever module of this
 * kind the route has; to look before you take one over, state the `import` option with `<edge id>/<route id>`.
 *
 * @example
 * ```ts
 * new tunnel.HttpsEdgeRouteRequestHeaders("headers", {
 *   edgeId: "edghts_2QSF…",
 *   routeId: "edghtsrt_2QSG…",
 *   add: { "X-Api-Key": config.requireSecret("upstreamKey") },
 *   remove: ["Cookie"],
 * });
 * ```
 */
export class HttpsEdgeRouteRequestHeaders extends TunnelResource {
  /** @internal */
  static readonly __pulumiType = engineType("HttpsEdgeRouteRequestHeaders");

  /** The HTTPS edge. */
  declare readonly edgeId: pulumi.Output<string>;
  /** The route of the edge. */
  declare readonly routeId: pulumi.Output<string>;
  /** Whether the module is applied to traffic. */
  declare readonly enabled: pulumi.Output<boolean>;
  /** The headers put into requests. */
  declare readonly add: pulumi.Output<{ [name: string]: string } | undefined>;
  /** The names of the headers taken out of requests. */
  declare readonly remove: pulumi.Output<string[]>;

  constructor(name: string, args: HttpsEdgeRouteRequestHeadersArgs, opts?: pulumi.CustomResourceOptions) {
    super(httpsEdgeRouteRequestHeaders, name, args, opts);
  }
}
