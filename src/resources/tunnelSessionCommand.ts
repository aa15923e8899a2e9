import type * as pulumi from "@pulumi/pulumi";
import { type TunnelSessionCommandProps, tunnelSessionCommand } from "../definitions/tunnelSessionCommand";
import { programError } from "../dynamic/programError";
import { commandResource } from "../dynamic/resource";
import type { Inputs } from "../dynamic/types";

/** The arguments of a {@link TunnelSessionCommand}. */
export interface TunnelSessionCommandArgs extends Inputs<TunnelSessionCommandProps> {}

/**
 * Commands to a running agent, sent once, and again whenever `commands` or `triggers` change. A command is an event,
 * not an object: deleting it sends nothing, refreshing finds no drift, and it can be neither imported nor read.
 *
 * - `"update"`: the agent updates itself to the latest version, never to a new major one, which is installed by hand.
 * - `"restart"`: the agent replaces its own process. Agents on Windows cannot.
 * - `"stop"`: the agent exits.
 *
 * A sequence that failed half way continues from there in the next `pulumi up`.
 *
 * @example Update an agent and restart it with its new version. Changing the trigger repeats it.
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
 * @example Stop every agent of a version that must no longer run.
 * ```ts
 * const { tunnelSessions } = await tunnel.getTunnelSessions({ agentVersion: "3.5.0" });
 * for (const { id } of tunnelSessions) {
 *   new tunnel.TunnelSessionCommand(`stop-${id}`, { sessionId: id, commands: ["stop"] });
 * }
 * ```
 */
export class TunnelSessionCommand extends commandResource(tunnelSessionCommand) {
  constructor(name: string, args: TunnelSessionCommandArgs, opts: pulumi.CustomResourceOptions = {}) {
    for (const option of ["import", "id"] as const) {
      if (opts[option] === undefined) continue;
      throw programError(
        `TunnelSessionCommand "${name}" has the option ${option}, but a command is an event, of which the service ` +
          "keeps nothing that could be read or imported. Remove the option.",
      );
    }
    super(name, args, opts);
  }
}
