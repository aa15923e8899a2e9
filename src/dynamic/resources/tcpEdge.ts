import type * as pulumi from "@pulumi/pulumi";
import type { EdgeFilters } from "../../definitions/edges";
import { type TcpEdgeComputed, type TcpEdgeProps, tcpEdge } from "../../definitions/tcpEdge";
import { invoke, invokeOutput, readList, readOne } from "../program/invoke";
import { resource } from "../program/resource";
import type { Inputs, Named, Result } from "../program/types";

/** The arguments of a {@link TcpEdge}. Arguments that you do not declare are not managed. Those that you no longer declare are removed. */
export interface TcpEdgeArgs extends Inputs<TcpEdgeProps>, Named {}

/**
 * A public TCP listener, with modules that decide where its traffic goes and who can connect.
 *
 * @example
 * ```ts
 * const ssh = new tunnel.TcpEdge("ssh", {
 *   hostports: ["1.tcp.example.com:20022"],
 *   backend: { backendId: "bkdtg_2QSB…" },
 *   ipRestriction: { ipPolicyIds: ["ipp_2QSC…"] },
 * });
 * ```
 *
 * @example
 * Add a traffic policy. Its expressions and actions are sent to the service unchanged.
 * ```ts
 * new tunnel.TcpEdge("database", {
 *   hostports: ["1.tcp.example.com:25432"],
 *   backend: { backendId: "bkdtg_2QSB…" },
 *   policy: {
 *     inbound: [{ name: "banned", expressions: ["conn.client_ip == '203.0.113.7'"], actions: [{ type: "deny" }] }],
 *   },
 * });
 * ```
 *
 * @example
 * Import an existing edge. The preview fails if a declared value differs.
 * ```ts
 * new tunnel.TcpEdge("ssh", { hostports: ["1.tcp.example.com:20022"] }, { import: "edgtcp_2QSD…" });
 * ```
 */
export class TcpEdge extends resource(tcpEdge) {
  constructor(name: string, args?: TcpEdgeArgs, opts?: pulumi.CustomResourceOptions) {
    super(name, args, opts);
  }
}

/** The arguments of {@link getTcpEdge}. */
export interface GetTcpEdgeArgs extends Pick<TcpEdgeComputed, "id"> {}

/** A TCP edge with its modules. */
export interface GetTcpEdgeResult extends Result<TcpEdgeProps & TcpEdgeComputed> {}

/** The filters of {@link getTcpEdges}. An edge must match all of them; `""` matches a field that is not set. */
export interface GetTcpEdgesArgs extends EdgeFilters {}

/** The result of {@link getTcpEdges}. */
export interface GetTcpEdgesResult {
  /** The edges, from all pages. */
  readonly tcpEdges: GetTcpEdgeResult[];
}

const one = readOne<GetTcpEdgeArgs, GetTcpEdgeResult>(tcpEdge);
const list = readList<GetTcpEdgesArgs, GetTcpEdgesResult>(tcpEdge);

/**
 * Reads a TCP edge with its modules.
 *
 * @example
 * ```ts
 * const { hostports } = await tunnel.getTcpEdge({ id: "edgtcp_2QSD…" });
 * ```
 */
export const getTcpEdge = invoke(one);

/** Like {@link getTcpEdge}, but accepts Outputs and returns an Output. */
export const getTcpEdgeOutput = invokeOutput(one);

/**
 * Reads all TCP edges with their modules, optionally filtered.
 *
 * @example
 * ```ts
 * const { tcpEdges } = await tunnel.getTcpEdges({ ipPolicyId: "ipp_2QSC…" });
 * ```
 */
export const getTcpEdges = invoke(list);

/** Like {@link getTcpEdges}, but accepts Outputs and returns an Output. */
export const getTcpEdgesOutput = invokeOutput(list);
