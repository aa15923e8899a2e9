import type { Call } from "./call";
import { reject } from "./errors";
import { newId } from "./ids";
import { createAgent, type StoredSession, sessions } from "./objects/sessions";
import { tunnels } from "./objects/tunnels";
import type { Store } from "./store";

const parseMajor = (version: string) => version.split(".")[0];

/** Fails in four cases, and never updates an agent to another major version. */
export function updateAgent(session: StoredSession, { clock }: Call): void {
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
export function restartAgent(session: StoredSession, { store, clock }: Call): void {
  if (/^windows/i.test(session.os)) reject("RESTART_WINDOWS", "The agent cannot restart itself on Windows.");
  const { agent } = session;
  const isUpdated = agent.readyAt !== null && clock.now() >= agent.readyAt && agent.latest !== null;
  const newSession = store.add(sessions, {
    ...session,
    id: newId("ts_"),
    started_at: clock.timestamp(),
    agent_version: isUpdated ? agent.latest! : session.agent_version,
    agent: { ...createAgent(isUpdated ? null : agent.latest), updatesDisabled: agent.updatesDisabled },
  });
  for (const tunnel of findTunnels(store, session)) {
    store.delete(tunnels, tunnel.id);
    store.add(tunnels, { ...tunnel, id: newId("tn_"), session_id: newSession.id, started_at: clock.timestamp() });
  }
  store.delete(sessions, session.id);
}

/** Deletes the session and its tunnels. */
export function stopAgent(session: StoredSession, { store }: Call): void {
  for (const tunnel of findTunnels(store, session)) store.delete(tunnels, tunnel.id);
  store.delete(sessions, session.id);
}

const findTunnels = (store: Store, session: StoredSession) =>
  store.all(tunnels).filter((tunnel) => tunnel.session_id === session.id);
