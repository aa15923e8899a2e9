/**
 * An agent, reached through its session: sends commands to it, and finds out whether it has run them. It does not repeat a
 * lost restart or stop while the session may be there.
 */

import { uncertainCall } from "../../api/callError";
import type { JsonObject } from "../../base/json";
import type { AgentCommand, CommandDefinition } from "../../definitions/definition";
import { tunnelSession } from "../../definitions/tunnelSession";
import type { Deployment } from "../deployment/deployment";
import { ProviderError } from "../errors";
import { expectNothing } from "../read/responses";

/** Why an agent rejects an update. */
interface UpdateRejection {
  /** Recognizes the reason, loosely: the API document gives the reasons, not their wording. */
  pattern: RegExp;
  fix: string;
  /** Whether an agent rejects a second update for this reason. */
  isUpdated?: true;
}

const updateRejections: UpdateRejection[] = [
  {
    pattern: /already (been )?updated|(not|n't) (yet )?(been )?restarted/i,
    fix: 'Its new version is already installed. Remove "update" from commands and use "restart".',
    isUpdated: true,
  },
  {
    pattern: /(currently|already|is|being) updat(ing|ed)|update (is )?(already )?(running|in progress)/i,
    fix: "Wait until the update has finished, then run `pulumi up` again.",
    isUpdated: true,
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

/** How long an agent needs after an update until it can restart into its new version, by the API document. */
const updateGraceMs = 10_000;
/** How long a look for the session may take after its end was requested. */
const lookupMs = 5_000;

export class Agent {
  /** When it was sent the last command that it may have run, in RFC 3339 format. */
  sentAt: string | undefined;

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
    if (!session) throw offlineError();
    if (commands.includes("restart") && /windows/i.test(String(session.os))) {
      throw new ProviderError(
        'the agent runs on Windows, where it cannot restart itself. Use "stop" if a service manager starts it again; ' +
          "otherwise restart it by hand.",
      );
    }
  }

  /** Sends one command. `isRepeated` if the agent may have been sent it before. */
  send(command: AgentCommand, isRepeated: boolean): Promise<void> {
    return command === "update" ? this.update(isRepeated) : this.end(command);
  }

  /**
   * Sends an update, and waits until the agent can restart into its new version. If the response is lost, it waits, too,
   * and sends it once more: an agent that received the first rejects the second.
   */
  private async update(isRepeated: boolean): Promise<void> {
    const { clock } = this.deployment;
    if (this.deadline !== undefined && clock.now() + updateGraceMs > this.deadline) {
      throw new ProviderError(
        "the agent needs 10 s after an update, longer than customTimeouts allows. Increase the timeout.",
      );
    }
    const error = await this.post("update").then(
      () => undefined,
      (reason: Error) => reason,
    );
    const rejection = error && updateRejections.find(({ pattern }) => pattern.test(error.message));
    const isDone = !error || (isRepeated && rejection?.isUpdated);
    if (rejection && !isDone) throw new ProviderError(`${error.message} ${rejection.fix}`);
    if (!isDone && !uncertainCall(error)) throw error;
    this.deployment.showStatus(`Waiting 10 s for the update of ${this.session}…`);
    await clock.sleep(updateGraceMs);
    if (isDone) return;
    if (isRepeated) throw error;
    await this.update(true);
  }

  /** Sends a restart or stop. If its response is lost, it has worked if the session ends within the next seconds. */
  private async end(command: AgentCommand): Promise<void> {
    const { deployment, deadline } = this;
    const isOver = () =>
      this.find(deployment.clock.now() + lookupMs).then(
        (session) => !session,
        () => false,
      );
    await this.post(command).catch(async (error: unknown) => {
      const lost = uncertainCall(error);
      if (!lost || !(await deployment.pollUntil(Boolean, isOver, lost, deadline).catch(() => false))) throw error;
    });
  }

  private async post(command: AgentCommand): Promise<void> {
    const { session, deployment, deadline } = this;
    const { client, clock, lookup } = deployment;
    const sent = client.call(this.routes[command], {
      params: { id: session },
      body: {},
      expects: expectNothing,
      deadline,
    });
    const error = await sent.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error === undefined || uncertainCall(error)) this.sentAt = new Date(clock.now()).toISOString();
    if (await lookup.provesDeletion(tunnelSession, session, error, deadline)) throw offlineError();
    if (error !== undefined) throw error;
  }
}

const offlineError = () =>
  new ProviderError(
    "the session is not online. An agent gets a new session id when it restarts or reconnects. Look it up with " +
      "getTunnelSessions, by credentialId, ip or metadata.",
  );
