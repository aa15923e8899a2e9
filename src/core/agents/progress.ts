/** What the state records of a sequence of commands: its arguments and, if it is not complete, how far it got. */

import { asList, isObject, type Json, type JsonObject } from "../../base/json";
import type { AgentCommand } from "../../definitions/definition";
import { agentCommands } from "../../definitions/tunnelSessionCommand";
import { managedKey, withoutInternal } from "../state";

export interface CommandArgs extends JsonObject {
  sessionId: string;
  commands: AgentCommand[];
}

/** How far a sequence has come. */
export interface Progress {
  sent: AgentCommand[];
  /** The next command, if it was sent and its response was lost: the agent may have run it. */
  lost?: AgentCommand;
  /** When the last of them was sent. */
  sentAt?: string;
}

export interface CommandState extends Progress {
  id: string;
  values: JsonObject;
  isComplete: boolean;
}

/** The property that records the progress of a sequence that is not complete. */
const progressKey = "__progress";

/** Arguments that were checked. */
export const parseArgs = (args: JsonObject): CommandArgs => ({
  ...args,
  sessionId: String(args.sessionId),
  commands: parseCommands(args.commands),
});

export function parseState(id: string, properties: JsonObject): CommandState {
  const { [progressKey]: progress, commands, sentAt } = properties;
  const { sent = commands, lost } = isObject(progress) ? progress : {};
  return {
    id,
    values: withoutInternal(properties),
    isComplete: progress === undefined,
    sent: parseCommands(sent),
    lost: parseCommands(lost)[0],
    ...(typeof sentAt === "string" && { sentAt }),
  };
}

export const toProperties = ({ values, isComplete, sent, lost, sentAt }: CommandState): JsonObject => ({
  ...values,
  ...(sentAt !== undefined && { sentAt }),
  [managedKey]: Object.keys(values).join(" "),
  ...(!isComplete && { [progressKey]: { sent, ...(lost && { lost }) } }),
});

const parseCommands = (commands: Json | undefined) => asList(commands).filter(isCommand);

const isCommand = (command: Json): command is AgentCommand => agentCommands.some((each) => each === command);
