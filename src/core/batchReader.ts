/**
 * Reads many objects with few calls. The engine refreshes several resources at once: then one scan of the pages of
 * their list serves all of them. A single read stays a single GET.
 */

import { setTimeout } from "node:timers/promises";
import type { Client, ListItem } from "../api/client";
import type { List } from "../definitions/definition";
import type { JsonObject } from "../json";

/** How long what a page said may answer for reads that begin later. */
const maxAgeMs = 10_000;
/** Reads that belong together arrive within this time. */
const batchWindowMs = 10;
/** The most that a walk may cost: in a large account a few GETs are cheaper. */
const pagesPerRead = 2;

export class BatchReader {
  private readonly pending = new Map<string, number>();
  private readonly scans = new Map<string, ListScan>();

  constructor(private readonly client: Client) {}

  /** The object, from the list where others are read too, else by `get`. */
  async read(list: List, id: string, get: () => Promise<JsonObject | undefined>): Promise<JsonObject | undefined> {
    this.count(list, 1);
    try {
      const begun = this.scanOf(list);
      if (begun) begun.waiters++;
      else await setTimeout(batchWindowMs);
      if (!this.scanOf(list) && this.count(list, 0) === 1) return await get();
      const walk = this.scanOf(list) ?? this.begin(list);
      return (await walk.find(id)) ?? (await get());
    } finally {
      this.count(list, -1);
    }
  }

  /** How many reads of a list are under way. */
  private count({ key }: List, more: number): number {
    const count = (this.pending.get(key) ?? 0) + more;
    this.pending.set(key, count);
    return count;
  }

  private scanOf({ key }: List): ListScan | undefined {
    const walk = this.scans.get(key);
    return walk?.isFresh(this.client) ? walk : undefined;
  }

  private begin(list: List): ListScan {
    const walk = new ListScan(this.client.pages(list.route, list.key), this.client.writes, this.count(list, 0));
    this.scans.set(list.key, walk);
    return walk;
  }
}

/** A walk through a list that goes on only as far as somebody is looking for something. */
class ListScan {
  private readonly found = new Map<string, { item: JsonObject; at: number }>();
  private currentPage: Promise<void> = Promise.resolve();
  /** When the newest page came; while one is under way, that is yet to be. */
  private newest = Number.POSITIVE_INFINITY;
  private ended = false;
  private pagesRead = 0;

  constructor(
    private readonly pages: AsyncGenerator<ListItem[], void>,
    private readonly writes: number,
    public waiters: number,
  ) {}

  isFresh = (client: Client) => Date.now() - this.newest < maxAgeMs && client.writes === this.writes;

  async find(id: string): Promise<JsonObject | undefined> {
    const oldest = Date.now() - maxAgeMs;
    while (!this.found.has(id) && !this.ended && this.pagesRead < pagesPerRead * this.waiters) {
      const before = this.currentPage;
      await before;
      // Whoever comes first goes on; the others wait for the same page.
      if (this.currentPage === before && !this.found.has(id) && !this.ended) this.currentPage = this.readPage();
      await this.currentPage;
    }
    const { item, at = 0 } = this.found.get(id) ?? {};
    return at > oldest ? item : undefined;
  }

  private async readPage(): Promise<void> {
    this.pagesRead++;
    this.newest = Number.POSITIVE_INFINITY;
    const { value, done } = await this.pages.next().catch((error: unknown) => {
      // Who comes later looks anew.
      this.newest = 0;
      throw error;
    });
    this.newest = Date.now();
    for (const item of value ?? []) this.found.set(item.id, { item, at: this.newest });
    if (done) this.ended = true;
  }
}
