import type * as pulumi from "@pulumi/pulumi";
import type { AgentCommand } from "../core/agent";
import type { CommandDefinition } from "../core/commands";
import { programError } from "../core/errors";
import { enumList, objectId, triggers } from "../definitions/fields";
import { DynamicResource, engineType } from "../dynamic/baseResource";

export type { AgentCommand };

/** The arguments of a {@link TunnelSessionCommand}. */
export interface TunnelSessionCommandArgs {
  /** The session of the agent, `ts_…`. Another session alone sends nothing: after a restart the agent has a new one. */
  sessionId: pulumi.Input<string>;
  /**
   * What to send, in this order. Nothing can follow `"restart"` or `"stop"`, which end the session. After an
   * `"update"` they wait until 10 seconds have passed, so that the agent's new code is used.
   */
  commands: pulumi.Input<pulumi.Input<AgentCommand>[]>;
  /** Values of any kind that are never sent. When any of them changes, the commands are sent again. */
  triggers?: pulumi.Input<unknown[]>;
}

export const tunnelSessionCommand: CommandDefinition = {
  type: "TunnelSessionCommand",
  displayName: "tunnel session",
  fields: {
    sessionId: objectId("a tunnel session", "ts_", { required: true }),
    commands: enumList(["update", "restart", "stop"], { required: true }),
    triggers: triggers(),
  },
  outputs: { sentAt: {} },
  routes: {
    read: "GET /tunnel_sessions/{id}",
    update: "POST /tunnel_sessions/{id}/update",
    restart: "POST /tunnel_sessions/{id}/restart",
    stop: "POST /tunnel_sessions/{id}/stop",
  },
};

/**
 * Commands to a running agent, sent once and again whenever `commands` or `triggers` change. A command is an event,
 * not an object: deleting it sends nothing, refreshing finds no drift, and it can be neither imported nor read.
 *
 * - `"update"`: the agent updates itself to the latest version, never to a new major one, which is installed by hand.
 * - `"restart"`: the agent replaces its own process. Agents on Windows cannot.
 * - `"stop"`: the agent exits.
 *
 * A sequence that failed half way goes on from there in the next `pulumi up`.
 *
 * @example Update an agent, and restart it into its new version; a change of the trigger does it again.
 * ```ts
 * new tunnel.TunnelSessionCommand("rollout", {
 *   sessionId: "ts_2QSH…",
 *   commands: ["update", "restart"],
 *   triggers: ["2027-03"],
 * });
 * ```
 *
 * @example After a restart the agent has a new session id. Find its session by what stays the same: its credential,
 * its address, or the metadata of its configuration file.
 * ```ts
 * const { tunnelSessions } = await tunnel.getTunnelSessions({ credentialId: "cr_2QSJ…", metadata: "office" });
 * new tunnel.TunnelSessionCommand("nightly", {
 *   sessionId: tunnelSessions[0].id,
 *   commands: ["restart"],
 *   triggers: [config.require("build")],
 * });
 * ```
 *
 * @example Stop every agent of a version that must not run any longer.
 * ```ts
 * const { tunnelSessions } = await tunnel.getTunnelSessions({ agentVersion: "3.5.0" });
 * for (const { id } of tunnelSessions) {
 *   new tunnel.TunnelSessionCommand(`stop-${id}`, { sessionId: id, commands: ["stop"] });
 * }
 * ```
 */
export class TunnelSessionCommand extends DynamicResource {
  /** @internal */
  static readonly __pulumiType = engineType("TunnelSessionCommand");

  /** The session that the commands were sent to; over by now, where they ended it. */
  declare readonly sessionId: pulumi.Output<string>;
  /** What was sent. */
  declare readonly commands: pulumi.Output<AgentCommand[]>;
  /** Values whose change sends the commands again. */
  declare readonly triggers: pulumi.Output<unknown[]>;
  /** When the last of the commands was sent, RFC 3339. */
  declare readonly sentAt: pulumi.Output<string>;

  constructor(name: string, args: TunnelSessionCommandArgs, opts: pulumi.CustomResourceOptions = {}) {
    for (const option of ["import", "id"] as const) {
      if (opts[option] === undefined) continue;
      throw programError(
        `TunnelSessionCommand "${name}" has the option ${option}, but a command is an event, of which the service ` +
          `keeps nothing that could be read or imported: take the option out.`,
      );
    }
    super(tunnelSessionCommand, name, args, opts);
  }
}
