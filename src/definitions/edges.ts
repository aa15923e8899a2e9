/** What TCP and TLS edges have in common, as dev/api.md lists their fields. */

import type { List, ObjectDefinition } from "./definition";
import type { FieldsOf } from "./fields/field";
import { hostports, string } from "./fields/fieldTypes";
import { equals, type Filters, type PropertyFilters } from "./filters";
import type { Backend, IpRestriction, Policy } from "./modules";

export interface EdgeProps {
  /** What the edge is for; at most 255 bytes. */
  description?: string;
  /** Your own data; at most 4096 bytes. */
  metadata?: string;
  /** The `<host>:<port>` pairs that the edge listens on. The order does not matter. */
  hostports?: string[];
  /** The backend that receives the traffic. */
  backend?: Backend;
  /** Which source addresses can connect. */
  ipRestriction?: IpRestriction;
  /** The traffic policy. */
  policy?: Policy;
}

export const edgeFields: FieldsOf<Pick<EdgeProps, "description" | "metadata" | "hostports">> = {
  description: string({ maxBytes: 255 }),
  metadata: string({ maxBytes: 4096, sensitive: true }),
  hostports: hostports(),
};

export const tcpEdges: List = { displayName: "TCP edge", route: "GET /edges/tcp", key: "tcp_edges" };
export const tlsEdges: List = { displayName: "TLS edge", route: "GET /edges/tls", key: "tls_edges" };

/** Only one edge, of either kind, can listen on a hostport. */
export const uniqueHostports: ObjectDefinition<EdgeProps>["unique"] = {
  argument: "hostports",
  among: [tcpEdges, tlsEdges],
  normalize: (hostport) => hostport.toLowerCase(),
  fix:
    "Remove it there first. If that edge is being deleted in this deployment, delete it in a separate `pulumi up`: " +
    "Pulumi deletes last.",
};

export interface EdgeFilters extends PropertyFilters<EdgeProps, "description" | "metadata"> {
  /** A `<host>:<port>` pair that the edge listens on, ignoring case. */
  hostport?: string;
  /** The id of the backend that receives the traffic. */
  backendId?: string;
  /** The id of an IP policy that restricts the edge. */
  ipPolicyId?: string;
}

export const edgeFilters: Filters<EdgeFilters, EdgeProps> = {
  description: equals("description"),
  metadata: equals("metadata"),
  hostport: ({ hostports }, hostport) => hostports.some((each) => each.toLowerCase() === hostport.toLowerCase()),
  backendId: ({ backend }, id) => backend?.backendId === id,
  ipPolicyId: ({ ipRestriction }, id) => ipRestriction?.ipPolicyIds.includes(id) ?? false,
};
