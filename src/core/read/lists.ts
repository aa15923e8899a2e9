/**
 * The lists of the service. All who need a list share its pages, and read on only as far as they have to. The caller
 * names the moment after which the reading must have begun: a list that was read before a create does not show its
 * object.
 */

import { withoutResponse } from "../../api/callError";
import type { Client, ListItem } from "../../api/client";
import type { Clock } from "../../base/clock";
import type { JsonObject } from "../../base/json";
import type { List } from "../../definitions/definition";

/** Reads that belong together arrive within this time. */
const batchWindowMs = 10;
/**
 * The most pages that a refresh may read: in a large account a few GETs are cheaper. But the engine reads only 8 resources
 * at once of a stack with thousands, so many reads at once are probably the first of many more.
 */
const maxPages = (reads: number) => reads ** 2;

export class Lists {
  private readonly readings = new Map<string, Reading>();
  /** How many objects of a list a refresh is about to read. */
  private readonly pending = new Map<string, number>();

  constructor(
    private readonly client: () => Client,
    private readonly clock: Clock,
  ) {}

  /** All objects of a list. */
  async all(list: List, since: number, deadline?: number): Promise<ListItem[]> {
    const items: ListItem[] = [];
    for await (const page of this.pages(list, since, deadline)) items.push(...page);
    return items;
  }

  /** The pages of a list, each requested when it is needed. */
  async *pages(list: List, since: number, deadline?: number): AsyncGenerator<ListItem[], void> {
    const reading = this.readingOf(list, since) ?? this.begin(list);
    for (let at = 0; ; at++) {
      while (at === reading.pages.length && !reading.hasEnded) await this.readOn(reading, deadline);
      const page = reading.pages[at];
      if (!page) return;
      yield page;
    }
  }

  /**
   * Whether a list has an object that existed at the moment `since`. A whole list that lacks it is read again only if
   * something was created since.
   */
  async has(list: List, id: string, deadline?: number, since = 0): Promise<boolean> {
    const { lastCreate, lastWrite } = this.client();
    const known = this.readingOf(list, Math.max(lastCreate, since));
    if (known?.hasEnded && !known.items.has(id)) return false;
    for await (const page of this.pages(list, Math.max(lastWrite, since), deadline)) {
      if (page.some((item) => item.id === id)) return true;
    }
    return false;
  }

  /**
   * An object as the service has it after the last write of this process. The engine refreshes several at once, and the
   * pages of their list serve all of them, also those that follow. One by itself is one `get`. Pages that are older than
   * `maxAgeMs` serve nobody.
   */
  async refresh(
    list: List,
    id: string,
    get: () => Promise<JsonObject | undefined>,
    deadline?: number,
    maxAgeMs = Number.POSITIVE_INFINITY,
  ): Promise<JsonObject | undefined> {
    const oldest = this.clock.now() - maxAgeMs;
    const current = () => {
      const reading = this.readingOf(list, this.client().lastWrite);
      return reading && reading.time >= oldest ? reading : undefined;
    };
    this.count(list, 1);
    try {
      const joined = current();
      if (joined) joined.readers++;
      else await this.clock.sleep(batchWindowMs);
      if (!current() && this.count(list, 0) === 1) return await get();
      const reading = current() ?? this.begin(list, this.count(list, 0));
      while (!reading.items.has(id) && !reading.hasEnded && reading.pages.length < maxPages(reading.readers)) {
        await this.readOn(reading, deadline);
      }
      return reading.items.get(id) ?? (await get());
    } finally {
      this.count(list, -1);
    }
  }

  private count({ route }: List, more: number): number {
    const count = (this.pending.get(route) ?? 0) + more;
    this.pending.set(route, count);
    return count;
  }

  private readingOf({ route }: List, since: number): Reading | undefined {
    const reading = this.readings.get(route);
    return reading && !reading.hasFailed && reading.began >= since ? reading : undefined;
  }

  private begin(list: List, readers = 0): Reading {
    const reading = new Reading(this.client(), list, this.clock.now(), readers);
    this.readings.set(list.route, reading);
    return reading;
  }

  /** Waits for the next page. At the deadline, whoever asked stops waiting; others may still wait for the page. */
  private async readOn(reading: Reading, deadline: number | undefined): Promise<void> {
    const page = reading.readOn().then(() => true);
    if (await (deadline === undefined ? page : this.clock.waitFor(page, deadline))) return;
    throw withoutResponse(`${reading.list.route} was not read before the timeout.`, "unsent");
  }
}

/** A list, of which the first pages were read. */
class Reading {
  readonly pages: ListItem[][] = [];
  readonly items = new Map<string, ListItem>();
  /** The client's moment when it began. */
  readonly began: number;
  hasEnded = false;
  hasFailed = false;
  private readonly rest: AsyncGenerator<ListItem[], void>;
  private nextPage: Promise<void> | undefined;

  constructor(
    client: Client,
    readonly list: List,
    /** When it began, in milliseconds since the epoch. */
    readonly time: number,
    /** How many reads of a refresh have used it. */
    public readers: number,
  ) {
    this.began = client.moment;
    this.rest = client.pages(list.route, list.key);
  }

  /** Reads the next page. Those who need it at the same time wait for the same request, and fail with it. */
  readOn(): Promise<void> {
    this.nextPage ??= this.readPage();
    return this.nextPage;
  }

  private async readPage(): Promise<void> {
    const { value, done } = await this.rest.next().catch((error: unknown) => {
      this.hasFailed = true;
      throw error;
    });
    this.nextPage = undefined;
    if (done) {
      this.hasEnded = true;
      return;
    }
    this.pages.push(value);
    for (const item of value) this.items.set(item.id, item);
  }
}
