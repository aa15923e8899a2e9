import type * as pulumi from "@pulumi/pulumi";
import { type Definition, moduleRoutes } from "../definitions/definition";
import { stringSet } from "../definitions/fields";
import { enabled } from "../definitions/modules";
import { engineType, TunnelResource } from "../dynamic/baseResource";
import { type RouteArgs, routeFields, routeParents } from "./routeArgs";

/** The arguments of an {@link HttpsEdgeRouteUserAgentFilter}. */
export interface HttpsEdgeRouteUserAgentFilterArgs extends RouteArgs {
  /**
   * Whether the module is applied to traffic.
   * @default true
   */
  enabled?: pulumi.Input<boolean>;
  /** Regular expressions of the user agents to let in, such as `(?i)curl/.*`. Their order has no meaning. */
  allow?: pulumi.Input<pulumi.Input<string>[]>;
  /** Regular expressions of the user agents to keep out. Their order has no meaning. */
  deny?: pulumi.Input<pulumi.Input<string>[]>;
}

const patterns = () => stringSet({ each: (schemas) => schemas.pattern(), default: [] });

export const httpsEdgeRouteUserAgentFilter: Definition = {
  type: "HttpsEdgeRouteUserAgentFilter",
  displayName: "user agent filter of route",
  parents: routeParents,
  fields: { ...routeFields, enabled, allow: patterns(), deny: patterns() },
  outputs: {},
  routes: moduleRoutes("/edges/https/{edge_id}/routes/{id}/user_agent_filter"),
};

/**
 * Which user agents may send requests to a route of an HTTPS edge. It replaces whatever module of this kind the
 * route has; to look before you take one over, state the `import` option with `<edge id>/<route id>`.
 *
 * @example
 * ```ts
 * new tunnel.HttpsEdgeRouteUserAgentFilter("no-bots", {
 *   edgeId: "edghts_2QSF…",
 *   routeId: "edghtsrt_2QSG…",
 *   deny: ["(?i)bot", "(?i)crawler"],
 * });
 * ```
 */
export class HttpsEdgeRouteUserAgentFilter extends TunnelResource {
  /** @internal */
  static readonly __pulumiType = engineType("HttpsEdgeRouteUserAgentFilter");

  /** The HTTPS edge. */
  declare readonly edgeId: pulumi.Output<string>;
  /** The route of the edge. */
  declare readonly routeId: pulumi.Output<string>;
  /** Whether the module is applied to traffic. */
  declare readonly enabled: pulumi.Output<boolean>;
  /** Regular expressions of the user agents to let in. */
  declare readonly allow: pulumi.Output<string[]>;
  /** Regular expressions of the user agents to keep out. */
  declare readonly deny: pulumi.Output<string[]>;

  constructor(name: string, args: HttpsEdgeRouteUserAgentFilterArgs, opts?: pulumi.CustomResourceOptions) {
    super(httpsEdgeRouteUserAgentFilter, name, args, opts);
  }
}
