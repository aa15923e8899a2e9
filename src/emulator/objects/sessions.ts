import { boolean, object, optional, string, withDefault } from "../fields";
import { newId } from "../ids";
import { creation, type ObjectType } from "../objectType";
import { createRef, type Ref } from "../views";

export interface TunnelSession {
  id: string;
  uri: string;
  agent_version: string;
  credential: Ref;
  ip: string;
  metadata: string;
  os: string;
  region: string;
  started_at: string;
  transport: string;
}

/** The state of an agent, which decides whether the update command succeeds. */
export interface AgentSeed {
  /** Default true. */
  updateAvailable?: boolean;
  /** The version to update to. Default: the next minor version. An agent does not update to another major version. */
  latestVersion?: string;
  /** The agent's configuration has disabled update checks. */
  updatesDisabled?: boolean;
  /** The agent is updating and never finishes. */
  updating?: boolean;
  /** The agent has updated but not restarted. */
  updated?: boolean;
}

export interface SessionSeed {
  id?: string;
  agent_version?: string;
  credential_id?: string;
  ip?: string;
  metadata?: string;
  os?: string;
  region?: string;
  transport?: "service/v2" | "ssh";
  agent?: AgentSeed;
}

/** The state of an agent, for the commands update and restart. Times are milliseconds of the emulator's clock. */
interface Agent {
  /** The newest version that the agent can update to; null if there is none. */
  latest: string | null;
  updatesDisabled: boolean;
  /** When the update ends or ended; null if there is none. */
  updatedAt: number | null;
  /** When a restart starts to use the new version. */
  readyAt: number | null;
}

export interface StoredSession extends Omit<TunnelSession, "uri" | "credential"> {
  credential_id: string;
  agent: Agent;
}

export function createAgent(latest: string | null): Agent {
  return { latest, updatesDisabled: false, updatedAt: null, readyAt: null };
}

/** Returns the next minor version. */
function nextVersion(version: string): string {
  const [first = "3", second = "0"] = version.split(".");
  return `${first}.${Number.parseInt(second, 10) + 1 || 1}.0`;
}

export const sessions: ObjectType<StoredSession, TunnelSession> = {
  name: "tunnel session",
  fileKey: "sessions",
  path: "/tunnel_sessions",
  prefix: "ts_",
  create: creation(
    {
      agent_version: withDefault(string, "3.5.0"),
      credential_id: optional(string),
      ip: withDefault(string, "192.0.2.10"),
      metadata: withDefault(string, ""),
      os: withDefault(string, "linux"),
      region: withDefault(string, "us"),
      transport: withDefault(string, "service/v2"),
      agent: optional(
        object({
          updateAvailable: withDefault(boolean, true),
          latestVersion: optional(string),
          updatesDisabled: withDefault(boolean, false),
          updating: withDefault(boolean, false),
          updated: withDefault(boolean, false),
        }),
      ),
    },
    (id, { credential_id = newId("cr_"), agent: seed, ...fields }, { clock }) => {
      const latest = seed?.latestVersion ?? nextVersion(fields.agent_version);
      const agent = createAgent(seed?.updateAvailable === false ? null : latest);
      if (seed?.updatesDisabled) agent.updatesDisabled = true;
      if (seed?.updated) agent.updatedAt = agent.readyAt = 0;
      // Never reached, and unlike Infinity valid in JSON.
      if (seed?.updating) agent.updatedAt = agent.readyAt = Number.MAX_SAFE_INTEGER;
      return { id, credential_id, started_at: clock.timestamp(), ...fields, agent };
    },
  ),
  view(session, context) {
    const { id, agent_version, credential_id, ip, metadata, os, region, started_at, transport } = session;
    const ref = createRef(context, id, "/tunnel_sessions");
    const credential = createRef(context, credential_id);
    return { ...ref, agent_version, credential, ip, metadata, os, region, started_at, transport };
  },
  page: { title: "Tunnel sessions", fields: ["agent_version", "os", "ip", "region", "started_at"], modules: [] },
};
