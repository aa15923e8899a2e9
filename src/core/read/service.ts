/** The service, as one process or one run of a program sees it with one configuration. */

import type { Client } from "../../api/client";
import type { Network } from "../../api/transport";
import type { Clock } from "../../base/clock";
import { Redaction } from "../../base/redaction";
import type { SettingProblem, Settings } from "../../base/settings";
import { ProviderError } from "../errors";
import { type Log, redacted } from "../log";
import { Lists } from "./lists";
import { Lookup } from "./lookup";

type RequestLog = Pick<Log, "info" | "status">;

export class Service<L extends RequestLog = RequestLog> {
  readonly redaction: Redaction;
  /** The lists of objects. */
  readonly lists: Lists;
  /** Reads single objects, and finds out whether they were deleted. */
  readonly lookup: Lookup;
  protected readonly log: L;
  private loaded: Client | undefined;
  private readonly pending = new Map<string, Promise<unknown>>();

  constructor(
    protected readonly settings: Settings,
    protected readonly problems: SettingProblem[],
    log: L,
    readonly clock: Clock,
    private readonly network?: Network,
  ) {
    this.redaction = new Redaction(settings);
    this.log = redacted(log, this.redaction);
    this.lists = new Lists(() => this.client, clock);
    this.lookup = new Lookup(() => this.client, this.lists);
  }

  /** Loaded when it is first needed: an unchanged `pulumi up` calls nothing, and most programs no function. */
  get client(): Client {
    // Otherwise the check reports these, but refresh and destroy call no check.
    const unusable = this.problems.filter(({ isUsable }) => !isUsable);
    if (unusable.length > 0) throw new ProviderError(unusable.map(({ reason }) => reason).join("\n"));
    if (!this.loaded) {
      const api = require("../../api/client") as typeof import("../../api/client");
      const listener = {
        onRateLimit: (message: string) => void this.log.info(message),
        onWait: this.log.status,
        onRequest: (line: string) => void this.log.info(line),
      };
      this.loaded = new api.Client(this.settings, listener, this.clock, this.redaction, this.network);
    }
    return this.loaded;
  }

  /** Functions that ask the same at the same time get the same response, unless this process has written in between. */
  share<T>(question: string, ask: () => Promise<T>): Promise<T> {
    const key = `${question} after ${this.client.lastWrite}`;
    const pending = this.pending.get(key) as Promise<T> | undefined;
    if (pending) return pending;
    const response = ask().finally(() => this.pending.delete(key));
    this.pending.set(key, response);
    return response;
  }
}
