/**
 * The provider of commands to an agent. A command is an event, which the service does not store: a refresh does not
 * change its state, and a deletion only removes the state. A sequence that failed starts over in the next `pulumi up`,
 * from its first command.
 */

import { uncertainCall } from "../api/callError";
import type { JsonObject } from "../base/json";
import type { AgentCommand, CommandDefinition } from "../definitions/definition";
import { toOutputs } from "../definitions/fields/field";
import { endsSession, listCommands } from "../definitions/tunnelSessionCommand";
import type { Deployment } from "./deployment/deployment";
import { PartialFailure, ProviderError } from "./errors";
import { Agent } from "./execute/agent";
import { type Options, requiresReplacement } from "./options";
import { type Diff, describeChanges } from "./plan/diff";
import { previewCreate } from "./plan/preview";
import type { Found, Provider } from "./provider";
import { managedKey, withoutInternal } from "./state";
import { deadlineFor, hasPassed, type OperationName } from "./timeouts";
import { hasUnknown } from "./unknown";

/** What the state has of a sequence. */
export interface CommandState {
  id: string;
  /** The arguments with which it was sent, and when. */
  values: JsonObject;
  /** How it failed, if it did. `lost`: only the response to its last command, a restart or stop, is missing. */
  failure?: "failed" | "lost" | undefined;
}

/** The property that says how a sequence failed. */
const failureKey = "__failure";

/** Arguments that were checked. */
type CommandArgs = JsonObject & { sessionId: string; commands: AgentCommand[] };

export class CommandProvider implements Provider<CommandState> {
  /**
   * The failed sequences of this deployment, by their resource's key. The engine loses them before a retry that an
   * `onError` hook requests.
   */
  private readonly failed = new Map<string, CommandState>();

  constructor(
    private readonly definition: CommandDefinition,
    private readonly deployment: Deployment,
  ) {}

  parse = (id: string, properties: JsonObject): CommandState => {
    const failure = properties[failureKey];
    const isFailure = failure === "failed" || failure === "lost";
    return { id, values: withoutInternal(properties), ...(isFailure && { failure }) };
  };

  properties = ({ values, failure }: CommandState): JsonObject => ({
    ...values,
    [managedKey]: Object.keys(values)
      .filter((name) => name in this.definition.fields)
      .join(" "),
    ...(failure && { [failureKey]: failure }),
  });

  async check(_: JsonObject | undefined, args: JsonObject) {
    const { definition, deployment } = this;
    const { findProblems } = require("./check/checks") as typeof import("./check/checks");
    const problems = [...deployment.settingProblems, ...findProblems(definition, args)];
    return { args, problems };
  }

  async diff(state: CommandState, args: JsonObject, options: Options): Promise<Diff> {
    const updates = this.changedArguments(state, args);
    const runs = this.isDue(state, args);
    if (runs && !hasUnknown([args.sessionId, args.commands]))
      await this.informOfPlan(options, args as CommandArgs, state);
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
    const none = { id: this.deployment.clock.randomUuid(), values: {} };
    return this.run("create", none, args as CommandArgs, options);
  }

  async update(state: CommandState, args: JsonObject, options: Options): Promise<CommandState> {
    // The engine also updates what did not change: for example, when a stack moves from the plugin to the classes.
    if (!this.isDue(state, args)) return { ...state, values: { ...args, sentAt: state.values.sentAt! } };
    return this.run("update", state, args as CommandArgs, options);
  }

  async read(id: string, state: CommandState | undefined): Promise<Found<CommandState>> {
    return state ? { state } : this.readUnmanaged("read", id);
  }

  async readUnmanaged(_: "read" | "import", id: string): Promise<never> {
    const { type } = this.definition;
    throw new ProviderError(`${type} ${id} cannot be imported or read: the service does not store commands.`);
  }

  async delete(): Promise<void> {}

  preview(_: CommandState | undefined, args: JsonObject): JsonObject {
    return toOutputs(this.definition.fields, previewCreate(this.definition, args));
  }

  /** The arguments whose change sends the commands again. */
  private changedArguments({ values }: CommandState, args: JsonObject): string[] {
    const { fields } = this.definition;
    return ["commands", "triggers"].filter(
      (name) => hasUnknown(args[name]) || !fields[name]!.equals(args[name], values[name]),
    );
  }

  /** Whether the commands are to be sent. */
  private isDue = (state: CommandState, args: JsonObject): boolean =>
    this.changedArguments(state, args).length > 0 || state.failure !== undefined;

  /** Whether the agent may have run all of the same commands before. */
  private hasLostResponse = (state: CommandState, args: CommandArgs): boolean =>
    state.failure === "lost" && this.changedArguments(state, args).length === 0;

  /** Informs of what the changed arguments do not show, as in `"update" and "restart" will be sent to session ts_…`. */
  private async informOfPlan(options: Options, args: CommandArgs, state: CommandState): Promise<void> {
    const { sessionId, commands } = args;
    const isSame = this.changedArguments(state, args).length === 0;
    const again = isSame ? " again, because the last attempt failed" : "";
    const unless = this.hasLostResponse(state, args)
      ? `, unless ${listCommands(commands.slice(-1))} has taken effect`
      : "";
    await this.deployment.informOfPlan(
      `${listCommands(commands)} will be sent to session ${sessionId}${again}${unless}.`,
      options,
    );
  }

  private async run(
    operation: OperationName,
    saved: CommandState,
    args: CommandArgs,
    options: Options,
  ): Promise<CommandState> {
    const { definition, deployment, failed } = this;
    const { sessionId, commands } = args;
    const before = failed.get(options.key) ?? saved;
    const deadline = deadlineFor(options.timeouts, operation, deployment.clock);
    const agentOf = (session: string) => new Agent(session, definition.routes, deployment, deadline?.at);
    const agent = agentOf(sessionId);
    const after = (failure?: CommandState["failure"]): CommandState => {
      const sentAt = agent.sentAt ?? before.values.sentAt!;
      return { id: before.id, values: { ...args, sentAt }, failure };
    };
    const rest = [...commands];
    try {
      const sessionBefore = String(before.values.sessionId);
      // The program may have found the agent's new session since.
      if (this.hasLostResponse(before, args) && !(await agentOf(sessionBefore).find())) {
        failed.delete(options.key);
        return { ...before, failure: undefined };
      }
      await deployment.turns.take(sessionId, async () => {
        await agent.assertCanRun(commands);
        for (; rest.length > 0; rest.shift()) await agent.send(rest[0]!, before.failure !== undefined);
      });
      failed.delete(options.key);
      return after();
    } catch (error) {
      const isLost = endsSession(rest[0]) && uncertainCall(error) !== undefined;
      const state = agent.sentAt === undefined ? before : after(isLost ? "lost" : "failed");
      const all = listCommands(commands);
      const sentences = [
        `${listCommands(rest)} could not be sent to ${definition.displayName} ${sessionId}: ${(error as Error).message}`,
        hasPassed(deadline, deployment.clock) && deadline.hint,
        state.failure === "lost" && `It may have run. The next \`pulumi up\` checks, and sends ${all} again if needed.`,
        state.failure === "failed" && `The next \`pulumi up\` sends ${all} again.`,
      ];
      const message = sentences.filter(Boolean).join(" ");
      // The engine keeps the state that it has.
      if (state === saved) throw new ProviderError(message);
      failed.set(options.key, state);
      throw new PartialFailure(message, state.id, this.properties(state));
    }
  }
}
