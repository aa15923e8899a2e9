import type * as pulumi from "@pulumi/pulumi";
import { type Definition, moduleRoutes } from "../definitions/definition";
import { parentId } from "../definitions/fields";
import * as modules from "../definitions/modules";
import { engineType, TunnelResource } from "../dynamic/baseResource";

/** The arguments of a {@link TlsEdgeTlsTermination}. */
export interface TlsEdgeTlsTerminationArgs extends modules.TlsTerminationArgs {
  /** The TLS edge, `edgtls_…`. Changing it replaces: the new edge gets its module before the old one loses it. */
  edgeId: pulumi.Input<string>;
}

export const tlsEdgeTlsTermination: Definition = {
  type: "TlsEdgeTlsTermination",
  displayName: "TLS termination of TLS edge",
  parents: { edgeId: "id" },
  fields: { edgeId: parentId("a TLS edge", "edgtls_"), ...modules.tlsTermination },
  outputs: {},
  routes: moduleRoutes("/edges/tls/{id}/tls_termination"),
  rules: (args) => modules.upstreamProblems(args, ""),
};

/**
 * The TLS termination of a TLS edge, managed apart from the edge itself, whose own `tlsTermination` must then not be
 * stated. It replaces whatever termination the edge has; to look before you take one over, state the `import` option
 * with the edge's id.
 *
 * @example
 * ```ts
 * new tunnel.TlsEdgeTlsTermination("modern", { edgeId: api.id, terminateAt: "edge", minVersion: "1.3" });
 * ```
 */
export class TlsEdgeTlsTermination extends TunnelResource {
  /** @internal */
  static readonly __pulumiType = engineType("TlsEdgeTlsTermination");

  /** The TLS edge. */
  declare readonly edgeId: pulumi.Output<string>;
  /** Whether the module is applied to traffic. */
  declare readonly enabled: pulumi.Output<boolean>;
  /** Where TLS is terminated. */
  declare readonly terminateAt: pulumi.Output<"edge" | "upstream" | undefined>;
  /** The lowest TLS version accepted. */
  declare readonly minVersion: pulumi.Output<string | undefined>;

  constructor(name: string, args: TlsEdgeTlsTerminationArgs, opts?: pulumi.CustomResourceOptions) {
    super(tlsEdgeTlsTermination, name, args, opts);
  }
}
