/**
 * Reads many objects with few calls. The engine refreshes several resources at once, and one scan of the pages of
 * their list serves all of them. A single read is a single GET.
 */

import type { Client, ListItem } from "../../api/client";
import type { Clock } from "../../base/clock";
import type { JsonObject } from "../../base/json";
import type { List } from "../../definitions/definition";

/**
 * Pages may be used as long as reads follow each other within the first time, but not for longer than the second: a
 * refresh of thousands of resources takes minutes. Waits for the rate limit do not count.
 */
const maxIdleMs = 10_000;
const maxAgeMs = 300_000;
/** Reads that belong together arrive within this time. */
const batchWindowMs = 10;
/**
 * The most pages that a scan may read: in a large account a few GETs are cheaper. But the engine reads only 8 resources at
 * once of a stack with thousands, so many reads at once are probably the first of many more.
 */
const maxPages = (reads: number) => reads ** 2;

export class BatchReader {
  private readonly pending = new Map<string, number>();
  private readonly scans = new Map<string, ListScan>();

  constructor(
    private readonly client: Client,
    private readonly clock: Clock,
  ) {}

  /**
   * The object: from the list if others are being read too, otherwise by `get`. At the deadline the read stops waiting
   * for the list, which others may still wait for.
   */
  async read(
    list: List,
    id: string,
    get: () => Promise<JsonObject | undefined>,
    deadline?: number,
  ): Promise<JsonObject | undefined> {
    this.count(list, 1);
    try {
      const current = this.scanOf(list);
      if (current) current.waiters++;
      else await this.clock.sleep(batchWindowMs);
      if (!this.scanOf(list) && this.count(list, 0) === 1) return await get();
      const scan = this.scanOf(list) ?? this.startScan(list);
      return (await this.find(scan, id, deadline)) ?? (await get());
    } finally {
      this.count(list, -1);
    }
  }

  private find(scan: ListScan, id: string, deadline: number | undefined): Promise<JsonObject | undefined> {
    if (deadline === undefined) return scan.find(id);
    const found = scan.find(id, () => this.clock.now() < deadline);
    return this.clock.waitFor(found, deadline);
  }

  /** How many reads of a list are pending. */
  private count({ key }: List, more: number): number {
    const count = (this.pending.get(key) ?? 0) + more;
    this.pending.set(key, count);
    return count;
  }

  private scanOf({ key }: List): ListScan | undefined {
    const scan = this.scans.get(key);
    return scan?.isFresh() ? scan : undefined;
  }

  private startScan(list: List): ListScan {
    const scan = new ListScan(this.client, list, this.count(list, 0));
    this.scans.set(list.key, scan);
    return scan;
  }
}

/** Reads the pages of a list, one by one, until every waiting read has found its object. */
class ListScan {
  private readonly pages: AsyncGenerator<ListItem[], void>;
  private readonly writes: number;
  private readonly found = new Map<string, JsonObject>();
  private currentPage: Promise<void> = Promise.resolve();
  private readonly startedAt: number;
  /** When it was last used; infinity while a page is being read. */
  private usedAt = Number.POSITIVE_INFINITY;
  private hasFailed = false;
  private ended = false;
  private pagesRead = 0;

  constructor(
    private readonly client: Client,
    { route, key }: List,
    public waiters: number,
  ) {
    this.pages = client.pages(route, key);
    this.writes = client.writes;
    this.startedAt = client.activeTime();
  }

  /** Whether it may be used for reads that begin now. */
  isFresh(): boolean {
    const now = this.client.activeTime();
    const isRecent = now - this.usedAt < maxIdleMs && now - this.startedAt < maxAgeMs;
    return isRecent && !this.hasFailed && this.client.writes === this.writes;
  }

  async find(id: string, isWaiting = () => true): Promise<JsonObject | undefined> {
    while (!this.found.has(id) && !this.ended && this.pagesRead < maxPages(this.waiters) && isWaiting()) {
      const before = this.currentPage;
      await before;
      // The first read requests the next page; the others wait for the same page.
      if (this.currentPage === before && !this.found.has(id) && !this.ended) this.currentPage = this.readPage();
      await this.currentPage;
    }
    this.usedAt = this.client.activeTime();
    return this.found.get(id);
  }

  private async readPage(): Promise<void> {
    this.pagesRead++;
    this.usedAt = Number.POSITIVE_INFINITY;
    const { value, done } = await this.pages.next().catch((error: unknown) => {
      // Later reads start a new scan.
      this.hasFailed = true;
      throw error;
    });
    this.usedAt = this.client.activeTime();
    for (const item of value ?? []) this.found.set(item.id, item);
    if (done) this.ended = true;
  }
}
