/** What the headers of a response say about the rate limit. */
import { readRateLimitHeaders } from "../../src/api/rateLimitHeaders";

describe("headers of the rate limit", () => {
  const now = Date.UTC(2026, 0, 1);
  test.each<[Record<string, string | string[]>, object]>([
    [{}, {}],
    [{ "retry-after": " " }, {}],
    [{ "retry-after": "soon" }, {}],
    [{ "retry-after": "2" }, { retryAfter: 2_000 }],
    [{ "retry-after": new Date(now + 3_000).toUTCString() }, { retryAfter: 3_000 }],
    [{ ratelimit: "nonsense", "ratelimit-remaining": "many" }, {}],
    [
      { ratelimit: '"default";r=50;t=30', "ratelimit-policy": '"default";q=100;w=60' },
      { remaining: 50, reset: 30_000, limit: 100, window: 60_000 },
    ],
    [
      {
        ratelimit: '"day";r=900;t=80000, "burst"; r=3; t=1',
        "ratelimit-policy": '"day";q=1000;w=86400,"burst";q=10;w=1',
      },
      { remaining: 3, reset: 1_000, limit: 10, window: 1_000 },
    ],
    [{ ratelimit: '"burst";r=3;t=1, "day";r=900;t=80000, "none"' }, { remaining: 3, reset: 1_000 }],
    [{ ratelimit: ['"day";r=900', '"burst";r=3'] }, { remaining: 3 }],
    [{ ratelimit: '"default";r=0' }, { remaining: 0 }],
    [{ "ratelimit-remaining": " 7 ", "ratelimit-limit": "x8", "ratelimit-reset": "9x" }, { remaining: 7 }],
    [
      { "ratelimit-remaining": "7", "ratelimit-reset": "1.25" },
      { remaining: 7, reset: 1_250 },
    ],
    [
      { "ratelimit-limit": "100", "ratelimit-remaining": "7", "ratelimit-reset": "5" },
      { remaining: 7, reset: 5_000, limit: 100 },
    ],
    [
      { "ratelimit-remaining": "0", "ratelimit-reset": "1000000000" },
      { remaining: 0, reset: 1_000_000_000_000 },
    ],
    // In seconds since the epoch, as many services send it.
    [
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now / 1_000 + 9) },
      { remaining: 0, reset: 9_000 },
    ],
    [
      { "x-rate-limit-remaining": "0", "x-rate-limit-reset": String(now / 1_000 - 9) },
      { remaining: 0, reset: 0 },
    ],
  ])("%j", (headers, expected) => {
    expect(JSON.parse(JSON.stringify(readRateLimitHeaders(headers, now)))).toEqual(expected);
  });
});
