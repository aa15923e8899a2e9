import type * as pulumi from "@pulumi/pulumi";
import { readOne } from "../core/query";
import { invoke, invokeOutput, type OutputArgs } from "../dynamic/invoke";
import { httpsEdgeTlsTermination } from "../resources/httpsEdgeTlsTermination";

/** The arguments of {@link getHttpsEdgeTlsTermination}. */
export interface GetHttpsEdgeTlsTerminationArgs {
  /** The HTTPS edge, `edghts_…`. */
  edgeId: string;
}

/** The TLS termination of an HTTPS edge. */
export interface GetHttpsEdgeTlsTerminationResult {
  /** The HTTPS edge. */
  readonly edgeId: string;
  /** Whether the module is applied to traffic. */
  readonly enabled: boolean;
  /** The lowest TLS version accepted. */
  readonly minVersion: string | undefined;
  /** Where TLS is terminated, as the service says. */
  readonly terminateAt: string | undefined;
}

const one = readOne<GetHttpsEdgeTlsTerminationArgs, GetHttpsEdgeTlsTerminationResult>(
  "getHttpsEdgeTlsTermination",
  httpsEdgeTlsTermination,
);

/**
 * Reads the TLS termination of an HTTPS edge; an edge without one is an error.
 *
 * @example
 * ```ts
 * const { minVersion } = await tunnel.getHttpsEdgeTlsTermination({ edgeId: "edghts_2QSF…" });
 * ```
 */
export function getHttpsEdgeTlsTermination(
  args: GetHttpsEdgeTlsTerminationArgs,
  opts?: pulumi.InvokeOptions,
): Promise<GetHttpsEdgeTlsTerminationResult> {
  return invoke(one, args, opts);
}

/** As {@link getHttpsEdgeTlsTermination}, for arguments that are Outputs. */
export function getHttpsEdgeTlsTerminationOutput(
  args: OutputArgs<GetHttpsEdgeTlsTerminationArgs>,
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetHttpsEdgeTlsTerminationResult> {
  return invokeOutput(one, args, opts);
}
