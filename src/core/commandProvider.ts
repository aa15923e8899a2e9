/**
 * The provider of commands to an agent. A command is an event, not an object: there is nothing to read or
 * delete. A sequence that fails halfway records how far it got, and the next update continues from there.
 */

import { uncertainCall } from "../api/callError";
import type { JsonObject } from "../base/json";
import type { AgentCommand, CommandDefinition } from "../definitions/definition";
import { toOutputs } from "../definitions/fields/field";
import { endsSession, listCommands } from "../definitions/tunnelSessionCommand";
import { Agent } from "./agents/agent";
import {
  type CommandArgs,
  type CommandState,
  type Progress,
  parseArgs,
  parseState,
  toProperties,
} from "./agents/progress";
import type { Deployment } from "./deployment/deployment";
import { PartialFailure, ProviderError } from "./errors";
import { type Options, requiresReplacement } from "./options";
import { type Diff, describeChanges } from "./plan/diff";
import { previewCreate } from "./plan/preview";
import type { Found, Provider } from "./provider";
import { deadlineFor, hasPassed, type OperationName } from "./timeouts";
import { hasUnknown } from "./unknown";

export class CommandProvider implements Provider<CommandState> {
  constructor(
    private readonly definition: CommandDefinition,
    private readonly deployment: Deployment,
  ) {}

  parse = parseState;
  properties = toProperties;

  async check(_: JsonObject | undefined, args: JsonObject) {
    const { definition, deployment } = this;
    const { findProblems } = require("./check/checks") as typeof import("./check/checks");
    const problems = [...deployment.settingProblems, ...findProblems(definition, args)];
    return { args, problems };
  }

  async diff(state: CommandState, args: JsonObject, options: Options): Promise<Diff> {
    this.recallUpdate(state);
    const updates = this.changedArguments(state, args);
    const runs = updates.length > 0 || !state.isComplete;
    if (runs && !hasUnknown([args.sessionId, args.commands])) await this.announce(options, parseArgs(args), state);
    const replaces = updates.filter((name) => requiresReplacement(options, [name], state.values, args));
    const changed = runs && updates.length === 0 ? ["commands"] : updates;
    const paths = changed.map((name) => [name]);
    return {
      updates: changed,
      replaces,
      changes: describeChanges(paths, replaces, state.values, args),
      needsCall: runs,
      needsRecord: false,
      deleteBeforeReplace: false,
    };
  }

  create(args: JsonObject, options: Options): Promise<CommandState> {
    const none: CommandState = { id: this.deployment.clock.randomUuid(), values: {}, isComplete: true, sent: [] };
    return this.run("create", this.unfinished(options) ?? none, parseArgs(args), options);
  }

  update(state: CommandState, args: JsonObject, options: Options): Promise<CommandState> {
    this.recallUpdate(state);
    return this.run("update", this.unfinished(options) ?? state, parseArgs(args), options);
  }

  async read(id: string, state: CommandState | undefined): Promise<Found<CommandState>> {
    return state ? { state } : this.readUnmanaged("read", id);
  }

  async readUnmanaged(_: "read" | "import", id: string): Promise<never> {
    const { type } = this.definition;
    throw new ProviderError(`${type} ${id} cannot be imported or read: the service keeps nothing of a command.`);
  }

  async delete(): Promise<void> {}

  preview(_: CommandState | undefined, args: JsonObject): JsonObject {
    return toOutputs(this.definition.fields, previewCreate(this.definition, args));
  }

  /** A retry, which an `onError` hook asks for, goes on where the sequence stopped. The engine has forgotten where. */
  private unfinished({ key }: Options): CommandState | undefined {
    const earlier = this.deployment.creates.unfinished.get(key);
    return earlier && parseState(earlier.id, earlier.properties);
  }

  /** The arguments whose change sends the commands again. */
  private changedArguments({ values }: CommandState, args: JsonObject): string[] {
    const { fields } = this.definition;
    return ["commands", "triggers"].filter(
      (name) => hasUnknown(args[name]) || !fields[name]!.equals(args[name], values[name]),
    );
  }

  /** Where to start: changed commands or triggers start over, and what failed halfway does so in another session. */
  private startFrom(state: CommandState, args: CommandArgs): Progress {
    const { sent, lost, sentAt, isComplete, values } = state;
    const isSame = this.changedArguments(state, args).length === 0;
    const continues = isSame && (isComplete || values.sessionId === args.sessionId);
    return continues ? { sent, lost, sentAt } : { sent: [] };
  }

  /** Whether a lost command may have ended the session, and nothing needs to be sent then. */
  private mayHaveEnded = (state: CommandState, args: CommandArgs) =>
    endsSession(state.lost) && this.changedArguments(state, args).length === 0;

  /** Another resource, or an earlier deployment, may have sent an update to the agent a moment ago. */
  private recallUpdate({ values, sent, lost, sentAt }: CommandState): void {
    if (sentAt && (lost ?? sent.at(-1)) === "update") {
      this.deployment.sessions.markUpdated(String(values.sessionId), Date.parse(sentAt));
    }
  }

  /** Says in a preview what the changed arguments do not show. */
  private async announce(options: Options, args: CommandArgs, state: CommandState): Promise<void> {
    const { sent, lost } = this.startFrom(state, args);
    const rest = args.commands.slice(sent.length);
    if (rest.length === 0) return;
    const done = sent.length > 0 ? `Already sent: ${listCommands(sent)}. ` : "";
    const again = lost ? " again" : "";
    const unless = lost || this.mayHaveEnded(state, args) ? ", unless the first one took effect" : "";
    await this.deployment.announce(
      `${done}${listCommands(rest)} will be sent to session ${args.sessionId}${again}${unless}.`,
      options,
    );
  }

  private async run(
    operation: OperationName,
    state: CommandState,
    args: CommandArgs,
    options: Options,
  ): Promise<CommandState> {
    const { definition, deployment } = this;
    const { sessionId, commands } = args;
    const progress = this.startFrom(state, args);
    const rest = () => commands.slice(progress.sent.length);
    const deadline = deadlineFor(options.timeouts, operation, deployment.clock);
    const finish = (complete: CommandState) => {
      deployment.creates.unfinished.delete(options.key);
      return complete;
    };
    try {
      // The program may have found the agent's new session since: then the command that was to end the old one worked.
      if (this.mayHaveEnded(state, args) && (await this.hasEnded(state, deadline?.at))) {
        const values = { ...args, sessionId: String(state.values.sessionId) };
        return finish({ ...state, values, isComplete: true });
      }
      const agent = this.agent(sessionId, deadline?.at);
      const send = () => this.send(agent, sessionId, rest(), progress);
      if (rest().length > 0) await deployment.turns.take(sessionId, send);
      return finish({ id: state.id, values: args, isComplete: true, ...progress });
    } catch (error) {
      const sentences = [
        `${listCommands(rest())} could not be sent to ${definition.displayName} ${sessionId}: ${(error as Error).message}`,
        hasPassed(deadline, deployment.clock) && deadline.hint,
        progress.lost && "It may have run. The next `pulumi up` checks, and sends it again if needed.",
        progress.sent.length > 0 &&
          `Already sent: ${listCommands(progress.sent)}. The next \`pulumi up\` continues from there.`,
      ];
      const message = sentences.filter(Boolean).join(" ");
      if (progress.sent.length === 0 && !progress.lost) throw new ProviderError(message);
      const partial = { id: state.id, values: args, isComplete: false, ...progress };
      const failure = new PartialFailure(message, state.id, this.properties(partial));
      deployment.creates.unfinished.set(options.key, failure);
      throw failure;
    }
  }

  /** Sends the commands, and records the progress. */
  private async send(agent: Agent, sessionId: string, commands: AgentCommand[], progress: Progress): Promise<void> {
    await agent.assertCanRun(commands);
    for (const command of commands) {
      const record = (change: Progress) => {
        const now = this.deployment.clock.now();
        Object.assign(progress, { lost: undefined, ...change, sentAt: new Date(now).toISOString() });
        if (command === "update") this.deployment.sessions.markUpdated(sessionId, now);
      };
      try {
        await agent.send(command, progress.lost === command);
      } catch (error) {
        if (uncertainCall(error)) record({ sent: progress.sent, lost: command });
        throw error;
      }
      record({ sent: [...progress.sent, command] });
    }
  }

  /** Whether the session of an earlier deployment has ended. */
  private async hasEnded({ values }: CommandState, deadline?: number): Promise<boolean> {
    return !(await this.agent(String(values.sessionId), deadline).find());
  }

  private agent = (session: string, deadline?: number) =>
    new Agent(session, this.definition.routes, this.deployment, deadline);
}
