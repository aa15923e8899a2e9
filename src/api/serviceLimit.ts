/**
 * The service's rate limit, as far as its responses show it: how many of this process's requests the service lets
 * through in a window of time. The number is what was let through in the last window, plus what the service says is
 * left; nothing is left when it rejects a request. A request that was let through makes room for another one when the
 * window has passed. Where the service does not say what is left, one request more is tried from time to time.
 */

/** What a response says about the rate limit. Times are in milliseconds. */
export interface RateLimitNews {
  /** Whether the request was rejected because of the limit. */
  isRejected: boolean;
  /** How long to wait before the next request. */
  retryAfter?: number;
  /** How many more requests the service lets through now, and how long it takes until there are more. */
  remaining?: number;
  reset?: number;
  /** How many it lets through in a window, of all clients together. */
  limit?: number;
  window?: number;
}

/** A request that was sent. */
export interface SentRequest {
  readonly sentAt: number;
  /** When the service probably counted it. */
  at: number;
  /** How much longer than the window it is counted here. */
  readonly margin: number;
  /** How many requests the window had before it. */
  readonly held: number;
}

/** A time in which the service rejects requests. */
interface Closed {
  since: number;
  /** When it may let a request through again. */
  until: number;
  /** Whether it let no request through in the window before. */
  isEmpty: boolean;
}

/** The windows that services have. The shortest is assumed until requests are rejected for longer. */
const windows = [1, 2, 5, 10, 15, 20, 30, 60, 120].map((seconds) => seconds * 1_000);
const shortestWindow = windows[0]!;
const longestWindow = windows.at(-1)!;
/** A request can arrive sooner than the one before it did, and other processes need room, too: at least 1 %, at most 3 %. */
const margin = { least: 0.01, random: 0.02 };
/** One request more is tried after this time for each request in the window: small shares grow sooner than large ones. */
const tryAfter = { each: 800, least: 1_000, most: 10_000 };
/** After a second rejection in a row, pauses grow to a second, and then to an eighth of the whole wait. */
const pauses = { share: 1 / 8, usual: 1_000, most: 5_000 };
/** The pause after a single rejection, as a part of the window. */
const shortPause = 0.1;
const maxRetryAfter = 120_000;
/** `Retry-After` is in whole seconds, so the wait can be shorter by this. */
const resolution = 1_000;

export class ServiceLimit {
  /** How many requests the service lets through in the window. */
  private most = Number.POSITIVE_INFINITY;
  private window = shortestWindow;
  /** The number of requests from which the window was learned. */
  private learnedFrom = Number.POSITIVE_INFINITY;
  /** Requests that were not rejected, in the order in which they were sent. */
  private sent: SentRequest[] = [];
  /** Set while the service rejects requests. One request at a time then finds out whether it still does. */
  private closed: Closed | undefined;
  /** When a rejection was last learned of, and whether it was the first. The requests that were running then counted as passed. */
  private lastRejection = { at: Number.NEGATIVE_INFINITY, isFirst: false };
  private tryMoreAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly random: () => number) {}

  /** Whether requests must be sent in turn. */
  get isKnown(): boolean {
    return this.most < Number.POSITIVE_INFINITY;
  }

  get isClosed(): boolean {
    return this.closed !== undefined;
  }

  /** When the service has room for the next request. */
  findRoom(now: number): number {
    if (this.closed) return this.closed.until;
    const held = this.findHeld(now);
    const isTried = now >= this.tryMoreAt && held.length === this.most;
    return held.length < this.most || isTried ? now : this.findReturn(held);
  }

  addRequest(now: number): SentRequest {
    while (this.sent[0] && this.sent[0].at < now - longestWindow * 1.1) this.sent.shift();
    const held = this.isKnown ? this.findHeld(now).length : 0;
    const request = { sentAt: now, at: now, margin: margin.least + margin.random * this.random(), held };
    this.sent.push(request);
    return request;
  }

  /** Learns from the response to a request. */
  learn(request: SentRequest, now: number, news: RateLimitNews): void {
    if (news.isRejected) this.reject(request, now, news);
    else this.accept(request, now, news);
  }

  private accept(request: SentRequest, now: number, news: RateLimitNews): void {
    request.at = (request.sentAt + now) / 2;
    if (this.closed) this.reopen(request, this.closed, news);
    else if (request.held >= this.most) this.grow(request.held + 1);
    if (news.remaining !== undefined) this.follow(request, now, news.remaining, news);
  }

  /** Follows what the service says. */
  private follow(request: SentRequest, now: number, remaining: number, news: RateLimitNews): void {
    const { limit = Number.MAX_SAFE_INTEGER, reset = 0, window = this.window } = news;
    this.window = Math.min(window, longestWindow);
    const before = this.findHeld(now).filter(({ sentAt }) => sentAt <= request.sentAt).length;
    // If others use the limit, too, half of what is left is theirs.
    const share = before + remaining < limit ? Math.floor(remaining / 2) : limit - before;
    this.most = Math.max(1, before + share);
    this.tryMoreAt = Number.POSITIVE_INFINITY;
    if (remaining === 0) this.close(now, now + this.shorten(reset, now));
  }

  private reject(request: SentRequest, now: number, { retryAfter, reset }: RateLimitNews): void {
    this.sent.splice(this.sent.indexOf(request), 1);
    if (request.sentAt <= this.lastRejection.at) {
      if (this.lastRejection.isFirst) this.most = Math.max(1, this.most - 1);
      return;
    }
    const isRepeated = now - this.lastRejection.at < this.window / 2;
    const isTry = !this.closed && request.held >= this.most;
    const isFirst = !this.isKnown;
    this.lastRejection = { at: now, isFirst };
    const passed = this.sent.filter(({ sentAt }) => sentAt > request.sentAt - this.window).length;
    let pause = 0;
    if (isFirst || this.closed || isRepeated) {
      this.most = Math.max(1, Math.min(this.most, passed));
      if (!isFirst || passed === 0) pause = this.findPause(now);
    } else if (!isTry) {
      // It arrived too early, or another process took its room.
      this.most = Math.max(1, this.most - 1);
      pause = this.window * shortPause;
    }
    if (!this.closed) this.tryMoreAt = now + this.findTryPause();
    const wait = retryAfter ?? reset;
    const until = now + Math.max(pause, wait === undefined ? 0 : this.shorten(wait, now));
    if (this.closed || until > now) this.close(request.sentAt, until, passed === 0);
  }

  private close(since: number, until: number, isEmpty = false): void {
    this.closed = { since, isEmpty, ...this.closed, until };
  }

  /** The service lets requests through again. How long it did not shows its window. */
  private reopen({ sentAt }: SentRequest, { since, until, isEmpty }: Closed, { remaining }: RateLimitNews): void {
    if (sentAt < until) return;
    this.closed = undefined;
    const wait = sentAt - since;
    if (isEmpty) {
      this.tryMoreAt = sentAt;
    } else if (wait > 2 * this.window && remaining === undefined) {
      const isBefore = (request: SentRequest) => request.sentAt < sentAt;
      const oldest = this.sent.find((request) => request.sentAt > since - wait && isBefore(request));
      const whole = (sentAt - (oldest?.sentAt ?? since)) * 1.05;
      this.window = windows.findLast((each) => each <= whole) ?? shortestWindow;
      const counted = this.sent.filter((request) => request.sentAt > since - this.window && isBefore(request));
      this.most = Math.max(1, counted.length);
      this.learnedFrom = this.most;
    }
  }

  private grow(most: number): void {
    this.most = most;
    // Other processes kept this one waiting, not the window.
    if (most >= 2 * this.learnedFrom) this.window = shortestWindow;
  }

  /** The requests that the service still counts. */
  private findHeld(now: number): SentRequest[] {
    return this.sent.filter((request) => now < this.findEnd(request));
  }

  private findEnd({ at, margin }: SentRequest): number {
    return at + this.window * (1 + margin);
  }

  /** When the first of the requests that the service counts makes room for another. */
  private findReturn(held: SentRequest[]): number {
    const ends = held.map((request) => this.findEnd(request)).sort((a, b) => a - b);
    return ends[Math.max(0, ends.length - this.most)] ?? 0;
  }

  /** The wait that the service asks for, or, if the window ends during its last second, until then. */
  private shorten(wait: number, now: number): number {
    const longest = Math.min(wait, maxRetryAfter);
    const own = this.findReturn(this.findHeld(now)) - now;
    return own >= longest - resolution ? Math.min(own, longest) : longest;
  }

  private findTryPause(): number {
    const { each, least, most } = tryAfter;
    return Math.min(Math.max(each * this.most, least), most) * (0.75 + this.random() / 2);
  }

  private findPause(now: number): number {
    const wait = this.closed ? now - this.closed.since : 0;
    const first = Math.min(pauses.usual, this.window * pauses.share);
    const longest = Math.min(Math.max(pauses.usual, wait * pauses.share), pauses.most);
    return Math.min(Math.max(first, wait), longest) * (1 + this.random() / 10);
  }
}
