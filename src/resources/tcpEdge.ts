import type * as pulumi from "@pulumi/pulumi";
import type { Definition } from "../definitions/definition";
import { hostports, module, string } from "../definitions/fields";
import * as modules from "../definitions/modules";
import { engineType, TunnelResource } from "../dynamic/baseResource";

/** The arguments of a {@link TcpEdge}. What is not stated is not touched; what is no longer stated is removed. */
export interface TcpEdgeArgs {
  /** What the edge is for; 255 bytes at most. */
  description?: pulumi.Input<string>;
  /** Data of your own; 4096 bytes at most. */
  metadata?: pulumi.Input<string>;
  /** The `<host>:<port>` pairs that the edge listens on. Their order has no meaning. */
  hostports?: pulumi.Input<pulumi.Input<string>[]>;
  /** The backend that receives the traffic. */
  backend?: pulumi.Input<modules.BackendArgs>;
  /** Which source addresses may connect. State it here or as a `TcpEdgeIpRestriction`, never both. */
  ipRestriction?: pulumi.Input<modules.IpRestrictionArgs>;
  /** The traffic policy. */
  policy?: pulumi.Input<modules.PolicyArgs>;
}

export const tcpEdge: Definition = {
  type: "TcpEdge",
  displayName: "TCP edge",
  fields: {
    description: string({ maxBytes: 255 }),
    metadata: string({ maxBytes: 4096, sensitive: true }),
    hostports: hostports(),
    backend: module(modules.backend, { remove: "DELETE /edges/tcp/{id}/backend" }),
    ipRestriction: module(modules.ipRestriction, {
      put: "PUT /edges/tcp/{id}/ip_restriction",
      remove: "DELETE /edges/tcp/{id}/ip_restriction",
      protects: true,
    }),
    policy: module(modules.policy, { remove: "DELETE /edges/tcp/{id}/policy", protects: true }),
  },
  outputs: { createdAt: {}, uri: {} },
  routes: {
    create: "POST /edges/tcp",
    read: "GET /edges/tcp/{id}",
    update: "PATCH /edges/tcp/{id}",
    delete: "DELETE /edges/tcp/{id}",
  },
  list: modules.edgeLists.tcp,
  unique: modules.uniqueHostports,
  deleteBeforeReplace: true,
  clearIfUndeletable: true,
};

/**
 * A public TCP listener, with the modules that decide where its traffic goes and who may send it.
 *
 * @id `edgtcp_…`
 *
 * @example
 * ```ts
 * const ssh = new tunnel.TcpEdge("ssh", {
 *   hostports: ["1.tcp.example.com:20022"],
 *   backend: { backendId: "bkdhr_2QSB…" },
 *   ipRestriction: { ipPolicyIds: ["ipp_2QSC…"] },
 * });
 * ```
 *
 * @example A traffic policy, whose expressions and actions go to the service as they are.
 * ```ts
 * new tunnel.TcpEdge("database", {
 *   hostports: ["1.tcp.example.com:25432"],
 *   backend: { backendId: "bkdhr_2QSB…" },
 *   policy: {
 *     inbound: [{ name: "banned", expressions: ["conn.client_ip == '203.0.113.7'"], actions: [{ type: "deny" }] }],
 *   },
 * });
 * ```
 *
 * @example Take over an edge that exists already; the preview shows whatever differs.
 * ```ts
 * new tunnel.TcpEdge("ssh", { hostports: ["1.tcp.example.com:20022"] }, { import: "edgtcp_2QSD…" });
 * ```
 */
export class TcpEdge extends TunnelResource {
  /** @internal */
  static readonly __pulumiType = engineType("TcpEdge");

  /** What the edge is for. */
  declare readonly description: pulumi.Output<string | undefined>;
  /** Data of your own. */
  declare readonly metadata: pulumi.Output<string | undefined>;
  /** The `<host>:<port>` pairs that the edge listens on. */
  declare readonly hostports: pulumi.Output<string[]>;
  /** The backend that receives the traffic. */
  declare readonly backend: pulumi.Output<modules.Resolved<modules.BackendArgs> | undefined>;
  /** Which source addresses may connect. */
  declare readonly ipRestriction: pulumi.Output<modules.Resolved<modules.IpRestrictionArgs> | undefined>;
  /** The traffic policy. */
  declare readonly policy: pulumi.Output<modules.Resolved<modules.PolicyArgs> | undefined>;
  /** When the edge was created, RFC 3339. */
  declare readonly createdAt: pulumi.Output<string>;
  /** The edge's address in the API. */
  declare readonly uri: pulumi.Output<string>;

  constructor(name: string, args?: TcpEdgeArgs, opts?: pulumi.CustomResourceOptions) {
    super(tcpEdge, name, args, opts);
  }
}
