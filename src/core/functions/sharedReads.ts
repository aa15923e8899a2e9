/** The reads of the functions of one run or deployment, with one configuration. */

import type { Client } from "../../api/client";
import type { Clock } from "../../base/clock";
import type { JsonObject } from "../../base/json";
import { Redaction } from "../../base/redaction";
import type { Settings } from "../../base/settings";
import type { List, Readable } from "../../definitions/definition";
import { type Log, redacted } from "../log";
import { lazyClient } from "../read/lazyClient";
import { Lookup } from "../read/lookup";

type ReadLog = Pick<Log, "info" | "status">;

export class SharedReads {
  readonly redaction: Redaction;
  private readonly client: () => Client;
  private readonly lookup: Lookup;
  private readonly pending = new Map<string, Promise<unknown>>();

  constructor(settings: Settings, log: ReadLog, clock: Clock) {
    this.redaction = new Redaction(settings);
    this.client = lazyClient(settings, redacted(log, this.redaction), clock, this.redaction);
    this.lookup = new Lookup(this.client);
  }

  /** One object or module; undefined where the service has none. */
  find(definition: Readable, id: string): Promise<JsonObject | undefined> {
    return this.share(`${definition.type} ${id}`, () => this.lookup.find(definition, id));
  }

  /** Every item of a list. */
  list({ route, key }: List): Promise<JsonObject[]> {
    return this.share(route, () => this.client().list(route, key));
  }

  /** The pages of a list, each requested when it is needed. */
  pages({ route, key }: List): AsyncIterable<JsonObject[]> {
    return this.client().pages(route, key);
  }

  /** A request that is already pending is not sent again: both callers get its response. */
  private share<T>(key: string, send: () => Promise<T>): Promise<T> {
    const pending = this.pending.get(key) as Promise<T> | undefined;
    if (pending) return pending;
    const response = send().finally(() => this.pending.delete(key));
    this.pending.set(key, response);
    return response;
  }
}
