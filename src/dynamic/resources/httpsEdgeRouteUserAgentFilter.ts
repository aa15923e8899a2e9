import type * as pulumi from "@pulumi/pulumi";
import {
  type HttpsEdgeRouteUserAgentFilterProps,
  httpsEdgeRouteUserAgentFilter,
} from "../../definitions/httpsEdgeRouteUserAgentFilter";
import { invoke, invokeOutput, readOne } from "../program/invoke";
import { resource } from "../program/resource";
import type { Inputs, Named, Result } from "../program/types";

/** The arguments of an {@link HttpsEdgeRouteUserAgentFilter}. */
export interface HttpsEdgeRouteUserAgentFilterArgs extends Inputs<HttpsEdgeRouteUserAgentFilterProps>, Named {}

/**
 * Which user agents can send requests to a route of an HTTPS edge. Changing `edgeId` or `routeId` sets the module on
 * the new route, then removes it from the old one.
 *
 * > [!WARNING]
 * > Creating this resource overwrites the module that the route already has. To compare the two first, use the `import`
 * > option with the id `<edge id>/<route id>`.
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
export class HttpsEdgeRouteUserAgentFilter extends resource(httpsEdgeRouteUserAgentFilter) {
  constructor(name: string, args: HttpsEdgeRouteUserAgentFilterArgs, opts?: pulumi.CustomResourceOptions) {
    super(name, args, opts);
  }
}

/** The arguments of {@link getHttpsEdgeRouteUserAgentFilter}. */
export interface GetHttpsEdgeRouteUserAgentFilterArgs
  extends Pick<HttpsEdgeRouteUserAgentFilterProps, "edgeId" | "routeId"> {}

/** The user agent filter of a route of an HTTPS edge. */
export interface GetHttpsEdgeRouteUserAgentFilterResult extends Result<HttpsEdgeRouteUserAgentFilterProps> {}

const one = readOne<GetHttpsEdgeRouteUserAgentFilterArgs, GetHttpsEdgeRouteUserAgentFilterResult>(
  httpsEdgeRouteUserAgentFilter,
);

/**
 * Reads the user agent filter of a route of an HTTPS edge. Fails if the route has none.
 *
 * @example
 * ```ts
 * const { deny } = await tunnel.getHttpsEdgeRouteUserAgentFilter({ edgeId: "edghts_2QSF…", routeId: "edghtsrt_2QSG…" });
 * ```
 */
export const getHttpsEdgeRouteUserAgentFilter = invoke(one);

/** Like {@link getHttpsEdgeRouteUserAgentFilter}, but accepts Outputs and returns an Output. */
export const getHttpsEdgeRouteUserAgentFilterOutput = invokeOutput(one);
