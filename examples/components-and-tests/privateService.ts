import * as pulumi from "@pulumi/pulumi";
import * as tunnel from "pulumi-tunnel-edge";

export interface PrivateServiceArgs {
  /** What the service is. */
  description: pulumi.Input<string>;
  /** The `<host>:<port>` that clients dial. */
  hostport: pulumi.Input<string>;
  /** The backend that their connections go to. */
  backendId: pulumi.Input<string>;
  /** The IP policies of those who may connect. */
  ipPolicyIds: pulumi.Input<pulumi.Input<string>[]>;
}

/** A TCP service for known addresses alone. */
export class PrivateService extends pulumi.ComponentResource {
  /** The edge's id. */
  readonly edgeId: pulumi.Output<string>;

  constructor(name: string, args: PrivateServiceArgs, opts?: pulumi.ComponentResourceOptions) {
    super("example:index:PrivateService", name, {}, opts);
    // A child of the component takes its provider and its protection from it. A child whose name begins with the
    // component's is also found again under the component's aliases.
    const edge = new tunnel.TcpEdge(
      `${name}-edge`,
      { description: args.description, hostports: [args.hostport], backend: { backendId: args.backendId } },
      { parent: this },
    );
    // A resource of its own can have options of its own: others may change the list, and no up takes that back. It
    // is set a moment after the edge is made; where even that is too late, state ipRestriction in the edge instead.
    new tunnel.TcpEdgeIpRestriction(
      `${name}-restriction`,
      { edgeId: edge.id, ipPolicyIds: args.ipPolicyIds },
      { parent: this, ignoreChanges: ["ipPolicyIds"] },
    );
    this.edgeId = edge.id;
    this.registerOutputs({ edgeId: this.edgeId });
  }
}
