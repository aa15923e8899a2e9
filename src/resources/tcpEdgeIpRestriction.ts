import type * as pulumi from "@pulumi/pulumi";
import { type Definition, moduleRoutes } from "../definitions/definition";
import { parentId } from "../definitions/fields";
import * as modules from "../definitions/modules";
import { engineType, TunnelResource } from "../dynamic/baseResource";

/** The arguments of a {@link TcpEdgeIpRestriction}. */
export interface TcpEdgeIpRestrictionArgs extends modules.IpRestrictionArgs {
  /** The TCP edge, `edgtcp_…`. Changing it replaces: the new edge gets its module before the old one loses it. */
  edgeId: pulumi.Input<string>;
}

export const tcpEdgeIpRestriction: Definition = {
  type: "TcpEdgeIpRestriction",
  displayName: "IP restriction of TCP edge",
  parents: { edgeId: "id" },
  fields: { edgeId: parentId("a TCP edge", "edgtcp_"), ...modules.ipRestriction },
  outputs: {},
  routes: moduleRoutes("/edges/tcp/{id}/ip_restriction"),
};

/**
 * The IP restriction of a TCP edge, managed apart from the edge itself, whose own `ipRestriction` must then not be
 * stated. It replaces whatever restriction the edge has; to look before you take one over, state the `import` option
 * with the edge's id.
 *
 * @example
 * ```ts
 * new tunnel.TcpEdgeIpRestriction("office-only", { edgeId: ssh.id, ipPolicyIds: ["ipp_2QSC…"] });
 * ```
 */
export class TcpEdgeIpRestriction extends TunnelResource {
  /** @internal */
  static readonly __pulumiType = engineType("TcpEdgeIpRestriction");

  /** The TCP edge. */
  declare readonly edgeId: pulumi.Output<string>;
  /** Whether the module is applied to traffic. */
  declare readonly enabled: pulumi.Output<boolean>;
  /** The ids of the IP policies. */
  declare readonly ipPolicyIds: pulumi.Output<string[]>;

  constructor(name: string, args: TcpEdgeIpRestrictionArgs, opts?: pulumi.CustomResourceOptions) {
    super(tcpEdgeIpRestriction, name, args, opts);
  }
}
