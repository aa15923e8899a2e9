import type * as pulumi from "@pulumi/pulumi";
import { type TcpEdgeIpRestrictionProps, tcpEdgeIpRestriction } from "../../definitions/tcpEdgeIpRestriction";
import { invoke, invokeOutput, readOne } from "../program/invoke";
import { resource } from "../program/resource";
import type { Inputs, Named, Result } from "../program/types";

/** The arguments of a {@link TcpEdgeIpRestriction}. */
export interface TcpEdgeIpRestrictionArgs extends Inputs<TcpEdgeIpRestrictionProps>, Named {}

/**
 * The IP restriction of a TCP edge, as a separate resource instead of the edge's argument `ipRestriction`. Changing
 * `edgeId` sets the IP restriction on the new edge, then removes it from the old one.
 *
 * > [!WARNING]
 * > Creating this resource overwrites the IP restriction that the edge already has. To compare the two first, use the
 * > `import` option with the edge's id.
 *
 * @example
 * ```ts
 * new tunnel.TcpEdgeIpRestriction("office-only", { edgeId: ssh.id, ipPolicyIds: ["ipp_2QSC…"] });
 * ```
 */
export class TcpEdgeIpRestriction extends resource(tcpEdgeIpRestriction) {
  constructor(name: string, args: TcpEdgeIpRestrictionArgs, opts?: pulumi.CustomResourceOptions) {
    super(name, args, opts);
  }
}

/** The arguments of {@link getTcpEdgeIpRestriction}. */
export interface GetTcpEdgeIpRestrictionArgs extends Pick<TcpEdgeIpRestrictionProps, "edgeId"> {}

/** The IP restriction of a TCP edge. */
export interface GetTcpEdgeIpRestrictionResult extends Result<TcpEdgeIpRestrictionProps> {}

const one = readOne<GetTcpEdgeIpRestrictionArgs, GetTcpEdgeIpRestrictionResult>(tcpEdgeIpRestriction);

/**
 * Reads the IP restriction of a TCP edge. Fails if the edge has none.
 *
 * @example
 * ```ts
 * const { ipPolicyIds } = await tunnel.getTcpEdgeIpRestriction({ edgeId: "edgtcp_2QSD…" });
 * ```
 */
export const getTcpEdgeIpRestriction = invoke(one);

/** Like {@link getTcpEdgeIpRestriction}, but accepts Outputs and returns an Output. */
export const getTcpEdgeIpRestrictionOutput = invokeOutput(one);
