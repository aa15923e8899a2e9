import type * as pulumi from "@pulumi/pulumi";
import type { Definition } from "../definitions/definition";
import { hostports, module, string } from "../definitions/fields";
import * as modules from "../definitions/modules";
import { engineType, TunnelResource } from "../dynamic/baseResource";
import { isObject, type JsonObject } from "../json";

/** The arguments of a {@link TlsEdge}. What is not stated is not touched; what is no longer stated is removed. */
export interface TlsEdgeArgs {
  /** What the edge is for; 255 bytes at most. */
  description?: pulumi.Input<string>;
  /** Data of your own; 4096 bytes at most. */
  metadata?: pulumi.Input<string>;
  /** The `<host>:<port>` pairs that the edge listens on. Their order has no meaning. */
  hostports?: pulumi.Input<pulumi.Input<string>[]>;
  /** The backend that receives the traffic. */
  backend?: pulumi.Input<modules.BackendArgs>;
  /** Which source addresses may connect. */
  ipRestriction?: pulumi.Input<modules.IpRestrictionArgs>;
  /** Which certificates clients must show. Not allowed where TLS is terminated upstream. */
  mutualTls?: pulumi.Input<modules.MutualTlsArgs>;
  /** Where and how TLS is terminated. State it here or as a `TlsEdgeTlsTermination`, never both. */
  tlsTermination?: pulumi.Input<modules.TlsTerminationArgs>;
  /** The traffic policy. */
  policy?: pulumi.Input<modules.PolicyArgs>;
}

const isUpstream = ({ tlsTermination }: JsonObject) =>
  isObject(tlsTermination) && tlsTermination.terminateAt === "upstream";

export const tlsEdge: Definition = {
  type: "TlsEdge",
  displayName: "TLS edge",
  fields: {
    description: string({ maxBytes: 255 }),
    metadata: string({ maxBytes: 4096, sensitive: true }),
    hostports: hostports(),
    backend: module(modules.backend, { remove: "DELETE /edges/tls/{id}/backend" }),
    ipRestriction: module(modules.ipRestriction, {
      remove: "DELETE /edges/tls/{id}/ip_restriction",
      protects: true,
    }),
    mutualTls: module(modules.mutualTls, { remove: "DELETE /edges/tls/{id}/mutual_tls", protects: true }),
    tlsTermination: module(modules.tlsTermination, {
      put: "PUT /edges/tls/{id}/tls_termination",
      remove: "DELETE /edges/tls/{id}/tls_termination",
    }),
    policy: module(modules.policy, { remove: "DELETE /edges/tls/{id}/policy", protects: true }),
  },
  outputs: { createdAt: {}, uri: {} },
  routes: {
    create: "POST /edges/tls",
    read: "GET /edges/tls/{id}",
    update: "PATCH /edges/tls/{id}",
    delete: "DELETE /edges/tls/{id}",
  },
  list: modules.edgeLists.tls,
  unique: modules.uniqueHostports,
  rules: ({ tlsTermination, mutualTls }) => {
    if (!isObject(tlsTermination)) return [];
    const problems = modules.upstreamProblems(tlsTermination, "tlsTermination.");
    if (isUpstream({ tlsTermination }) && mutualTls !== undefined) {
      problems.push(
        'mutualTls cannot be combined with tlsTermination.terminateAt "upstream", where the edge does not see client ' +
          "certificates",
      );
    }
    return problems;
  },
  removeBeforeUpdate: (module, args, before) => (isUpstream(before) ? module === "tlsTermination" : isUpstream(args)),
  deleteBeforeReplace: true,
};

/**
 * A public TLS listener, with the modules that decide where its traffic goes and who may send it.
 *
 * @id `edgtls_…`
 *
 * @example
 * ```ts
 * new tunnel.TlsEdge("api", {
 *   hostports: ["api.example.com:443"],
 *   backend: { backendId: "bkdhr_2QSB…" },
 *   tlsTermination: { terminateAt: "edge", minVersion: "1.2" },
 *   mutualTls: { certificateAuthorityIds: ["ca_2QSE…"] },
 * });
 * ```
 *
 * @example Pass TLS through to the application, which has the certificate.
 * ```ts
 * new tunnel.TlsEdge("mail", {
 *   hostports: ["mail.example.com:465"],
 *   backend: { backendId: "bkdhr_2QSB…" },
 *   tlsTermination: { terminateAt: "upstream" },
 * });
 * ```
 */
export class TlsEdge extends TunnelResource {
  /** @internal */
  static readonly __pulumiType = engineType("TlsEdge");

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
  /** Which certificates clients must show. */
  declare readonly mutualTls: pulumi.Output<modules.Resolved<modules.MutualTlsArgs> | undefined>;
  /** Where and how TLS is terminated. */
  declare readonly tlsTermination: pulumi.Output<modules.Resolved<modules.TlsTerminationArgs> | undefined>;
  /** The traffic policy. */
  declare readonly policy: pulumi.Output<modules.Resolved<modules.PolicyArgs> | undefined>;
  /** When the edge's configuration was created, RFC 3339. */
  declare readonly createdAt: pulumi.Output<string>;
  /** The edge's address in the API. */
  declare readonly uri: pulumi.Output<string>;

  constructor(name: string, args?: TlsEdgeArgs, opts?: pulumi.CustomResourceOptions) {
    super(tlsEdge, name, args, opts);
  }
}
