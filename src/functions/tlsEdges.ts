import type * as pulumi from "@pulumi/pulumi";
import { equalsField, readList, readOne } from "../core/query";
import type {
  BackendArgs,
  IpRestrictionArgs,
  MutualTlsArgs,
  PolicyArgs,
  Resolved,
  TlsTerminationArgs,
} from "../definitions/modules";
import { invoke, invokeOutput, type OutputArgs } from "../dynamic/invoke";
import { tlsEdge } from "../resources/tlsEdge";

/** The arguments of {@link getTlsEdge}. */
export interface GetTlsEdgeArgs {
  /** The edge, `edgtls_…`. */
  id: string;
}

/** A TLS edge with its modules. */
export interface GetTlsEdgeResult {
  /** The edge's id, `edgtls_…`. */
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
  /** Which certificates clients must show. */
  readonly mutualTls: Resolved<MutualTlsArgs> | undefined;
  /** Where and how TLS is terminated. */
  readonly tlsTermination: Resolved<TlsTerminationArgs> | undefined;
  /** The traffic policy. */
  readonly policy: Resolved<PolicyArgs> | undefined;
  /** When the edge's configuration was created, RFC 3339. */
  readonly createdAt: string;
  /** The edge's address in the API. */
  readonly uri: string;
}

/** The filters of {@link getTlsEdges}: an edge must be what all of them say. */
export interface GetTlsEdgesArgs {
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
  /** The id of a certificate authority that mutual TLS trusts, among others. */
  certificateAuthorityId?: string;
  /** Where TLS is terminated. */
  terminateAt?: "edge" | "upstream";
  /** The lowest TLS version accepted. */
  minVersion?: string;
}

/** The result of {@link getTlsEdges}. */
export interface GetTlsEdgesResult {
  /** The edges, of all pages. */
  readonly tlsEdges: GetTlsEdgeResult[];
}

const one = readOne<GetTlsEdgeArgs, GetTlsEdgeResult>("getTlsEdge", tlsEdge);

const all = readList<GetTlsEdgesArgs, GetTlsEdgesResult>("getTlsEdges", tlsEdge, {
  description: equalsField("description"),
  metadata: equalsField("metadata"),
  hostport: ({ hostports }, wanted) => hostports.some((each) => each.toLowerCase() === wanted.toLowerCase()),
  backendId: ({ backend }, id) => backend?.backendId === id,
  ipPolicyId: ({ ipRestriction }, id) => ipRestriction?.ipPolicyIds.includes(id) ?? false,
  certificateAuthorityId: ({ mutualTls }, id) => mutualTls?.certificateAuthorityIds.includes(id) ?? false,
  terminateAt: ({ tlsTermination }, wanted) => tlsTermination?.terminateAt === wanted,
  minVersion: ({ tlsTermination }, wanted) => tlsTermination?.minVersion === wanted,
});

/**
 * Reads a TLS edge with its modules.
 *
 * @example
 * ```ts
 * const { hostports } = await tunnel.getTlsEdge({ id: "edgtls_2QSD…" });
 * ```
 */
export function getTlsEdge(args: GetTlsEdgeArgs, opts?: pulumi.InvokeOptions): Promise<GetTlsEdgeResult> {
  return invoke(one, args, opts);
}

/** As {@link getTlsEdge}, for arguments that are Outputs. */
export function getTlsEdgeOutput(
  args: OutputArgs<GetTlsEdgeArgs>,
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetTlsEdgeResult> {
  return invokeOutput(one, args, opts);
}

/**
 * Reads all TLS edges with their modules, or those that the filters want.
 *
 * @example
 * ```ts
 * const { tlsEdges } = await tunnel.getTlsEdges({ ipPolicyId: "ipp_2QSC…" });
 * ```
 */
export function getTlsEdges(args: GetTlsEdgesArgs = {}, opts?: pulumi.InvokeOptions): Promise<GetTlsEdgesResult> {
  return invoke(all, args, opts);
}

/** As {@link getTlsEdges}, for filters that are Outputs. */
export function getTlsEdgesOutput(
  args: OutputArgs<GetTlsEdgesArgs> = {},
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetTlsEdgesResult> {
  return invokeOutput(all, args, opts);
}
