/**
 * The life of commands to an agent: an event, not an object. There is no `read` and no `delete`: without them the
 * host keeps the state as it is, and has nothing to undo.
 *
 * The host gives `diff` and `update` the outputs in the state, never the old inputs.
 */

import { randomUUID } from "node:crypto";
import { redact } from "../api/errors";
import type { Definition } from "../definitions/definition";
import { deadlineFor, hidden, type Operation, timeoutHint } from "../dynamic/hiddenInputs";
import { equal, isObject, type JsonObject, withoutUndefined } from "../json";
import { Agent, type AgentCommand, type AgentRoutes, endsSession, mayHaveRun } from "./agent";
import type { Context, HostConfig } from "./deployment";
import { message, PartialFailure, ProviderError, printable } from "./errors";
import { managedKey, parseInputs } from "./state";
import { hasUnknown } from "./unknown";

/** What a resource of commands is, as data. */
export interface CommandDefinition extends Pick<Definition, "type" | "displayName" | "fields" | "outputs"> {
  routes: AgentRoutes;
}

interface Stated extends JsonObject {
  sessionId: string;
  commands: AgentCommand[];
}

/** How far a sequence has come. */
interface Progress {
  sent: AgentCommand[];
  /** The command after those, if it was sent and its answer was lost: it may have been carried out. */
  lost?: AgentCommand;
  /** When the last of them was sent. */
  sentAt?: string;
}

/** The internal output of a sequence that has not come to its end: what was sent, and what was lost. */
const progressKey = "__progress";

export class CommandLifecycle {
  private context!: Context;

  constructor(
    private readonly definition: CommandDefinition,
    private readonly shared: (config: HostConfig) => Context,
  ) {}

  /** Synchronous, because the host serves calls without waiting for it. */
  configure({ config }: { config: HostConfig }): void {
    this.context = this.shared(config);
  }

  async check(olds: JsonObject, news: JsonObject) {
    const { problemsOf } = require("./checks") as typeof import("./checks");
    const desired = this.desired(news);
    this.context.isPreview = news[hidden.preview] === true;
    const flaws = problemsOf(this.definition.fields, desired);
    if (flaws.length === 0 && !hasUnknown(desired.commands)) flaws.push(...orderFlaws(desired.commands));
    const reasons = [...this.context.problems.map(({ reason }) => reason), ...flaws];
    const inputs = hidden.withoutPreview(news);
    this.context.shown.compare(olds, inputs);
    // The engine prints the value of a property that a failure names, secret or not: the reason names it instead.
    return {
      inputs,
      failures: reasons.map((reason) => ({ property: "", reason: printable(redact(reason, this.context.secrets)) })),
    };
  }

  async diff(_: string, olds: JsonObject, news: JsonObject) {
    this.recall(olds);
    const desired = this.desired(news);
    const resource = hidden.resourceIn(this.definition.type, news);
    const changed = this.changed(olds, desired);
    const changes = changed.length > 0 || isUnfinished(olds);
    if (changes && !hasUnknown([desired.sessionId, desired.commands])) {
      await this.announce(resource, desired, this.start(olds, desired));
    }
    return {
      changes: changes && this.context.shown.changes(news),
      replaces: changed.filter((name) => hidden.replacesOnChange(news, [name], olds, desired)),
    };
  }

  async create(inputs: JsonObject): Promise<{ id: string; outs: JsonObject }> {
    const id = randomUUID();
    return { id, outs: await this.run("create", id, {}, inputs) };
  }

  async update(id: string, olds: JsonObject, news: JsonObject): Promise<{ outs: JsonObject }> {
    this.recall(olds);
    return { outs: await this.run("update", id, olds, news) };
  }

  private desired = (inputs: JsonObject) => parseInputs(this.definition.fields, inputs) as Stated;

  /** The arguments whose change sends the commands again. */
  private changed(olds: JsonObject, desired: Stated): string[] {
    const { fields } = this.definition;
    return ["commands", "triggers"].filter(
      (name) => hasUnknown(desired[name]) || !fields[name]!.equals(desired[name], olds[name]),
    );
  }

  /** Where to start. A sequence that is half way goes on, whatever triggered it, but never to another session. */
  private start(olds: JsonObject, desired: Stated): Progress {
    const goesOn = isUnfinished(olds)
      ? olds.sessionId === desired.sessionId && beginsWithSent(desired.commands, olds)
      : this.changed(olds, desired).length === 0;
    return goesOn ? progressIn(olds) : { sent: [] };
  }

  /** Another resource, or an earlier run, may have told the agent to update a moment ago. */
  private recall(olds: JsonObject): void {
    const { sent, lost, sentAt } = progressIn(olds);
    if (sentAt && (lost ?? sent.at(-1)) === "update") {
      this.context.sessions.markUpdated(String(olds.sessionId), Date.parse(sentAt));
    }
  }

  /** Says in a preview what the changed arguments alone do not show. */
  private async announce(resource: string, { sessionId, commands }: Stated, { sent, lost }: Progress): Promise<void> {
    const rest = commands.slice(sent.length);
    if (rest.length === 0) return;
    const done = sent.length > 0 ? `${listed(sent)} was sent, ` : "";
    const [again, unless] = lost ? [" again", ", unless it took effect and only its response was lost"] : ["", ""];
    await this.context.announce(
      `${resource}: ${done}${listed(rest)} will be sent${again} to session ${sessionId}${unless}.`,
    );
  }

  /** Sends what is to be sent; returns what the state must say then, or throws it. */
  private async run(operation: Operation, id: string, olds: JsonObject, news: JsonObject): Promise<JsonObject> {
    const desired = this.desired(news);
    const { sessionId, commands } = desired;
    const now = this.start(olds, desired);
    const rest = () => commands.slice(now.sent.length);
    const deadline = deadlineFor(news, operation);
    try {
      // The program may have found the agent's new session since: the command that was to end the old one has worked.
      if (await this.hasEnded(olds, commands, deadline)) {
        return this.outputs({ ...desired, sessionId: String(olds.sessionId) }, progressIn(olds));
      }
      const agent = this.agent(sessionId, deadline);
      const work = () => this.send(agent, sessionId, rest(), now);
      if (rest().length > 0) await this.context.sessions.serialize(sessionId, work);
      return this.outputs(desired, now);
    } catch (error) {
      const words = [
        `${listed(rest())} could not be sent to ${this.definition.displayName} ${sessionId}: ${(error as Error).message}`,
        deadline !== undefined && Date.now() > deadline - 10 && timeoutHint(news, operation),
        now.lost && "Whether it has worked is not known; the next up looks again, and sends it again if it must.",
        now.sent.length > 0 && `${listed(now.sent)} was sent, and the next up goes on from there.`,
      ];
      const text = message(words.filter(Boolean).join(" "), this.context.secrets);
      // Nothing has happened: the state is the truth already.
      if (now.sent.length === 0 && !now.lost) throw new ProviderError(text);
      throw new PartialFailure(text, id, {
        ...this.outputs(desired, now),
        [progressKey]: { sent: now.sent, ...(now.lost && { lost: now.lost }) },
        [hidden.provider]: news[hidden.provider],
      });
    }
  }

  /** Sends the commands, and keeps the record of it. */
  private async send(agent: Agent, sessionId: string, commands: AgentCommand[], now: Progress): Promise<void> {
    await agent.assertCanRun(commands);
    for (const command of commands) {
      const record = (progress: Progress) => {
        Object.assign(now, { lost: undefined, ...progress, sentAt: new Date().toISOString() });
        if (command === "update") this.context.sessions.markUpdated(sessionId, Date.now());
      };
      try {
        await agent.send(command, now.lost === command);
      } catch (error) {
        if (mayHaveRun(error)) record({ sent: now.sent, lost: command });
        throw error;
      }
      record({ sent: [...now.sent, command] });
    }
  }

  /** Whether a command that was to end the session, and whose answer an earlier run has lost, has worked. */
  private async hasEnded(olds: JsonObject, commands: AgentCommand[], deadline?: number): Promise<boolean> {
    if (!endsSession(progressIn(olds).lost) || !beginsWithSent(commands, olds)) return false;
    return !(await this.agent(String(olds.sessionId), deadline).find());
  }

  private agent = (session: string, deadline?: number) =>
    new Agent(session, this.definition.routes, this.context, deadline);

  private outputs(desired: Stated, { sentAt }: Progress): JsonObject {
    const managed = Object.keys(desired);
    const outputs = { ...desired, ...(sentAt && { sentAt }), [managedKey]: managed.join(" ") };
    return withoutUndefined(outputs);
  }
}

/** What is wrong with the order of commands. */
function orderFlaws(commands: AgentCommand[]): string[] {
  if (commands.length === 0) return ["commands must contain at least one command"];
  const end = commands.findIndex(endsSession);
  const after = end < 0 ? [] : commands.slice(end + 1);
  if (after.length > 0) {
    return [`commands has ${listed(after)} after "${commands[end]}", which ends the session`];
  }
  return commands.indexOf("update") === commands.lastIndexOf("update")
    ? []
    : ['commands has "update" twice; an agent rejects the second until it has restarted'];
}

const isUnfinished = (outputs: JsonObject) => outputs[progressKey] !== undefined;

/** How far the sequence in the state has come; one without a record of it has come to its end. */
function progressIn(outputs: JsonObject): Progress {
  const { sent = outputs.commands ?? [], lost } = isObject(outputs[progressKey]) ? outputs[progressKey] : {};
  return { sent, lost, sentAt: outputs.sentAt } as unknown as Progress;
}

/** Whether these commands begin with those that were sent. */
function beginsWithSent(commands: AgentCommand[], outputs: JsonObject): boolean {
  const { sent, lost } = progressIn(outputs);
  const begun = lost ? [...sent, lost] : sent;
  return equal(begun, commands.slice(0, begun.length));
}

const listed = (commands: AgentCommand[]) => commands.map((command) => `"${command}"`).join(", then ");
