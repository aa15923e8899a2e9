/** An agent, spoken to through its session: what it can be told, and how one knows that it has understood. */

import { CallError, isNotFound } from "../api/errors";
import { sleep } from "../api/rateLimiter";
import type { Route } from "../api/routes";
import type { JsonObject } from "../json";
import { seconds } from "./agentSessions";
import type { Context } from "./deployment";
import { ProviderError } from "./errors";
import { readObject } from "./response";

/** What an agent can be told. */
export type AgentCommand = "update" | "restart" | "stop";

/** The session's operations: reading it, and one for each command. */
export type AgentRoutes = Record<AgentCommand | "read", Route>;

/** Whether a command ends the session: nothing can follow it, and the session is gone when it has worked. */
export const endsSession = (command: AgentCommand | undefined) => command === "restart" || command === "stop";

/** Whether a command may have been carried out though its answer was lost. */
export const mayHaveRun = (error: unknown) => error instanceof CallError && error.mayHaveSucceeded;

/** Why an update is refused. */
interface UpdateRefusal {
  /** What tells this reason from the others, loosely: the API document states the reasons, not their words. */
  words: RegExp;
  /** What to do. */
  next: string;
  /** An agent that is told a second time refuses for this reason, too. */
  afterUpdate?: true;
}

const updateRefusals: UpdateRefusal[] = [
  {
    words: /already (been )?updated|(not|n't) (yet )?(been )?restarted/i,
    next: 'Its new version only waits for a restart: take "update" out of commands, and state "restart".',
    afterUpdate: true,
  },
  {
    words: /(currently|already|is|being) updat(ing|ed)|update (is )?(already )?(running|in progress)/i,
    next: "Wait until it has finished, then run the up again.",
    afterUpdate: true,
  },
  {
    words: /disabled (automatic )?update|updates?( checks?)?( is| are| has been| have been)? disabled/i,
    next: 'Allow update checks in the configuration of the agent, or take "update" out of commands.',
  },
  {
    words: /no (new(er)? )?(update|version)|update (is )?not available|up.to.date/i,
    next: 'Take "update" out of commands; a new major version is never installed by it, only by hand.',
  },
];

/** How often, a second apart, to look for a session that should end. */
const maxAttempts = 6;

export class Agent {
  constructor(
    private readonly session: string,
    private readonly routes: AgentRoutes,
    private readonly context: Context,
    /** When to give up, in milliseconds since the epoch. */
    private readonly deadline?: number,
  ) {}

  /** The session as the service has it, or undefined where it is not online. */
  find(deadline = this.deadline): Promise<JsonObject | undefined> {
    const { read } = this.routes;
    return readObject({ displayName: "tunnel session", fields: {} }, read, this.session, () =>
      this.context.client.call(read, { params: { id: this.session }, deadline }),
    );
  }

  /** Refuses what the agent could not carry out, before anything is sent to it. */
  async assertCanRun(commands: AgentCommand[]): Promise<void> {
    const session = await this.find();
    if (!session) throw notOnline();
    if (commands.includes("restart") && /windows/i.test(String(session.os))) {
      throw new ProviderError(
        'the agent runs on Windows, where it cannot restart itself. State "stop" instead if something on its machine ' +
          "starts it again, or restart it there by hand.",
      );
    }
  }

  /** Sends one command; `again`, if it may have been carried out before. */
  async send(command: AgentCommand, again: boolean): Promise<void> {
    if (endsSession(command)) await this.waitForUpdate(command);
    try {
      await this.context.client.call(this.routes[command], {
        params: { id: this.session },
        body: {},
        deadline: this.deadline,
      });
    } catch (error) {
      if (command === "update") await this.handleUpdateError(error, again);
      else await this.handleEndError(error, again);
    }
  }

  /** An update whose answer was lost is sent once more: an agent that has understood the first says so. */
  private async handleUpdateError(error: unknown, again: boolean): Promise<void> {
    if (isNotFound(error)) throw notOnline();
    const said = (error as Error).message;
    const refusal = updateRefusals.find(({ words }) => words.test(said));
    if (again && refusal?.afterUpdate) return;
    if (refusal) throw new ProviderError(`${said} ${refusal.next}`);
    if (again || !mayHaveRun(error)) throw error;
    await sleep(seconds(1));
    await this.send("update", true);
  }

  /** A restart or stop whose answer was lost has worked if the session ends. */
  private async handleEndError(error: unknown, again: boolean): Promise<void> {
    if (isNotFound(error) && again) return;
    if (isNotFound(error)) throw notOnline();
    if (!mayHaveRun(error) || !(await this.waitForEnd())) throw error;
  }

  /** Whether the session ends within the next seconds. */
  private async waitForEnd(): Promise<boolean> {
    for (let look = 1; look <= maxAttempts && !this.isLate(); look++) {
      if (look > 1) {
        this.context.waiting(`The answer was lost: looking whether ${this.session} ends, ${look} of ${maxAttempts}…`);
        await sleep(seconds(1));
      }
      const found = await this.find(Date.now() + 5_000).catch(() => "perhaps");
      if (!found) return true;
    }
    return false;
  }

  /** Waits until an agent that was told to update is ready for what ends its session. */
  private async waitForUpdate(command: AgentCommand): Promise<void> {
    const { sessions } = this.context;
    for (let wait = sessions.busyFor(this.session); wait > 0; wait = sessions.busyFor(this.session)) {
      const time = `${Math.ceil(wait / 1000)} s`;
      if (this.isLate(wait)) {
        throw new ProviderError(
          `the agent's update needs ${time} more, which customTimeouts does not allow: allow more.`,
        );
      }
      this.context.waiting(`Waiting ${time} for the update of ${this.session} before "${command}"…`);
      await sleep(wait);
    }
  }

  /** Whether the time for this is over, or will be after a wait. */
  private isLate = (wait = 0) => this.deadline !== undefined && Date.now() + wait > this.deadline;
}

const notOnline = () =>
  new ProviderError(
    "the session is not online. An agent that restarts or connects again has a new session id: find it with " +
      "getTunnelSessions, by the agent's credential, ip or metadata, and state that one.",
  );
