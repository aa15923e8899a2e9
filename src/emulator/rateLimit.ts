/** A number of requests in a time. Rejected requests do not count. */
export interface RateLimit {
  requests: number;
  windowMs: number;
  /**
   * How requests are counted: in the time before each request (`rolling`, the default), in each period of that length
   * since 1970 (`fixed`), or with tokens (`bucket`). There are at most `requests` tokens, which come back one by one.
   */
  algorithm?: Algorithm;
  /** Whether responses with status 429 have the header `Retry-After`. Default true. */
  retryAfter?: boolean;
  /**
   * The headers in which every response has what is left: those of the IETF's draft, those of its older versions, or
   * those that many services send. Default: none.
   */
  headers?: HeaderStyle;
}

export type Algorithm = keyof typeof algorithms;
export type HeaderStyle = keyof typeof headerStyles;

/** How many requests are left, and in how many milliseconds there is one more. */
interface Rest {
  left: number;
  waitMs: number;
}

interface Counter {
  read(now: number): Rest;
  count(now: number): void;
}

const algorithms = {
  rolling({ requests, windowMs }: RateLimit): Counter {
    let times: number[] = [];
    let oldest = 0;
    return {
      read(now) {
        while (oldest < times.length && times[oldest]! <= now - windowMs) oldest++;
        if (oldest > 1024) {
          times = times.slice(oldest);
          oldest = 0;
        }
        return { left: requests - (times.length - oldest), waitMs: (times[oldest] ?? now) + windowMs - now };
      },
      count: (now) => times.push(now),
    };
  },
  fixed({ requests, windowMs }: RateLimit): Counter {
    let period = Number.NaN;
    let counted = 0;
    return {
      read(now) {
        if (period !== Math.floor(now / windowMs)) counted = 0;
        period = Math.floor(now / windowMs);
        return { left: requests - counted, waitMs: (period + 1) * windowMs - now };
      },
      count: () => counted++,
    };
  },
  bucket({ requests, windowMs }: RateLimit): Counter {
    let tokens = requests;
    let last = Number.NEGATIVE_INFINITY;
    return {
      read(now) {
        if (now > last) tokens = Math.min(requests, tokens + ((now - last) * requests) / windowMs);
        last = now;
        return { left: Math.floor(tokens), waitMs: ((1 - (tokens % 1)) * windowMs) / requests };
      },
      count: () => tokens--,
    };
  },
};

export const toSeconds = (ms: number) => String(Math.ceil(ms / 1000));

const headerStyles = {
  RateLimit: ({ requests, windowMs }: RateLimit, { left, waitMs }: Rest) => ({
    "RateLimit-Policy": `"default";q=${requests};w=${toSeconds(windowMs)}`,
    RateLimit: `"default";r=${left};t=${toSeconds(waitMs)}`,
  }),
  "RateLimit-Remaining": ({ requests }: RateLimit, { left, waitMs }: Rest) => ({
    "RateLimit-Limit": String(requests),
    "RateLimit-Remaining": String(left),
    "RateLimit-Reset": toSeconds(waitMs),
  }),
  "X-RateLimit-Remaining": ({ requests }: RateLimit, { left, waitMs }: Rest, now: number) => ({
    "X-RateLimit-Limit": String(requests),
    "X-RateLimit-Remaining": String(left),
    "X-RateLimit-Reset": toSeconds(now + waitMs),
  }),
};

/** Counts requests, and rejects those that are too many. */
export class RequestCounter {
  readonly #counter: Counter;

  constructor(
    readonly limit: RateLimit,
    readonly now: () => number,
  ) {
    this.#counter = algorithms[limit.algorithm ?? "rolling"](limit);
  }

  /** Returns 0 and counts the request, or returns how many milliseconds it must wait. */
  admit(): number {
    const now = this.now();
    const { left, waitMs } = this.#counter.read(now);
    if (left < 1) return Math.max(1, waitMs);
    this.#counter.count(now);
    return 0;
  }

  /** The headers with what is left. */
  createHeaders(): Record<string, string> {
    const { limit, now } = this;
    return limit.headers ? headerStyles[limit.headers](limit, this.#counter.read(now()), now()) : {};
  }
}
