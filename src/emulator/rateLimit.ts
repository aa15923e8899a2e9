/** At most `requests` requests in any `windowMs` milliseconds. */
export interface RateLimit {
  requests: number;
  windowMs: number;
  /** Whether responses with status 429 have the header `Retry-After`. Default true. */
  retryAfter?: boolean;
}

/** Counts the requests of a rolling window. Rejected requests do not count. */
export class RollingWindow {
  readonly limit: RateLimit;
  readonly #now: () => number;
  #times: number[] = [];
  #oldest = 0;

  constructor(limit: RateLimit, now: () => number) {
    this.limit = limit;
    this.#now = now;
  }

  /** Returns 0 and counts the request, or returns how many milliseconds it must wait. */
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
