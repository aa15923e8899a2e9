import type * as pulumi from "@pulumi/pulumi";
import { readOne } from "../core/query";
import { invoke, invokeOutput, type OutputArgs } from "../dynamic/invoke";
import { tcpEdgeIpRestriction } from "../resources/tcpEdgeIpRestriction";

/** The arguments of {@link getTcpEdgeIpRestriction}. */
export interface GetTcpEdgeIpRestrictionArgs {
  /** The TCP edge, `edgtcp_…`. */
  edgeId: string;
}

/** The IP restriction of a TCP edge. */
export interface GetTcpEdgeIpRestrictionResult {
  /** The TCP edge. */
  readonly edgeId: string;
  /** Whether the module is applied to traffic. */
  readonly enabled: boolean;
  /** The ids of the IP policies. */
  readonly ipPolicyIds: string[];
}

const one = readOne<GetTcpEdgeIpRestrictionArgs, GetTcpEdgeIpRestrictionResult>(
  "getTcpEdgeIpRestriction",
  tcpEdgeIpRestriction,
);

/**
 * Reads the IP restriction of a TCP edge; an edge without one is an error.
 *
 * @example
 * ```ts
 * const { ipPolicyIds } = await tunnel.getTcpEdgeIpRestriction({ edgeId: "edgtcp_2QSD…" });
 * ```
 */
export function getTcpEdgeIpRestriction(
  args: GetTcpEdgeIpRestrictionArgs,
  opts?: pulumi.InvokeOptions,
): Promise<GetTcpEdgeIpRestrictionResult> {
  return invoke(one, args, opts);
}

/** As {@link getTcpEdgeIpRestriction}, for arguments that are Outputs. */
export function getTcpEdgeIpRestrictionOutput(
  args: OutputArgs<GetTcpEdgeIpRestrictionArgs>,
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetTcpEdgeIpRestrictionResult> {
  return invokeOutput(one, args, opts);
}
