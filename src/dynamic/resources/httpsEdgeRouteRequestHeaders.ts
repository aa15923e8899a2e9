import type * as pulumi from "@pulumi/pulumi";
import {
  type HttpsEdgeRouteRequestHeadersProps,
  httpsEdgeRouteRequestHeaders,
} from "../../definitions/httpsEdgeRouteRequestHeaders";
import { invoke, invokeOutput, readOne } from "../program/invoke";
import { resource } from "../program/resource";
import type { Inputs, Named, Result } from "../program/types";

/** The arguments of an {@link HttpsEdgeRouteRequestHeaders}. */
export interface HttpsEdgeRouteRequestHeadersArgs extends Inputs<HttpsEdgeRouteRequestHeadersProps>, Named {}

/**
 * Headers to add to and remove from the requests of a route of an HTTPS edge. Changing `edgeId` or `routeId` sets the
 * module on the new route, then removes it from the old one.
 *
 * > [!WARNING]
 * > Creating this resource overwrites the module that the route already has. To compare the two first, use the `import`
 * > option with the id `<edge id>/<route id>`.
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
export class HttpsEdgeRouteRequestHeaders extends resource(httpsEdgeRouteRequestHeaders) {
  constructor(name: string, args: HttpsEdgeRouteRequestHeadersArgs, opts?: pulumi.CustomResourceOptions) {
    super(name, args, opts);
  }
}

/** The arguments of {@link getHttpsEdgeRouteRequestHeaders}. */
export interface GetHttpsEdgeRouteRequestHeadersArgs
  extends Pick<HttpsEdgeRouteRequestHeadersProps, "edgeId" | "routeId"> {}

/** The request headers module of a route of an HTTPS edge. */
export interface GetHttpsEdgeRouteRequestHeadersResult extends Result<HttpsEdgeRouteRequestHeadersProps> {}

const one = readOne<GetHttpsEdgeRouteRequestHeadersArgs, GetHttpsEdgeRouteRequestHeadersResult>(
  httpsEdgeRouteRequestHeaders,
);

/**
 * Reads the request headers module of a route of an HTTPS edge. Fails if the route has none.
 *
 * @example
 * ```ts
 * const { add, remove } = await tunnel.getHttpsEdgeRouteRequestHeaders({ edgeId: "edghts_2QSF…", routeId: "edghtsrt_2QSG…" });
 * ```
 */
export const getHttpsEdgeRouteRequestHeaders = invoke(one);

/** Like {@link getHttpsEdgeRouteRequestHeaders}, but accepts Outputs and returns an Output. */
export const getHttpsEdgeRouteRequestHeadersOutput = invokeOutput(one);
