import { isObject, type JsonObject } from "../base/json";
import type { Assigned, ObjectDefinition } from "./definition";
import { type EdgeFilters, type EdgeProps, edgeFields, edgeFilters, tlsEdges, uniqueHostports } from "./edges";
import { module } from "./fields/fieldTypes";
import type { PropertyFilters } from "./filters";
import * as modules from "./modules";

/** A TLS edge with its modules. */
export interface TlsEdgeProps extends EdgeProps {
  /** Which certificates clients must present. Not allowed with `tlsTermination.terminateAt: "upstream"`. */
  mutualTls?: modules.MutualTls;
  /** Where and how TLS is terminated. Declare it here or as a `TlsEdgeTlsTermination`, not both. */
  tlsTermination?: modules.TlsTermination;
}

export interface TlsEdgeComputed extends Assigned {
  /** The edge's id, `edgtls_…`. */
  id: string;
}

export interface TlsEdgeFilters
  extends EdgeFilters,
    PropertyFilters<modules.TlsTermination, "terminateAt" | "minVersion"> {
  /** The id of a certificate authority that mutual TLS trusts. */
  certificateAuthorityId?: string;
}

export const tlsEdge: ObjectDefinition<TlsEdgeProps, TlsEdgeComputed, TlsEdgeFilters> = {
  kind: "object",
  type: "TlsEdge",
  plural: "TlsEdges",
  displayName: "TLS edge",
  fields: {
    ...edgeFields,
    backend: module(modules.backend, { remove: "DELETE /edges/tls/{id}/backend" }),
    ipRestriction: module(modules.ipRestriction, {
      remove: "DELETE /edges/tls/{id}/ip_restriction",
      protects: true,
    }),
    mutualTls: {
      ...module(modules.mutualTls, { remove: "DELETE /edges/tls/{id}/mutual_tls", protects: true }),
      conflict: (args) =>
        isUpstream(args) && args.mutualTls !== undefined
          ? 'cannot be combined with tlsTermination.terminateAt "upstream", where the edge does not see client certificates'
          : undefined,
    },
    tlsTermination: module(modules.tlsTermination, {
      put: "PUT /edges/tls/{id}/tls_termination",
      remove: "DELETE /edges/tls/{id}/tls_termination",
    }),
    policy: module(modules.policy, { remove: "DELETE /edges/tls/{id}/policy", protects: true }),
  },
  computed: { createdAt: {}, uri: {} },
  routes: {
    create: "POST /edges/tls",
    read: "GET /edges/tls/{id}",
    update: "PATCH /edges/tls/{id}",
    delete: "DELETE /edges/tls/{id}",
  },
  list: tlsEdges,
  filters: {
    ...edgeFilters,
    certificateAuthorityId: ({ mutualTls }, id) => mutualTls?.certificateAuthorityIds.includes(id) ?? false,
    terminateAt: ({ tlsTermination }, wanted) => tlsTermination?.terminateAt === wanted,
    minVersion: ({ tlsTermination }, wanted) => tlsTermination?.minVersion === wanted,
  },
  unique: uniqueHostports,
  removeBeforeUpdate: (args, known) => isUpstream(args) && !isUpstream(known),
  setUntilRemoved: (module, known) =>
    module === "tlsTermination" && (isUpstream(known) || !known.tlsTermination) ? { terminateAt: "edge" } : undefined,
  deleteBeforeReplace: true,
};

function isUpstream({ tlsTermination }: Partial<JsonObject>): boolean {
  return isObject(tlsTermination) && tlsTermination.terminateAt === "upstream";
}
