import type { ReadOnlyDefinition } from "./definition";
import type { Ref } from "./fields/field";
import { assigned, objectReference } from "./fields/fieldTypes";
import { equals, type PropertyFilters } from "./filters";

/** The session of an agent that is online. */
export interface TunnelSessionProps {
  /** The session's id, `ts_…`. */
  id: string;
  /** The session's address in the API. */
  uri: string;
  /** The version of the agent that started the session. */
  agentVersion: string;
  /** The tunnel credential or SSH credential that the session was started with. */
  credential: Ref;
  /** The source address of the session. */
  ip: string;
  /** The metadata in the agent's configuration file. */
  metadata?: string;
  /** The operating system of the agent's machine, such as `linux`. */
  os: string;
  /** The region in which the session was started. */
  region: string;
  /** When the session first connected, in RFC 3339 format. */
  startedAt: string;
  /** How the agent is connected. */
  transport: "service/v2" | "ssh";
}

export interface TunnelSessionFilters
  extends PropertyFilters<TunnelSessionProps, "agentVersion" | "ip" | "metadata" | "os" | "region" | "transport"> {
  /** The id of the tunnel credential or SSH credential that the session was started with. */
  credentialId?: string;
}

export const tunnelSession: ReadOnlyDefinition<TunnelSessionProps, TunnelSessionFilters> = {
  kind: "readOnly",
  type: "TunnelSession",
  plural: "TunnelSessions",
  displayName: "tunnel session",
  fields: {
    uri: assigned(),
    agentVersion: assigned(),
    credential: objectReference(),
    ip: assigned(),
    metadata: assigned(),
    os: assigned(),
    region: assigned(),
    startedAt: assigned(),
    transport: assigned(),
  },
  route: "GET /tunnel_sessions/{id}",
  list: { displayName: "tunnel session", route: "GET /tunnel_sessions", key: "tunnel_sessions" },
  filters: {
    agentVersion: equals("agentVersion"),
    credentialId: ({ credential }, id) => credential?.id === id,
    ip: equals("ip"),
    metadata: equals("metadata"),
    os: equals("os"),
    region: equals("region"),
    transport: equals("transport"),
  },
  absent: "only sessions that are online can be read, and an agent that restarts gets a new one",
};
