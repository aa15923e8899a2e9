import type { AgentCommand, CommandDefinition, Problem } from "./definition";
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
   * `"update"` they are sent 10 seconds later, so that the agent uses its new version.
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
    commands: required(enumList(...agentCommands)),
    triggers: triggers(),
  },
  computed: { sentAt: {} },
  rules: ({ commands }) => (commands === undefined ? [] : orderProblems(commands as AgentCommand[])),
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

/** What is wrong with the order of the commands. */
function orderProblems(commands: AgentCommand[]): Problem[] {
  const problem = (message: string) => [{ path: ["commands"], message }];
  if (commands.length === 0) return problem("must contain at least one command");
  const end = commands.findIndex(endsSession);
  const after = end < 0 ? [] : commands.slice(end + 1);
  if (after.length > 0) {
    const last = `"${commands[end]}"`;
    return problem(`has ${listCommands(after)} after ${last}, which ends the session; ${last} must come last`);
  }
  return commands.indexOf("update") === commands.lastIndexOf("update")
    ? []
    : problem('has "update" twice, but an agent rejects a second update before it has restarted; list it once');
}
