import type * as pulumi from "@pulumi/pulumi";
import { readOne } from "../core/query";
import { invoke, invokeOutput, type OutputArgs } from "../dynamic/invoke";
import { httpsEdgeRouteUserAgentFilter } from "../resources/httpsEdgeRouteUserAgentFilter";

/** The arguments of {@link getHttpsEdgeRouteUserAgentFilter}. */
export interface GetHttpsEdgeRouteUserAgentFilterArgs {
  /** The HTTPS edge, `edghts_…`. */
  edgeId: string;
  /** The route of the edge, `edghtsrt_…`. */
  routeId: string;
}

/** The user agent filter of a route of an HTTPS edge. */
export interface GetHttpsEdgeRouteUserAgentFilterResult {
  /** The HTTPS edge. */
  readonly edgeId: string;
  /** The route of the edge. */
  readonly routeId: string;
  /** Whether the module is applied to traffic. */
  readonly enabled: boolean;
  /** Regular expressions of the user agents to let in. */
  readonly allow: string[];
  /** Regular expressions of the user agents to keep out. */
  readonly deny: string[];
}

const one = readOne<GetHttpsEdgeRouteUserAgentFilterArgs, GetHttpsEdgeRouteUserAgentFilterResult>(
  "getHttpsEdgeRouteUserAgentFilter",
  httpsEdgeRouteUserAgentFilter,
);

/**
 * Reads the user agent filter of a route of an HTTPS edge; a route without one is an error.
 *
 * @example
 * ```ts
 * const { deny } = await tunnel.getHttpsEdgeRouteUserAgentFilter({ edgeId: "edghts_2QSF…", routeId: "edghtsrt_2QSG…" });
 * ```
 */
export function getHttpsEdgeRouteUserAgentFilter(
  args: GetHttpsEdgeRouteUserAgentFilterArgs,
  opts?: pulumi.InvokeOptions,
): Promise<GetHttpsEdgeRouteUserAgentFilterResult> {
  return invoke(one, args, opts);
}

/** As {@link getHttpsEdgeRouteUserAgentFilter}, for arguments that are Outputs. */
export function getHttpsEdgeRouteUserAgentFilterOutput(
  args: OutputArgs<GetHttpsEdgeRouteUserAgentFilterArgs>,
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetHttpsEdgeRouteUserAgentFilterResult> {
  return invokeOutput(one, args, opts);
}
