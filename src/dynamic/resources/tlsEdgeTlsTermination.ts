import type * as pulumi from "@pulumi/pulumi";
import { type TlsEdgeTlsTerminationProps, tlsEdgeTlsTermination } from "../../definitions/tlsEdgeTlsTermination";
import { invoke, invokeOutput, readOne } from "../program/invoke";
import { resource } from "../program/resource";
import type { Inputs, Named, Result } from "../program/types";

/** The arguments of a {@link TlsEdgeTlsTermination}. */
export interface TlsEdgeTlsTerminationArgs extends Inputs<TlsEdgeTlsTerminationProps>, Named {}

/**
 * The TLS termination of a TLS edge, as a separate resource instead of the edge's argument `tlsTermination`. Changing
 * `edgeId` sets the TLS termination on the new edge, then removes it from the old one.
 *
 * > [!WARNING]
 * > Creating this resource overwrites the TLS termination that the edge already has. To compare the two first, use the
 * > `import` option with the edge's id.
 *
 * @example
 * ```ts
 * new tunnel.TlsEdgeTlsTermination("modern", { edgeId: api.id, terminateAt: "edge", minVersion: "1.3" });
 * ```
 */
export class TlsEdgeTlsTermination extends resource(tlsEdgeTlsTermination) {
  constructor(name: string, args: TlsEdgeTlsTerminationArgs, opts?: pulumi.CustomResourceOptions) {
    super(name, args, opts);
  }
}

/** The arguments of {@link getTlsEdgeTlsTermination}. */
export interface GetTlsEdgeTlsTerminationArgs extends Pick<TlsEdgeTlsTerminationProps, "edgeId"> {}

/** The TLS termination of a TLS edge. */
export interface GetTlsEdgeTlsTerminationResult extends Result<TlsEdgeTlsTerminationProps> {}

const one = readOne<GetTlsEdgeTlsTerminationArgs, GetTlsEdgeTlsTerminationResult>(tlsEdgeTlsTermination);

/**
 * Reads the TLS termination of a TLS edge. Fails if the edge has none.
 *
 * @example
 * ```ts
 * const { minVersion } = await tunnel.getTlsEdgeTlsTermination({ edgeId: "edgtls_2QSE…" });
 * ```
 */
export const getTlsEdgeTlsTermination = invoke(one);

/** Like {@link getTlsEdgeTlsTermination}, but accepts Outputs and returns an Output. */
export const getTlsEdgeTlsTerminationOutput = invokeOutput(one);
