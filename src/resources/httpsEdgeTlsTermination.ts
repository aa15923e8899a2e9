import type * as pulumi from "@pulumi/pulumi";
import { type Definition, moduleRoutes } from "../definitions/definition";
import { parentId, version } from "../definitions/fields";
import { enabled, type TlsVersion } from "../definitions/modules";
import { engineType, TunnelResource } from "../dynamic/baseResource";

/** The arguments of an {@link HttpsEdgeTlsTermination}. */
export interface HttpsEdgeTlsTerminationArgs {
  /** The HTTPS edge, `edghts_…`. Changing it replaces: the new edge gets its module before the old one loses it. */
  edgeId: pulumi.Input<string>;
  /**
   * Whether the module is applied to traffic.
   * @default true
   */
  enabled?: pulumi.Input<boolean>;
  /**
   * The lowest TLS version accepted: `1.0`, `1.1`, `1.2` or `1.3`; any other is sent with a warning.
   * @default chosen by the service
   */
  minVersion?: pulumi.Input<TlsVersion>;
}

export const httpsEdgeTlsTermination: Definition = {
  type: "HttpsEdgeTlsTermination",
  displayName: "TLS termination of HTTPS edge",
  parents: { edgeId: "id" },
  fields: { edgeId: parentId("an HTTPS edge", "edghts_"), enabled, minVersion: version() },
  outputs: { terminateAt: {} },
  routes: moduleRoutes("/edges/https/{id}/tls_termination"),
};

/**
 * The TLS termination of an HTTPS edge. It replaces whatever termination the edge has; to look before you take one
 * over, state the `import` option with the edge's id.
 *
 * @example
 * ```ts
 * new tunnel.HttpsEdgeTlsTermination("modern", { edgeId: "edghts_2QSF…", minVersion: "1.3" });
 * ```
 */
export class HttpsEdgeTlsTermination extends TunnelResource {
  /** @internal */
  static readonly __pulumiType = engineType("HttpsEdgeTlsTermination");

  /** The HTTPS edge. */
  declare readonly edgeId: pulumi.Output<string>;
  /** Whether the module is applied to traffic. */
  declare readonly enabled: pulumi.Output<boolean>;
  /** The lowest TLS version accepted. */
  declare readonly minVersion: pulumi.Output<string | undefined>;
  /** Where TLS is terminated, as the service says: an HTTPS edge leaves no choice. */
  declare readonly terminateAt: pulumi.Output<string | undefined>;

  constructor(name: string, args: HttpsEdgeTlsTerminationArgs, opts?: pulumi.CustomResourceOptions) {
    super(httpsEdgeTlsTermination, name, args, opts);
  }
}
