/** What the resources of one deployment share: the service, the log, and their order. */

import { createHmac } from "node:crypto";
import type { CallError } from "../../api/callError";
import type { Network } from "../../api/transport";
import type { Clock } from "../../base/clock";
import type { SettingProblem, Settings } from "../../base/settings";
import type { SharedFile } from "../../base/sharedFile";
import type { CommandDefinition, Definition } from "../../definitions/definition";
import { Claims } from "../claims/claims";
import { redactError } from "../errors";
import type { Log, Subject } from "../log";
import { Service } from "../read/service";
import { type Marked, sensitiveStrings } from "../secrets";
import { PendingCreates } from "./pendingCreates";

/** How long a change may take until reads and lists show it. */
const lagMs = 5_000;
/** How long a call whose response was lost may still be delayed, by a gateway or in the service. */
export const longestDelayMs = 10_000;
const pollIntervalMs = 500;

export class Deployment extends Service<Log> {
  /** Who declares what, in this process and in the others. */
  readonly claims: Claims;
  /** Who writes to which edge, or sends to which agent. */
  readonly turns = new Turns();
  /** The creates that are under way. */
  readonly creates = new PendingCreates();
  /** Until when calls to an edge whose responses were lost may still be executed, by its path. */
  readonly lostUntil = new Map<string, number>();
  /** The resources that were checked, until they are diffed or created. A diff of any other belongs to a refresh. */
  readonly checked = new Set<string>();
  /** The modules that the engine replaces because it replaces their edge, by their paths. */
  readonly replacedWithEdge = new Set<string>();
  /** Whether a create or an update has failed. */
  hasFailures = false;
  /** Whether to inform of what will happen: in a preview. A plugin does not know when that is, and always does. */
  informsOfPlans = false;
  private readonly warnings = new Set<string>();
  private hasProblems = false;

  constructor(
    settings: Settings,
    problems: SettingProblem[],
    log: Log,
    clock: Clock,
    shared?: SharedFile,
    network?: Network,
  ) {
    super(settings, problems, log, clock, network);
    const account = `${settings.apiKey}\n${settings.baseUrl}`;
    const hash = (text: string) => createHmac("sha256", account).update(text).digest("base64url");
    this.claims = new Claims(settings.baseUrl, hash, shared);
  }

  /** What is wrong with the settings, each as a sentence. */
  get settingProblems(): string[] {
    return this.problems.map(({ reason }) => reason);
  }

  /** Problems as check reports them. */
  async formatProblems(problems: string[], about?: Subject): Promise<string[]> {
    if (problems.length > 0 && !this.hasProblems) {
      this.hasProblems = true;
      await this.inform("Pulumi stops at the first invalid resource. There may be more.", about);
    }
    return problems.map(this.redaction.format);
  }

  /** Runs an operation. Until it ends, the secrets in these properties are hidden in every message, errors included. */
  operate<T>(definition: Definition | CommandDefinition, properties: Marked[], work: () => Promise<T>): Promise<T> {
    const secrets = properties.flatMap((each) => sensitiveStrings(definition, each));
    return this.redaction.during(secrets, async () => {
      try {
        return await work();
      } catch (error) {
        throw redactError(error, this.redaction);
      }
    });
  }

  /** The key that the provider itself uses. */
  get apiKey(): string {
    return this.settings.apiKey;
  }

  /**
   * Looks for what a call without a proof may have done, until it is found. The service may still execute the call, unless
   * it has responded itself; and what the call did may show only after some seconds.
   */
  async pollUntil<T>(
    isFound: (value: T) => boolean,
    look: () => Promise<T>,
    { body }: CallError,
    deadline = Number.POSITIVE_INFINITY,
  ): Promise<T> {
    const { clock } = this;
    const end = Math.min(clock.now() + (body === "error" ? lagMs : longestDelayMs), deadline);
    for (;;) {
      const value = await look();
      if (isFound(value) || clock.now() + pollIntervalMs >= end) return value;
      this.showStatus("The response was lost. Checking for a few seconds whether the call succeeded…");
      await clock.sleep(pollIntervalMs);
    }
  }

  /** Debug logging, which `pulumi up --debug` shows. */
  debug = (message: string, about?: Subject) => this.log.debug(message, about);

  showStatus = (message: string) => this.log.status(message);

  /** Await it: the engine may end this process after its last response. */
  inform = (message: string, about?: Subject) => this.log.info(message, about);

  /** Informs in a preview of what will happen. */
  async informOfPlan(message: string, about?: Subject): Promise<void> {
    if (this.informsOfPlans) await this.inform(message, about);
  }

  /** Warns once: a replacement is checked twice. */
  warn = async (message: string, about?: Subject): Promise<void> => {
    const warning = `${about?.resource} ${message}`;
    if (this.warnings.has(warning)) return;
    this.warnings.add(warning);
    await this.log.warn(message, about);
  };
}

/**
 * One at a time, in the order in which they ask: the writes to an edge, the commands to an agent. Two PUTs at once could
 * end in either order.
 */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Runs the work after all earlier work for the same key, even if that fails. Work in its turn must not ask for another. */
  take<T>(of: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.last.get(of) ?? Promise.resolve()).then(work);
    this.last.set(
      of,
      turn.catch(() => undefined),
    );
    return turn;
  }
}
