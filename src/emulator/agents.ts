import { refuse } from "./errors";
import { newId } from "./ids";
import type { Agent, Store, StoredSession } from "./store";

/** What agents need to know of time. */
export interface Clock {
  now(): number;
  /** RFC 3339, UTC, whole seconds. */
  timestamp(): string;
  /** How long an agent is updating, in milliseconds. */
  readonly updateMs: number;
  /** How long after an update a restart still runs the old code, in milliseconds. */
  readonly settleMs: number;
}

const major = (version: string) => version.split(".")[0];

/** The next minor version: what an agent finds when nothing else is said. */
export function nextVersion(version: string): string {
  const [first = "3", second = "0"] = version.split(".");
  return `${first}.${Number.parseInt(second, 10) + 1 || 1}.0`;
}

export function freshAgent(latest: string | null): Agent {
  return { latest, updatesDisabled: false, updatedAt: null, readyAt: null };
}

/** Update: fails in four cases, and never moves an agent to a new major version. */
export function update(session: StoredSession, clock: Clock): void {
  const { agent } = session;
  if (agent.updatesDisabled) refuse("UPDATE_DISABLED", "The agent's configuration has disabled update checks.");
  if (agent.updatedAt !== null && clock.now() < agent.updatedAt)
    refuse("UPDATE_RUNNING", "The agent is currently updating.");
  if (agent.updatedAt !== null)
    refuse("UPDATE_DONE", "The agent has already updated successfully and has not restarted.");
  if (
    agent.latest === null ||
    agent.latest === session.agent_version ||
    major(agent.latest) !== major(session.agent_version)
  )
    refuse("UPDATE_NOT_AVAILABLE", "No update is available for the agent.");
  agent.updatedAt = clock.now() + clock.updateMs;
  agent.readyAt = agent.updatedAt + clock.settleMs;
}

/** Restart: the agent comes back with a new session, and its tunnels with it. */
export function restart(store: Store, session: StoredSession, clock: Clock): void {
  if (/^windows/i.test(session.os)) refuse("RESTART_WINDOWS", "The agent cannot restart itself on Windows.");
  const { agent } = session;
  const renewed = agent.readyAt !== null && clock.now() >= agent.readyAt && agent.latest !== null;
  const next = store.sessions.add({
    ...session,
    id: newId("ts_"),
    started_at: clock.timestamp(),
    agent_version: renewed ? agent.latest! : session.agent_version,
    agent: { ...freshAgent(renewed ? null : agent.latest), updatesDisabled: agent.updatesDisabled },
  });
  for (const tunnel of tunnelsOf(store, session)) {
    store.tunnels.delete(tunnel.id);
    store.tunnels.add({ ...tunnel, id: newId("tn_"), session_id: next.id, started_at: clock.timestamp() });
  }
  store.sessions.delete(session.id);
}

/** Stop: the agent exits, and its session and tunnels are no longer online. */
export function stop(store: Store, session: StoredSession): void {
  for (const tunnel of tunnelsOf(store, session)) store.tunnels.delete(tunnel.id);
  store.sessions.delete(session.id);
}

const tunnelsOf = (store: Store, session: StoredSession) =>
  store.tunnels.all().filter((tunnel) => tunnel.session_id === session.id);
