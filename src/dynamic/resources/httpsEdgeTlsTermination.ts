import type * as pulumi from "@pulumi/pulumi";
import {
  type HttpsEdgeTlsTerminationComputed,
  type HttpsEdgeTlsTerminationProps,
  httpsEdgeTlsTermination,
} from "../../definitions/httpsEdgeTlsTermination";
import { invoke, invokeOutput, readOne } from "../program/invoke";
import { resource } from "../program/resource";
import type { Inputs, Named, Result } from "../program/types";

/** The arguments of an {@link HttpsEdgeTlsTermination}. */
export interface HttpsEdgeTlsTerminationArgs extends Inputs<HttpsEdgeTlsTerminationProps>, Named {}

/**
 * The TLS termination of an HTTPS edge. Changing `edgeId` sets the TLS termination on the new edge, then removes it
 * from the old one.
 *
 * > [!WARNING]
 * > Creating this resource overwrites the TLS termination that the edge already has. To compare the two first, use the
 * > `import` option with the edge's id.
 *
 * @example
 * ```ts
 * new tunnel.HttpsEdgeTlsTermination("modern", { edgeId: "edghts_2QSF…", minVersion: "1.3" });
 * ```
 */
export class HttpsEdgeTlsTermination extends resource(httpsEdgeTlsTermination) {
  constructor(name: string, args: HttpsEdgeTlsTerminationArgs, opts?: pulumi.CustomResourceOptions) {
    super(name, args, opts);
  }
}

/** The arguments of {@link getHttpsEdgeTlsTermination}. */
export interface GetHttpsEdgeTlsTerminationArgs extends Pick<HttpsEdgeTlsTerminationProps, "edgeId"> {}

/** The TLS termination of an HTTPS edge. */
export interface GetHttpsEdgeTlsTerminationResult
  extends Result<HttpsEdgeTlsTerminationProps & HttpsEdgeTlsTerminationComputed> {}

const one = readOne<GetHttpsEdgeTlsTerminationArgs, GetHttpsEdgeTlsTerminationResult>(httpsEdgeTlsTermination);

/**
 * Reads the TLS termination of an HTTPS edge. Fails if the edge has none.
 *
 * @example
 * ```ts
 * const { minVersion } = await tunnel.getHttpsEdgeTlsTermination({ edgeId: "edghts_2QSF…" });
 * ```
 */
export const getHttpsEdgeTlsTermination = invoke(one);

/** Like {@link getHttpsEdgeTlsTermination}, but accepts Outputs and returns an Output. */
export const getHttpsEdgeTlsTerminationOutput = invokeOutput(one);
