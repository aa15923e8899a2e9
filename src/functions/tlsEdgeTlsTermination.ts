import type * as pulumi from "@pulumi/pulumi";
import { readOne } from "../core/query";
import { invoke, invokeOutput, type OutputArgs } from "../dynamic/invoke";
import { tlsEdgeTlsTermination } from "../resources/tlsEdgeTlsTermination";

/** The arguments of {@link getTlsEdgeTlsTermination}. */
export interface GetTlsEdgeTlsTerminationArgs {
  /** The TLS edge, `edgtls_…`. */
  edgeId: string;
}

/** The TLS termination of a TLS edge. */
export interface GetTlsEdgeTlsTerminationResult {
  /** The TLS edge. */
  readonly edgeId: string;
  /** Whether the module is applied to traffic. */
  readonly enabled: boolean;
  /** Where TLS is terminated. */
  readonly terminateAt: "edge" | "upstream" | undefined;
  /** The lowest TLS version accepted. */
  readonly minVersion: string | undefined;
}

const one = readOne<GetTlsEdgeTlsTerminationArgs, GetTlsEdgeTlsTerminationResult>(
  "getTlsEdgeTlsTermination",
  tlsEdgeTlsTermination,
);

/**
 * Reads the TLS termination of a TLS edge; an edge without one is an error.
 *
 * @example
 * ```ts
 * const { minVersion } = await tunnel.getTlsEdgeTlsTermination({ edgeId: "edgtls_2QSE…" });
 * ```
 */
export function getTlsEdgeTlsTermination(
  args: GetTlsEdgeTlsTerminationArgs,
  opts?: pulumi.InvokeOptions,
): Promise<GetTlsEdgeTlsTerminationResult> {
  return invoke(one, args, opts);
}

/** As {@link getTlsEdgeTlsTermination}, for arguments that are Outputs. */
export function getTlsEdgeTlsTerminationOutput(
  args: OutputArgs<GetTlsEdgeTlsTerminationArgs>,
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetTlsEdgeTlsTerminationResult> {
  return invokeOutput(one, args, opts);
}
