import { type TunnelSessionFilters, type TunnelSessionProps, tunnelSession } from "../../definitions/tunnelSession";
import { invoke, invokeOutput, readList, readOne } from "../program/invoke";
import type { Result } from "../program/types";

/** The arguments of {@link getTunnelSession}. */
export interface GetTunnelSessionArgs extends Pick<TunnelSessionProps, "id"> {}

/** The session of an agent that is online. */
export interface GetTunnelSessionResult extends Result<TunnelSessionProps> {}

/** The filters of {@link getTunnelSessions}. A session must match all of them; `""` matches a field that is not set. */
export interface GetTunnelSessionsArgs extends TunnelSessionFilters {}

/** The result of {@link getTunnelSessions}. */
export interface GetTunnelSessionsResult {
  /** The sessions that are online, from all pages. */
  readonly tunnelSessions: GetTunnelSessionResult[];
}

const one = readOne<GetTunnelSessionArgs, GetTunnelSessionResult>(tunnelSession);
const list = readList<GetTunnelSessionsArgs, GetTunnelSessionsResult>(tunnelSession);

/**
 * Reads a session of an agent that is online.
 *
 * @example
 * ```ts
 * const { agentVersion, os } = await tunnel.getTunnelSession({ id: "ts_2QSJ…" });
 * ```
 */
export const getTunnelSession = invoke(one);

/** Like {@link getTunnelSession}, but accepts Outputs and returns an Output. */
export const getTunnelSessionOutput = invokeOutput(one);

/**
 * Reads the sessions of all agents that are online, optionally filtered.
 *
 * @example
 * ```ts
 * // A restart changes the session id. Find the agent by what stays the same.
 * const { tunnelSessions } = await tunnel.getTunnelSessions({ credentialId: "cr_2QSK…", metadata: "build-1" });
 * ```
 */
export const getTunnelSessions = invoke(list);

/** Like {@link getTunnelSessions}, but accepts Outputs and returns an Output. */
export const getTunnelSessionsOutput = invokeOutput(list);
