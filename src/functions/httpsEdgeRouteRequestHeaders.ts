import type * as pulumi from "@pulumi/pulumi";
import { readOne } from "../core/query";
import { invoke, invokeOutput, type OutputArgs } from "../dynamic/invoke";
import { httpsEdgeRouteRequestHeaders } from "../resources/httpsEdgeRouteRequestHeaders";

/** The arguments of {@link getHttpsEdgeRouteRequestHeaders}. */
export interface GetHttpsEdgeRouteRequestHeadersArgs {
  /** The HTTPS edge, `edghts_…`. */
  edgeId: string;
  /** The route of the edge, `edghtsrt_…`. */
  routeId: string;
}

/** The request headers module of a route of an HTTPS edge. */
export interface GetHttpsEdgeRouteRequestHeadersResult {
  /** The HTTPS edge. */
  readonly edgeId: string;
  /** The route of the edge. */
  readonly routeId: string;
  /** Whether the module is applied to traffic. */
  readonly enabled: boolean;
  /** The headers put into requests, with their names exactly as written. */
  readonly add: { readonly [name: string]: string } | undefined;
  /** The names of the headers taken out of requests. */
  readonly remove: string[];
}

const one = readOne<GetHttpsEdgeRouteRequestHeadersArgs, GetHttpsEdgeRouteRequestHeadersResult>(
  "getHttpsEdgeRouteRequestHeaders",
  httpsEdgeRouteRequestHeaders,
);

/**
 * Reads the request headers module of a route of an HTTPS edge; a route without one is an error.
 *
 * @example
 * ```ts
 * const { add, remove } = await tunnel.getHttpsEdgeRouteRequestHeaders({ edgeId: "edghts_2QSF…", routeId: "edghtsrt_2QSG…" });
 * ```
 */
export function getHttpsEdgeRouteRequestHeaders(
  args: GetHttpsEdgeRouteRequestHeadersArgs,
  opts?: pulumi.InvokeOptions,
): Promise<GetHttpsEdgeRouteRequestHeadersResult> {
  return invoke(one, args, opts);
}

/** As {@link getHttpsEdgeRouteRequestHeaders}, for arguments that are Outputs. */
export function getHttpsEdgeRouteRequestHeadersOutput(
  args: OutputArgs<GetHttpsEdgeRouteRequestHeadersArgs>,
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetHttpsEdgeRouteRequestHeadersResult> {
  return invokeOutput(one, args, opts);
}
