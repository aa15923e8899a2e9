import type { AgentCommand, CommandDefinition } from "./definition";
import { enumList, objectId, required, triggers } from "./fields/fieldTypes";

/** Commands to a running agent. */
export interface TunnelSessionCommandProps {
  /**
   * The id of the agent's session, `ts_…`. Changing only this sends nothing, because an agent has a new session after
   * a restart.
   */
  sessionId: string;
  /**
   * The commands to send, in this order. `"restart"` and `"stop"` end the session, so they must come last. After an
   * `"update"` the provider waits for 10 seconds, so that a restart uses the new version.
   */
  commands: AgentCommand[];
  /** Arbitrary JSON values that are never sent. Changing any of them sends the commands again. */
  triggers?: unknown[];
}

export interface TunnelSessionCommandComputed {
  /** When the last command was sent, in RFC 3339 format. */
  sentAt: string;
}

export const agentCommands: readonly AgentCommand[] = ["update", "restart", "stop"];

export const tunnelSessionCommand: CommandDefinition<TunnelSessionCommandProps, TunnelSessionCommandComputed> = {
  kind: "command",
  type: "TunnelSessionCommand",
  displayName: "tunnel session",
  fields: {
    sessionId: required(objectId("a tunnel session", "ts_")),
    commands: {
      ...required(enumList(...agentCommands)),
      conflict: ({ commands }) => orderProblem(commands as AgentCommand[]),
    },
    triggers: triggers(),
  },
  computed: { sentAt: {} },
  routes: {
    update: "POST /tunnel_sessions/{id}/update",
    restart: "POST /tunnel_sessions/{id}/restart",
    stop: "POST /tunnel_sessions/{id}/stop",
  },
};

/** Whether a command ends the session: nothing can follow it, and the session does not exist afterwards. */
export const endsSession = (command: AgentCommand | undefined) => command === "restart" || command === "stop";

/** `"update", then "restart"`. */
export const listCommands = (commands: AgentCommand[]) => commands.map((command) => `"${command}"`).join(", then ");

/** What is wrong with the order of the commands, if they are known. */
function orderProblem(commands: AgentCommand[] | undefined): string | undefined {
  if (!commands) return undefined;
  if (commands.length === 0) return "must contain at least one command";
  const end = commands.findIndex(endsSession);
  const after = end < 0 ? [] : commands.slice(end + 1);
  if (after.length > 0) {
    const last = `"${commands[end]}"`;
    return `has ${listCommands(after)} after ${last}, which ends the session; ${last} must come last`;
  }
  return commands.indexOf("update") === commands.lastIndexOf("update")
    ? undefined
    : 'has "update" twice, but an agent rejects a second update before it has restarted; list it once';
}
