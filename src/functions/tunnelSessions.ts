import type * as pulumi from "@pulumi/pulumi";
import { anyValue, equalsField, objectReference, readList, readOne, type Subject } from "../core/query";
import { invoke, invokeOutput, type OutputArgs } from "../dynamic/invoke";
import type { Ref } from "./tunnels";

/** The arguments of {@link getTunnelSession}. */
export interface GetTunnelSessionArgs {
  /** The session, `ts_…`. */
  id: string;
}

/** The session of an agent that is online. */
export interface GetTunnelSessionResult {
  /** The session's id, `ts_…`. */
  readonly id: string;
  /** The session's address in the API. */
  readonly uri: string;
  /** The version of the agent that started the session. */
  readonly agentVersion: string;
  /** The tunnel credential or SSH credential that the session was started with. */
  readonly credential: Ref;
  /** The source address of the session. */
  readonly ip: string;
  /** The metadata in the agent's configuration file. */
  readonly metadata: string | undefined;
  /** The operating system of the agent's machine. */
  readonly os: string;
  /** The region in which the session was started. */
  readonly region: string;
  /** When the session first connected, RFC 3339. */
  readonly startedAt: string;
  /** How the agent is connected. */
  readonly transport: "service/v2" | "ssh";
}

/** The filters of {@link getTunnelSessions}: a session must be what all of them say. */
export interface GetTunnelSessionsArgs {
  /** The version of the agent. */
  agentVersion?: string;
  /** The id of the tunnel credential or SSH credential that the session was started with. */
  credentialId?: string;
  /** The source address of the session. */
  ip?: string;
  /** The metadata in the agent's configuration file; `""` for agents without. */
  metadata?: string;
  /** The operating system of the agent's machine, such as `linux`. */
  os?: string;
  /** The region in which the session was started. */
  region?: string;
  /** How the agent is connected. */
  transport?: "service/v2" | "ssh";
}

/** The result of {@link getTunnelSessions}. */
export interface GetTunnelSessionsResult {
  /** The sessions that are online, of all pages. */
  readonly tunnelSessions: GetTunnelSessionResult[];
}

const session: Subject = {
  displayName: "tunnel session",
  absent: "only sessions that are online can be read, and an agent that restarts gets a new one",
  fields: {
    uri: anyValue,
    agentVersion: anyValue,
    credential: objectReference,
    ip: anyValue,
    metadata: anyValue,
    os: anyValue,
    region: anyValue,
    startedAt: anyValue,
    transport: anyValue,
  },
  routes: { read: "GET /tunnel_sessions/{id}" },
  list: { displayName: "tunnel session", route: "GET /tunnel_sessions", key: "tunnel_sessions" },
};

const one = readOne<GetTunnelSessionArgs, GetTunnelSessionResult>("getTunnelSession", session);

const all = readList<GetTunnelSessionsArgs, GetTunnelSessionsResult>("getTunnelSessions", session, {
  agentVersion: equalsField("agentVersion"),
  credentialId: ({ credential }, id) => credential?.id === id,
  ip: equalsField("ip"),
  metadata: equalsField("metadata"),
  os: equalsField("os"),
  region: equalsField("region"),
  transport: equalsField("transport"),
});

/**
 * Reads a session of an agent that is online.
 *
 * @example
 * ```ts
 * const { agentVersion, os } = await tunnel.getTunnelSession({ id: "ts_2QSJ…" });
 * ```
 */
export function getTunnelSession(
  args: GetTunnelSessionArgs,
  opts?: pulumi.InvokeOptions,
): Promise<GetTunnelSessionResult> {
  return invoke(one, args, opts);
}

/** As {@link getTunnelSession}, for arguments that are Outputs. */
export function getTunnelSessionOutput(
  args: OutputArgs<GetTunnelSessionArgs>,
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetTunnelSessionResult> {
  return invokeOutput(one, args, opts);
}

/**
 * Reads the sessions of all agents that are online, or those that the filters want.
 *
 * @example
 * ```ts
 * // After a restart an agent has a new session; what it was started with tells which one is its.
 * const { tunnelSessions } = await tunnel.getTunnelSessions({ credentialId: "cr_2QSK…", metadata: "build-1" });
 * ```
 */
export function getTunnelSessions(
  args: GetTunnelSessionsArgs = {},
  opts?: pulumi.InvokeOptions,
): Promise<GetTunnelSessionsResult> {
  return invoke(all, args, opts);
}

/** As {@link getTunnelSessions}, for filters that are Outputs. */
export function getTunnelSessionsOutput(
  args: OutputArgs<GetTunnelSessionsArgs> = {},
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetTunnelSessionsResult> {
  return invokeOutput(all, args, opts);
}
