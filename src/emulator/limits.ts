/** So many requests in any window of so many milliseconds. */
export interface RateLimit {
  requests: number;
  windowMs: number;
  /** Whether refusals say when to come back. Default true. */
  retryAfter?: boolean;
}

/** A rolling window. A refused request does not count. */
export class RollingWindow {
  readonly limit: RateLimit;
  readonly #now: () => number;
  #times: number[] = [];
  #oldest = 0;

  constructor(limit: RateLimit, now: () => number) {
    this.limit = limit;
    this.#now = now;
  }

  /** Zero when the request may pass, else how many milliseconds it would have to wait. */
  admit(): number {
    const now = this.#now();
    const { requests, windowMs } = this.limit;
    while (this.#oldest < this.#times.length && this.#times[this.#oldest]! <= now - windowMs) this.#oldest++;
    if (this.#oldest > 1024) {
      this.#times = this.#times.slice(this.#oldest);
      this.#oldest = 0;
    }
    if (this.#times.length - this.#oldest >= requests) {
      return Math.max(1, (this.#times[this.#oldest] ?? now) + windowMs - now);
    }
    this.#times.push(now);
    return 0;
  }
}
