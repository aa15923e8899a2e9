import { reject } from "./errors";
import { newId } from "./ids";
import type { Agent, Store, StoredSession } from "./store";

export interface Clock {
  now(): number;
  /** RFC 3339, UTC, whole seconds. */
  timestamp(): string;
  /** How long an update takes, in milliseconds. */
  readonly updateMs: number;
  /** How long after an update a restart still uses the old version, in milliseconds. */
  readonly updateGraceMs: number;
}

const parseMajor = (version: string) => version.split(".")[0];

/** Returns the next minor version. */
export function nextVersion(version: string): string {
  const [first = "3", second = "0"] = version.split(".");
  return `${first}.${Number.parseInt(second, 10) + 1 || 1}.0`;
}

export function createAgent(latest: string | null): Agent {
  return { latest, updatesDisabled: false, updatedAt: null, readyAt: null };
}

/** Fails in four cases, and never updates an agent to another major version. */
export function updateAgent(session: StoredSession, clock: Clock): void {
  const { agent } = session;
  if (agent.updatesDisabled) reject("UPDATE_DISABLED", "The agent's configuration has disabled update checks.");
  if (agent.updatedAt !== null && clock.now() < agent.updatedAt)
    reject("UPDATE_RUNNING", "The agent is currently updating.");
  if (agent.updatedAt !== null)
    reject("UPDATE_DONE", "The agent has already updated successfully and has not restarted.");
  if (
    agent.latest === null ||
    agent.latest === session.agent_version ||
    parseMajor(agent.latest) !== parseMajor(session.agent_version)
  )
    reject("UPDATE_NOT_AVAILABLE", "No update is available for the agent.");
  agent.updatedAt = clock.now() + clock.updateMs;
  agent.readyAt = agent.updatedAt + clock.updateGraceMs;
}

/** Replaces the session and its tunnels by new ones. */
export function restartAgent(store: Store, session: StoredSession, clock: Clock): void {
  if (/^windows/i.test(session.os)) reject("RESTART_WINDOWS", "The agent cannot restart itself on Windows.");
  const { agent } = session;
  const isUpdated = agent.readyAt !== null && clock.now() >= agent.readyAt && agent.latest !== null;
  const newSession = store.sessions.add({
    ...session,
    id: newId("ts_"),
    started_at: clock.timestamp(),
    agent_version: isUpdated ? agent.latest! : session.agent_version,
    agent: { ...createAgent(isUpdated ? null : agent.latest), updatesDisabled: agent.updatesDisabled },
  });
  for (const tunnel of findTunnels(store, session)) {
    store.tunnels.delete(tunnel.id);
    store.tunnels.add({ ...tunnel, id: newId("tn_"), session_id: newSession.id, started_at: clock.timestamp() });
  }
  store.sessions.delete(session.id);
}

/** Deletes the session and its tunnels. */
export function stopAgent(store: Store, session: StoredSession): void {
  for (const tunnel of findTunnels(store, session)) store.tunnels.delete(tunnel.id);
  store.sessions.delete(session.id);
}

const findTunnels = (store: Store, session: StoredSession) =>
  store.tunnels.all().filter((tunnel) => tunnel.session_id === session.id);
