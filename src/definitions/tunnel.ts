import type { ReadOnlyDefinition } from "./definition";
import type { Ref } from "./fields/field";
import { assigned, objectReference, objectReferences } from "./fields/fieldTypes";
import { equals, type PropertyFilters } from "./filters";

/** A tunnel that is online. Agent-initiated tunnels have a public URL; backend tunnels have labels. */
export interface TunnelProps {
  /** The tunnel's id, `tn_…`. */
  id: string;
  /** The public URL; only agent-initiated tunnels have one. */
  publicUrl?: string;
  /** When the tunnel was started, in RFC 3339 format. */
  startedAt: string;
  /** The tunnel's metadata, from the agent's configuration file. */
  metadata?: string;
  /** The protocol; only agent-initiated tunnels have one. */
  proto?: "http" | "https" | "tcp" | "tls";
  /** The region in which the tunnel runs. */
  region: string;
  /** The session on which the tunnel was started. */
  tunnelSession: Ref;
  /** The ephemeral endpoint; only agent-initiated tunnels have one. */
  endpoint?: Ref;
  /** The labels that tunnel group backends match, exactly as written; only backend tunnels have them. */
  labels?: { [key: string]: string };
  /** The tunnel group backends that the tunnel serves; empty for agent-initiated tunnels. */
  backends: Ref[];
  /** Where traffic is forwarded to: a URL or a network address. */
  forwardsTo?: string;
}

export interface TunnelFilters
  extends PropertyFilters<TunnelProps, "publicUrl" | "metadata" | "proto" | "region" | "forwardsTo"> {
  /** The id of the session on which the tunnel was started. */
  tunnelSessionId?: string;
  /** The id of the ephemeral endpoint. */
  endpointId?: string;
  /** Labels that the tunnel must have; it may have others. */
  labels?: { [key: string]: string };
  /** The id of a tunnel group backend that the tunnel serves. */
  backendId?: string;
}

export const tunnel: ReadOnlyDefinition<TunnelProps, TunnelFilters> = {
  kind: "readOnly",
  type: "Tunnel",
  plural: "Tunnels",
  displayName: "tunnel",
  fields: {
    publicUrl: assigned(),
    startedAt: assigned(),
    metadata: assigned(),
    proto: assigned(),
    region: assigned(),
    tunnelSession: objectReference(),
    endpoint: objectReference(),
    labels: assigned(),
    backends: objectReferences(),
    forwardsTo: assigned(),
  },
  route: "GET /tunnels/{id}",
  list: { displayName: "tunnel", route: "GET /tunnels", key: "tunnels" },
  filters: {
    publicUrl: equals("publicUrl"),
    metadata: equals("metadata"),
    proto: equals("proto"),
    region: equals("region"),
    tunnelSessionId: ({ tunnelSession }, id) => tunnelSession?.id === id,
    endpointId: ({ endpoint }, id) => endpoint?.id === id,
    labels: ({ labels }, wanted) => Object.entries(wanted).every(([key, value]) => labels?.[key] === value),
    backendId: ({ backends }, id) => backends.some((backend) => backend.id === id),
    forwardsTo: equals("forwardsTo"),
  },
  absent: "only tunnels that are online can be read",
};
