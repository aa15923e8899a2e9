import type * as pulumi from "@pulumi/pulumi";
import { type TlsEdgeComputed, type TlsEdgeFilters, type TlsEdgeProps, tlsEdge } from "../../definitions/tlsEdge";
import { invoke, invokeOutput, readList, readOne } from "../program/invoke";
import { resource } from "../program/resource";
import type { Inputs, Named, Result } from "../program/types";

/** The arguments of a {@link TlsEdge}. Arguments that you do not declare are not managed. Those that you no longer declare are removed. */
export interface TlsEdgeArgs extends Inputs<TlsEdgeProps>, Named {}

/**
 * A public TLS listener, with modules that decide where its traffic goes and who can connect.
 *
 * @example
 * ```ts
 * new tunnel.TlsEdge("api", {
 *   hostports: ["api.example.com:443"],
 *   backend: { backendId: "bkdtg_2QSB…" },
 *   tlsTermination: { terminateAt: "edge", minVersion: "1.2" },
 *   mutualTls: { certificateAuthorityIds: ["ca_2QSE…"] },
 * });
 * ```
 *
 * @example
 * Pass TLS through to the application, which has the certificate.
 * ```ts
 * new tunnel.TlsEdge("mail", {
 *   hostports: ["mail.example.com:465"],
 *   backend: { backendId: "bkdtg_2QSB…" },
 *   tlsTermination: { terminateAt: "upstream" },
 * });
 * ```
 */
export class TlsEdge extends resource(tlsEdge) {
  constructor(name: string, args?: TlsEdgeArgs, opts?: pulumi.CustomResourceOptions) {
    super(name, args, opts);
  }
}

/** The arguments of {@link getTlsEdge}. */
export interface GetTlsEdgeArgs extends Pick<TlsEdgeComputed, "id"> {}

/** A TLS edge with its modules. */
export interface GetTlsEdgeResult extends Result<TlsEdgeProps & TlsEdgeComputed> {}

/** The filters of {@link getTlsEdges}. An edge must match all of them; `""` matches a field that is not set. */
export interface GetTlsEdgesArgs extends TlsEdgeFilters {}

/** The result of {@link getTlsEdges}. */
export interface GetTlsEdgesResult {
  /** The edges, from all pages. */
  readonly tlsEdges: GetTlsEdgeResult[];
}

const one = readOne<GetTlsEdgeArgs, GetTlsEdgeResult>(tlsEdge);
const list = readList<GetTlsEdgesArgs, GetTlsEdgesResult>(tlsEdge);

/**
 * Reads a TLS edge with its modules.
 *
 * @example
 * ```ts
 * const { hostports } = await tunnel.getTlsEdge({ id: "edgtls_2QSD…" });
 * ```
 */
export const getTlsEdge = invoke(one);

/** Like {@link getTlsEdge}, but accepts Outputs and returns an Output. */
export const getTlsEdgeOutput = invokeOutput(one);

/**
 * Reads all TLS edges with their modules, optionally filtered.
 *
 * @example
 * ```ts
 * const { tlsEdges } = await tunnel.getTlsEdges({ ipPolicyId: "ipp_2QSC…" });
 * ```
 */
export const getTlsEdges = invoke(list);

/** Like {@link getTlsEdges}, but accepts Outputs and returns an Output. */
export const getTlsEdgesOutput = invokeOutput(list);
