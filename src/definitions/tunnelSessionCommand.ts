import type { AgentCommand, CommandDefinition, Problem } from "./definition";
import { enumList, objectId, triggers } from "./kinds";

/** Commands to a running agent. */
export interface TunnelSessionCommandProps {
  /** The agent's session, `ts_…`. A change of only the session sends nothing: after a restart the agent has a new one. */
  sessionId: string;
  /**
   * The commands to send, in this order. Nothing can follow `"restart"` or `"stop"`, which end the session. After an
   * `"update"` they wait until 10 seconds have passed, so that the agent's new code is used.
   */
  commands: AgentCommand[];
  /** Values of any type that are never sent. When any of them changes, the commands are sent again. */
  triggers?: unknown[];
}

export interface TunnelSessionCommandComputed {
  /** When the last of the commands was sent, RFC 3339. */
  sentAt: string;
}

export const tunnelSessionCommand: CommandDefinition<TunnelSessionCommandProps, TunnelSessionCommandComputed> = {
  kind: "command",
  type: "TunnelSessionCommand",
  displayName: "tunnel session",
  fields: {
    sessionId: objectId("a tunnel session", "ts_"),
    commands: enumList("update", "restart", "stop"),
    triggers: triggers(),
  },
  computed: { sentAt: {} },
  rules: ({ commands }) => (commands === undefined ? [] : orderProblems(commands as AgentCommand[])),
  routes: {
    read: "GET /tunnel_sessions/{id}",
    update: "POST /tunnel_sessions/{id}/update",
    restart: "POST /tunnel_sessions/{id}/restart",
    stop: "POST /tunnel_sessions/{id}/stop",
  },
};

/** Whether a command ends the session: nothing can follow it, and the session does not exist afterwards. */
export const endsSession = (command: AgentCommand | undefined) => command === "restart" || command === "stop";

/** `"update", then "restart"`. */
export const listCommands = (commands: AgentCommand[]) => commands.map((command) => `"${command}"`).join(", then ");

/** What is wrong with the order of the commands. */
function orderProblems(commands: AgentCommand[]): Problem[] {
  const problem = (message: string) => [{ path: ["commands"], message }];
  if (commands.length === 0) return problem("must contain at least one command");
  const end = commands.findIndex(endsSession);
  const after = end < 0 ? [] : commands.slice(end + 1);
  if (after.length > 0) {
    return problem(`has ${listCommands(after)} after "${commands[end]}", which ends the session`);
  }
  return commands.indexOf("update") === commands.lastIndexOf("update")
    ? []
    : problem('has "update" twice; an agent rejects the second until it has restarted');
}
