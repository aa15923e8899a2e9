/**
 * The service's rate limit, as far as its responses show it. A request that the service accepted makes room for another
 * one when the limit's window has passed. So a process may send as many requests in each window as in the one before: its
 * share. Other processes have shares of their own. A request beyond the share is a try: one at a time. The share grows
 * while tries are accepted. When a request is rejected, the share is the number of requests in the window.
 *
 * ```text
 *   no limit is known                   429: the share is what the window holds → one request at a time
 *   one request at a time               429: the pause grows; accepted: → as many in a window as the share
 *   as many in a window as the share    429, because others use the limit, too: → one request at a time;
 *                                       the share is used up, and the pause between tries is over: → a try
 *   a try                               accepted: the share grows, → as many as the share; 429: → one request at a time
 * ```
 *
 * If responses have the number of remaining requests, the share follows it.
 */

/** What a response says about the rate limit. Times are in milliseconds. */
export interface RateLimitNotice {
  /** Whether the request was rejected because of the limit. */
  isRejected: boolean;
  /** How long to wait before the next request. */
  retryAfter?: number;
  /** How many more requests the service accepts now, and how long it takes until there are more. */
  remaining?: number;
  reset?: number;
  /** How many it accepts in a window, of all clients together. */
  limit?: number;
  window?: number;
}

/** A request that was sent and not rejected. */
export interface SentRequest {
  readonly sentAt: number;
  /** When the service had counted it for sure: when its response came. */
  at: number;
  /** Whether it is one more than the share. */
  readonly isTry: boolean;
  /** Whether it was rejected before. */
  readonly isRepeated: boolean;
}

/** The windows that services have. The shortest is assumed until requests are rejected for longer. */
const windows = [1, 2, 5, 10, 15, 20, 30, 60, 120].map((seconds) => seconds * 1_000);
const longestWindow = windows.at(-1)!;
/** The pause between tries, for each request of the share: small shares grow sooner. After growth it is shorter. */
const tryPause = { each: 700, eachGrown: 300, least: 1_500, most: 7_000 };
/** Timers may fire slightly early. */
const earlyMs = 1;
/** After a second rejection in a row all requests pause, at most for a part of the time since the first. */
const rejectionPause = { first: 125, share: 1 / 8, least: 1_000, most: 5_000 };
const maxRetryAfter = 120_000;
/** `Retry-After` and the like are in whole seconds, so the wait can be shorter by this. */
const resolution = 1_000;

export class ServiceLimit {
  /** How many requests of this process the service accepts in a window. */
  private share = Number.POSITIVE_INFINITY;
  private window = windows[0]!;
  /** Whether the service says what remains. */
  private hasHeaders = false;
  /** Requests that were not rejected, in the order in which they were sent. */
  private sent: SentRequest[] = [];
  /** Rejections after which no request was accepted. */
  private rejections: { since: number; count: number } | undefined;
  private lastRejection = Number.NEGATIVE_INFINITY;
  private notBefore = Number.NEGATIVE_INFINITY;
  private tryAt = Number.NEGATIVE_INFINITY;
  /** Whether a try was accepted after the last rejection. Others then need less, and soon perhaps less still. */
  private isGrowing = false;

  constructor(private readonly random: () => number) {}

  /** Whether requests must be sent in turn. */
  get isKnown(): boolean {
    return this.share < Number.POSITIVE_INFINITY;
  }

  /** When the service has room for the next request. */
  findRoom(now: number): number {
    const held = this.findHeld(now);
    const room = held.length < this.share ? now : Math.min(this.findReturn(held), this.tryAt);
    return Math.max(room, this.notBefore);
  }

  /** Whether the next request must wait for the response to the last one. */
  get isTrying(): boolean {
    return this.rejections !== undefined || this.sent.at(-1)?.isTry === true;
  }

  addRequest(now: number, isRepeated: boolean): SentRequest {
    while (this.sent[0] && this.sent[0].at < now - 2 * longestWindow) this.sent.shift();
    const isTry = this.isKnown && this.findHeld(now).length >= this.share;
    const request = { sentAt: now, at: now, isTry, isRepeated };
    this.sent.push(request);
    return request;
  }

  /** Learns from the response to a request. */
  learn(request: SentRequest, now: number, notice: RateLimitNotice): void {
    request.at = now;
    if (notice.isRejected) this.reject(request, now, notice.retryAfter ?? notice.reset);
    else this.accept(request, now);
    if (notice.remaining !== undefined) this.follow(request, now, notice.remaining, notice);
  }

  private accept(request: SentRequest, now: number): void {
    if (this.rejections && request.sentAt >= this.lastRejection) {
      const { since } = this.rejections;
      if (request.at - since > 1.1 * this.window) this.learnWindow(since, this.lastRejection, request.at);
      this.rejections = undefined;
    }
    if (request.isTry) {
      this.share = Math.max(this.share, this.findHeld(now).length);
      this.tryAt = now;
      this.isGrowing = true;
    }
  }

  private reject(request: SentRequest, now: number, wait: number | undefined): void {
    this.sent.splice(this.sent.indexOf(request), 1);
    // Requests that ran at the same time are rejected, too. Only the first of them counts.
    const isNewRejection = request.sentAt >= this.lastRejection;
    if (isNewRejection) {
      this.rejections = { since: this.rejections?.since ?? request.at, count: (this.rejections?.count ?? 0) + 1 };
      this.lastRejection = now;
      if (wait !== undefined && wait - resolution > this.window) {
        this.learnWindow(request.at, now + wait - resolution, now + wait);
      }
    }
    // A call that is rejected again and again may have a limit of its own.
    if (!request.isRepeated) this.share = Math.min(this.share, this.findHeld(request.at).length);
    if (isNewRejection) this.pause(now, this.rejections!, wait);
  }

  private pause(now: number, { since, count }: { since: number; count: number }, wait: number | undefined): void {
    const vary = 0.75 + this.random() / 2;
    const each = this.isGrowing ? tryPause.eachGrown : tryPause.each;
    const tryWait = Math.min(Math.max(each * this.share, tryPause.least), tryPause.most);
    const longest = Math.min(Math.max(rejectionPause.least, (now - since) * rejectionPause.share), rejectionPause.most);
    const pause = count > 1 || this.share === 0 ? Math.min(rejectionPause.first * 2 ** (count - 1), longest) * vary : 0;
    this.tryAt = now + (this.share === 0 ? 0 : tryWait * vary);
    this.notBefore = now + Math.max(pause, this.findWait(wait));
    this.isGrowing = false;
  }

  /** How long the service wants to be left alone. In the last second of it, the requests of the window make room. */
  private findWait(wait = 0): number {
    return Math.min(this.share === 0 ? wait : wait - resolution, maxRetryAfter);
  }

  /**
   * Finds the window after which the oldest of the requests made room, between two times. If there is none, requests of
   * other processes did.
   */
  private learnWindow(since: number, after: number, until: number): void {
    if (this.hasHeaders) return;
    for (const window of windows) {
      const counted = this.sent.filter(({ at }) => at > since - window && at <= since);
      const end = (counted[0]?.at ?? Number.NaN) + window;
      const tolerance = 0.03 * window;
      if (end > after - tolerance && end < until + tolerance) {
        this.window = window;
        this.share = counted.length;
        return;
      }
    }
  }

  /** Follows what the service says. */
  private follow(request: SentRequest, now: number, remaining: number, notice: RateLimitNotice): void {
    const { limit = Number.MAX_SAFE_INTEGER, reset = 0, window = this.window } = notice;
    this.hasHeaders = true;
    this.window = Math.min(window, longestWindow);
    const before = this.findHeld(now).filter(({ sentAt }) => sentAt <= request.sentAt).length;
    // If others use the limit, too, half of what remains is theirs.
    this.share = before + (before + remaining < limit ? Math.floor(remaining / 2) : limit - before);
    this.tryAt = this.share > before ? Number.POSITIVE_INFINITY : now + reset;
    if (remaining === 0) this.notBefore = Math.max(this.notBefore, now + this.findWait(reset));
  }

  /** The requests that the service still counts. */
  private findHeld(now: number): SentRequest[] {
    return this.sent.filter((request) => now < this.findEnd(request));
  }

  private findEnd({ at }: SentRequest): number {
    return at + this.window + earlyMs;
  }

  /** When the first of the requests that the service counts makes room for another. */
  private findReturn(held: SentRequest[]): number {
    const ends = held.map((request) => this.findEnd(request)).sort((a, b) => a - b);
    return ends[ends.length - this.share] ?? Number.POSITIVE_INFINITY;
  }
}
