import * as pulumi from "@pulumi/pulumi";
import * as tunnel from "pulumi-tunnel-edge";

export interface PrivateServiceArgs {
  /** A description of the service. */
  description: pulumi.Input<string>;
  /** The `<host>:<port>` that clients dial. */
  hostport: pulumi.Input<string>;
  /** The backend that receives their connections. */
  backendId: pulumi.Input<string>;
  /** The IP policies that say who can connect. */
  ipPolicyIds: pulumi.Input<pulumi.Input<string>[]>;
}

/** A TCP service that only known IP addresses can reach. */
export class PrivateService extends pulumi.ComponentResource {
  /** The edge's id. */
  readonly edgeId: pulumi.Output<string>;

  constructor(name: string, args: PrivateServiceArgs, opts?: pulumi.ComponentResourceOptions) {
    super("example:index:PrivateService", name, {}, opts);
    // A child inherits the component's provider and protection. The component's aliases apply to a child whose name
    // begins with the component's.
    const edge = new tunnel.TcpEdge(
      `${name}-edge`,
      { description: args.description, hostports: [args.hostport], backend: { backendId: args.backendId } },
      { parent: this },
    );
    // A separate resource has its own options. Here others can change the list, and `pulumi up` leaves it alone. It is
    // set shortly after the edge is created. If the edge must never be open, declare ipRestriction in the edge instead.
    new tunnel.TcpEdgeIpRestriction(
      `${name}-restriction`,
      { edgeId: edge.id, ipPolicyIds: args.ipPolicyIds },
      { parent: this, ignoreChanges: ["ipPolicyIds"] },
    );
    this.edgeId = edge.id;
    this.registerOutputs({ edgeId: this.edgeId });
  }
}
