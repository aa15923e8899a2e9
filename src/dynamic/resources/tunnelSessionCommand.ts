import type * as pulumi from "@pulumi/pulumi";
import { type TunnelSessionCommandProps, tunnelSessionCommand } from "../../definitions/tunnelSessionCommand";
import { programError } from "../program/programError";
import { resource } from "../program/resource";
import type { Inputs, Named } from "../program/types";

/** The arguments of a {@link TunnelSessionCommand}. */
export interface TunnelSessionCommandArgs extends Inputs<TunnelSessionCommandProps>, Named {}

/**
 * Commands to a running agent, sent when the resource is created, and again whenever `commands` or `triggers` change.
 *
 * A command is an event, not an object of the service. Deleting the resource sends nothing, a refresh finds no drift, and
 * the resource cannot be imported or read.
 *
 * - `"update"`: the agent updates itself to the latest release of its major version. Install a new major version by hand.
 * - `"restart"`: the agent replaces its own process. Agents on Windows cannot restart.
 * - `"stop"`: the agent exits.
 *
 * If a sequence fails halfway, the next `pulumi up` sends it again, from the first command. An update that the agent has
 * from the first time then counts as sent. If only the response to a final `"restart"` or `"stop"` was lost, and the session
 * is no longer online, nothing is sent.
 *
 * Commands to one agent from several resources are not ordered: declare one resource, or use the option `dependsOn`.
 *
 * @example
 * Update an agent and restart it with its new version. To repeat this, change the trigger.
 * ```ts
 * new tunnel.TunnelSessionCommand("rollout", {
 *   sessionId: "ts_2QSH…",
 *   commands: ["update", "restart"],
 *   triggers: ["2027-03"],
 * });
 * ```
 *
 * @example
 * A restart changes the session id, so look up the session by the agent's credential, IP address or metadata.
 * ```ts
 * const { tunnelSessions } = await tunnel.getTunnelSessions({ credentialId: "cr_2QSJ…", metadata: "office" });
 * new tunnel.TunnelSessionCommand("nightly", {
 *   sessionId: tunnelSessions[0].id,
 *   commands: ["restart"],
 *   triggers: [config.require("build")],
 * });
 * ```
 *
 * @example
 * Stop every agent of a version that must no longer run.
 * ```ts
 * const { tunnelSessions } = await tunnel.getTunnelSessions({ agentVersion: "3.5.0" });
 * for (const { id } of tunnelSessions) {
 *   new tunnel.TunnelSessionCommand(`stop-${id}`, { sessionId: id, commands: ["stop"] });
 * }
 * ```
 */
export class TunnelSessionCommand extends resource(tunnelSessionCommand) {
  constructor(name: string, args: TunnelSessionCommandArgs, opts: pulumi.CustomResourceOptions = {}) {
    for (const option of ["import", "id"] as const) {
      if (opts[option] === undefined) continue;
      throw programError(
        `TunnelSessionCommand "${name}": remove the option ${option}. Commands cannot be read or imported, because ` +
          "the service does not keep them.",
      );
    }
    super(name, args, opts);
  }
}
