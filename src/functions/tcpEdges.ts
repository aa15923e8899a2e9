import type * as pulumi from "@pulumi/pulumi";
import { equalsField, readList, readOne } from "../core/query";
import type { BackendArgs, IpRestrictionArgs, PolicyArgs, Resolved } from "../definitions/modules";
import { invoke, invokeOutput, type OutputArgs } from "../dynamic/invoke";
import { tcpEdge } from "../resources/tcpEdge";

/** The arguments of {@link getTcpEdge}. */
export interface GetTcpEdgeArgs {
  /** The edge, `edgtcp_…`. */
  id: string;
}

/** A TCP edge with its modules. */
export interface GetTcpEdgeResult {
  /** The edge's id, `edgtcp_…`. */
  readonly id: string;
  /** What the edge is for. */
  readonly description: string | undefined;
  /** Data of your own. */
  readonly metadata: string | undefined;
  /** The `<host>:<port>` pairs that the edge listens on. */
  readonly hostports: string[];
  /** The backend that receives the traffic. */
  readonly backend: Resolved<BackendArgs> | undefined;
  /** Which source addresses may connect. */
  readonly ipRestriction: Resolved<IpRestrictionArgs> | undefined;
  /** The traffic policy. */
  readonly policy: Resolved<PolicyArgs> | undefined;
  /** When the edge was created, RFC 3339. */
  readonly createdAt: string;
  /** The edge's address in the API. */
  readonly uri: string;
}

/** The filters of {@link getTcpEdges}: an edge must be what all of them say. */
export interface GetTcpEdgesArgs {
  /** What the edge is for; `""` for edges without. */
  description?: string;
  /** Data of your own; `""` for edges without. */
  metadata?: string;
  /** A `<host>:<port>` pair that the edge listens on, among others, in any case of letters. */
  hostport?: string;
  /** The id of the backend that receives the traffic. */
  backendId?: string;
  /** The id of an IP policy that restricts the edge, among others. */
  ipPolicyId?: string;
}

/** The result of {@link getTcpEdges}. */
export interface GetTcpEdgesResult {
  /** The edges, of all pages. */
  readonly tcpEdges: GetTcpEdgeResult[];
}

const one = readOne<GetTcpEdgeArgs, GetTcpEdgeResult>("getTcpEdge", tcpEdge);

const all = readList<GetTcpEdgesArgs, GetTcpEdgesResult>("getTcpEdges", tcpEdge, {
  description: equalsField("description"),
  metadata: equalsField("metadata"),
  hostport: ({ hostports }, wanted) => hostports.some((each) => each.toLowerCase() === wanted.toLowerCase()),
  backendId: ({ backend }, id) => backend?.backendId === id,
  ipPolicyId: ({ ipRestriction }, id) => ipRestriction?.ipPolicyIds.includes(id) ?? false,
});

/**
 * Reads a TCP edge with its modules.
 *
 * @example
 * ```ts
 * const { hostports } = await tunnel.getTcpEdge({ id: "edgtcp_2QSD…" });
 * ```
 */
export function getTcpEdge(args: GetTcpEdgeArgs, opts?: pulumi.InvokeOptions): Promise<GetTcpEdgeResult> {
  return invoke(one, args, opts);
}

/** As {@link getTcpEdge}, for arguments that are Outputs. */
export function getTcpEdgeOutput(
  args: OutputArgs<GetTcpEdgeArgs>,
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetTcpEdgeResult> {
  return invokeOutput(one, args, opts);
}

/**
 * Reads all TCP edges with their modules, or those that the filters want.
 *
 * @example
 * ```ts
 * const { tcpEdges } = await tunnel.getTcpEdges({ ipPolicyId: "ipp_2QSC…" });
 * ```
 */
export function getTcpEdges(args: GetTcpEdgesArgs = {}, opts?: pulumi.InvokeOptions): Promise<GetTcpEdgesResult> {
  return invoke(all, args, opts);
}

/** As {@link getTcpEdges}, for filters that are Outputs. */
export function getTcpEdgesOutput(
  args: OutputArgs<GetTcpEdgesArgs> = {},
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetTcpEdgesResult> {
  return invokeOutput(all, args, opts);
}
