/** What the resources of one deployment share: the service's client, the log, and what they must know of each other. */

import { createHmac } from "node:crypto";
import type { Client } from "../../api/client";
import type { Network } from "../../api/transport";
import type { Clock } from "../../base/clock";
import { Redaction } from "../../base/redaction";
import type { SettingProblem, Settings } from "../../base/settings";
import type { SharedFile } from "../../base/sharedFile";
import type { CommandDefinition, Definition } from "../../definitions/definition";
import { Claims } from "../claims/claims";
import { ProviderError, redactError } from "../errors";
import { type Log, redacted, type Subject } from "../log";
import { BatchReader } from "../read/batchReader";
import { lazyClient } from "../read/lazyClient";
import { Lookup } from "../read/lookup";
import { type Marked, sensitiveStrings } from "../secrets";

import { PendingCreates } from "./pendingCreates";

export class Deployment {
  /** Who declares what, in this process and in the others. */
  readonly claims: Claims;
  /** Who writes to which edge, or sends to which agent. */
  readonly turns = new Turns();
  /** The creates that are under way. */
  readonly creates = new PendingCreates();
  /** Until when calls to an edge whose responses were lost may still be executed, by its path. */
  readonly lostUntil = new Map<string, number>();
  /** The resources that were checked, and neither diffed nor created since: the engine also diffs to refresh. */
  readonly checked = new Set<string>();
  /** The modules that the engine replaces because it replaces their edge, by their paths. */
  readonly replacedWithEdge = new Set<string>();
  /** Whether a create or an update has failed. */
  hasFailures = false;
  /** Reads single objects, and finds out whether they were deleted. */
  readonly lookup = new Lookup(() => this.client);
  /** Whether to say what will happen. The classes know when it is a preview; the plugin always says it. */
  announcesPlans = false;
  readonly redaction: Redaction;
  private readonly log: Log;
  private readonly warnings = new Set<string>();
  private hasProblems = false;
  private readonly loadClient: () => Client;
  private batchReader: BatchReader | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly problems: SettingProblem[],
    log: Log,
    readonly clock: Clock,
    shared?: SharedFile,
    network?: Network,
  ) {
    const account = `${settings.apiKey}\n${settings.baseUrl}`;
    const hash = (text: string) => createHmac("sha256", account).update(text).digest("base64url");
    this.claims = new Claims(settings.baseUrl, hash, shared);
    this.redaction = new Redaction(settings);
    this.log = redacted(log, this.redaction);
    this.loadClient = lazyClient(settings, this.log, clock, this.redaction, network);
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

  get client(): Client {
    // Otherwise the check reports these, but refresh and destroy call no check.
    const unusable = this.problems.filter(({ isUsable }) => !isUsable);
    if (unusable.length > 0) throw new ProviderError(unusable.map(({ reason }) => reason).join("\n"));
    return this.loadClient();
  }

  /** Reads many objects with few calls. */
  get reader(): BatchReader {
    this.batchReader ??= new BatchReader(this.client, this.clock);
    return this.batchReader;
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

  /** How long a call that timed out may still be running in the service, in milliseconds. */
  get pendingCallMs(): number {
    return Math.min(this.settings.timeoutSeconds, 10) * 1_000;
  }

  /** Debug logging, which `pulumi up --debug` shows. */
  debug = (message: string, about?: Subject) => this.log.debug(message, about);

  showStatus = (message: string) => this.log.status(message);

  /** Says what happened. Await it: the engine may end this process after its last response. */
  inform = (message: string, about?: Subject) => this.log.info(message, about);

  /** Says in a preview what will happen. */
  async announce(message: string, about?: Subject): Promise<void> {
    if (this.announcesPlans) await this.inform(message, about);
  }

  /** Gives a warning once: a replacement is checked twice. */
  warn = async (message: string, about?: Subject): Promise<void> => {
    const warning = `${about?.resource} ${message}`;
    if (this.warnings.has(warning)) return;
    this.warnings.add(warning);
    await this.log.warn(message, about);
  };
}

/** One at a time, in the order in which they ask: the writes to an edge, the commands to an agent. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Runs the work when all earlier work for the same key has ended, successfully or not. Work in a turn must not ask for it. */
  take<T>(of: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.last.get(of) ?? Promise.resolve()).then(work);
    this.last.set(
      of,
      turn.catch(() => undefined),
    );
    return turn;
  }
}
