/** An agent, reached through its session: sends commands to it, and finds out whether it has run them. */

import { uncertainCall } from "../../api/callError";
import type { JsonObject } from "../../base/json";
import type { AgentCommand, CommandDefinition } from "../../definitions/definition";
import { tunnelSession } from "../../definitions/tunnelSession";
import { endsSession } from "../../definitions/tunnelSessionCommand";
import type { Deployment } from "../deployment/deployment";
import { ProviderError } from "../errors";
import { expectNothing } from "../read/expectations";

/** Why an agent rejects an update. */
interface UpdateRejection {
  /** Recognizes the reason, loosely: the API document gives the reasons, not their wording. */
  pattern: RegExp;
  fix: string;
  /** Whether an agent that is already updating rejects a second update for this reason, too. */
  afterUpdate?: true;
}

const updateRejections: UpdateRejection[] = [
  {
    pattern: /already (been )?updated|(not|n't) (yet )?(been )?restarted/i,
    fix: 'Its new version is already installed. Remove "update" from commands and use "restart".',
    afterUpdate: true,
  },
  {
    pattern: /(currently|already|is|being) updat(ing|ed)|update (is )?(already )?(running|in progress)/i,
    fix: "Wait until the update has finished, then run `pulumi up` again.",
    afterUpdate: true,
  },
  {
    pattern: /disabled (automatic )?update|updates?( checks?)?( is| are| has been| have been)? disabled/i,
    fix: 'Allow update checks in the agent\'s configuration, or remove "update" from commands.',
  },
  {
    pattern: /no (new(er)? )?(update|version)|update (is )?not available|up.to.date/i,
    fix: 'Remove "update" from commands. A new major version can only be installed by hand.',
  },
];

/** How often to check whether a session has ended. */
const maxAttempts = 6;
const retryPauseMs = 1_000;

export class Agent {
  constructor(
    private readonly session: string,
    private readonly routes: CommandDefinition["routes"],
    private readonly deployment: Deployment,
    /** When to give up, in milliseconds since the epoch. */
    private readonly deadline?: number,
  ) {}

  /** The session, or undefined where it is not online. */
  find(deadline = this.deadline): Promise<JsonObject | undefined> {
    return this.deployment.lookup.find(tunnelSession, this.session, deadline);
  }

  /** Rejects what the agent cannot run, before anything is sent to it. */
  async assertCanRun(commands: AgentCommand[]): Promise<void> {
    const session = await this.find();
    if (!session) throw notOnline();
    if (commands.includes("restart") && /windows/i.test(String(session.os))) {
      throw new ProviderError(
        'the agent runs on Windows, where it cannot restart itself. Use "stop" if a service manager starts it again; ' +
          "otherwise restart it by hand.",
      );
    }
  }

  /** Sends one command; `again`, if the agent may have run it before. */
  async send(command: AgentCommand, again: boolean): Promise<void> {
    if (endsSession(command)) await this.waitForUpdate(command);
    try {
      await this.deployment.client.call(this.routes[command], {
        params: { id: this.session },
        body: {},
        expects: expectNothing,
        deadline: this.deadline,
      });
    } catch (error) {
      if (command === "update") await this.handleUpdateError(error, again);
      else await this.handleEndError(error, again);
    }
  }

  /** An update whose response was lost is sent once more: an agent that received the first rejects the second. */
  private async handleUpdateError(error: unknown, again: boolean): Promise<void> {
    if (await this.hasEnded(error)) throw notOnline();
    const { message } = error as Error;
    const rejection = updateRejections.find(({ pattern }) => pattern.test(message));
    if (again && rejection?.afterUpdate) return;
    if (rejection) throw new ProviderError(`${message} ${rejection.fix}`);
    if (again || !uncertainCall(error)) throw error;
    await this.sendUpdateAgain().catch((second: Error) => {
      // Why the second was rejected, or never sent, does not say whether the agent has run the first.
      throw second instanceof ProviderError ? second : new ProviderError(second.message, { cause: error });
    });
  }

  private async sendUpdateAgain(): Promise<void> {
    await this.deployment.clock.sleep(retryPauseMs);
    await this.send("update", true);
  }

  /** A restart or stop whose response was lost has worked if the session ends. */
  private async handleEndError(error: unknown, again: boolean): Promise<void> {
    if (await this.hasEnded(error)) {
      if (again) return;
      throw notOnline();
    }
    if (!uncertainCall(error) || !(await this.waitForEnd().catch(() => false))) throw error;
  }

  /** Whether a command failed because the session is not online. */
  private hasEnded = (error: unknown) =>
    this.deployment.lookup.provesDeletion(tunnelSession, this.session, error, this.deadline);

  /** Whether the session ends within the next seconds. */
  private async waitForEnd(): Promise<boolean> {
    for (let attempt = 1; attempt <= maxAttempts && !this.isLate(); attempt++) {
      if (attempt > 1) {
        this.deployment.showStatus(
          `The response was lost. Checking whether ${this.session} has ended (attempt ${attempt} of ${maxAttempts})…`,
        );
        await this.deployment.clock.sleep(retryPauseMs);
      }
      const found = await this.find(this.deployment.clock.now() + 5_000).catch(() => "perhaps");
      if (!found) return true;
    }
    return false;
  }

  /** Waits until an agent that is updating is ready for the command that ends its session. */
  private async waitForUpdate(command: AgentCommand): Promise<void> {
    const { sessions } = this.deployment;
    for (let wait = sessions.busyFor(this.session); wait > 0; wait = sessions.busyFor(this.session)) {
      const time = `${Math.ceil(wait / 1000)} s`;
      if (this.isLate(wait)) {
        throw new ProviderError(
          `the agent needs another ${time} to finish its update, longer than customTimeouts allows. Increase the timeout.`,
        );
      }
      this.deployment.showStatus(`Waiting ${time} for the update of ${this.session} before "${command}"…`);
      await this.deployment.clock.sleep(wait);
    }
  }

  /** Whether the deadline has passed, or will have after a wait. */
  private isLate = (wait = 0) => this.deadline !== undefined && this.deployment.clock.now() + wait > this.deadline;
}

const notOnline = () =>
  new ProviderError(
    "the session is not online. An agent gets a new session id when it restarts or reconnects. Look it up with " +
      "getTunnelSessions, by credentialId, ip or metadata.",
  );
