import type { Assigned, ObjectDefinition } from "./definition";
import { type EdgeFilters, type EdgeProps, edgeFields, edgeFilters, tcpEdges, uniqueHostports } from "./edges";
import { module } from "./fields/fieldTypes";
import * as modules from "./modules";

/** A TCP edge with its modules. */
export interface TcpEdgeProps extends EdgeProps {
  /** Which source addresses can connect. Declare it here or as a `TcpEdgeIpRestriction`, not both. */
  ipRestriction?: modules.IpRestriction;
}

export interface TcpEdgeComputed extends Assigned {
  /** The edge's id, `edgtcp_…`. */
  id: string;
}

export const tcpEdge: ObjectDefinition<TcpEdgeProps, TcpEdgeComputed, EdgeFilters> = {
  kind: "object",
  type: "TcpEdge",
  plural: "TcpEdges",
  displayName: "TCP edge",
  fields: {
    ...edgeFields,
    backend: module(modules.backend, { remove: "DELETE /edges/tcp/{id}/backend" }),
    ipRestriction: module(modules.ipRestriction, {
      put: "PUT /edges/tcp/{id}/ip_restriction",
      remove: "DELETE /edges/tcp/{id}/ip_restriction",
      protects: true,
    }),
    policy: module(modules.policy, { remove: "DELETE /edges/tcp/{id}/policy", protects: true }),
  },
  computed: { createdAt: {}, uri: {} },
  routes: {
    create: "POST /edges/tcp",
    read: "GET /edges/tcp/{id}",
    update: "PATCH /edges/tcp/{id}",
    delete: "DELETE /edges/tcp/{id}",
  },
  list: tcpEdges,
  filters: edgeFilters,
  unique: uniqueHostports,
  deleteBeforeReplace: true,
  clearIfUndeletable: true,
};
