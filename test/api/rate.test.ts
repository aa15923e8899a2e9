/** How well the rate limit is respected and used, with a simulated clock. */
import { RateLimiter } from "../../src/api/rateLimiter";
import { readRateLimitHeaders } from "../../src/api/rateLimitHeaders";
import { Clock } from "../../src/base/clock";
import { type RateLimit, RequestCounter } from "../../src/emulator/rateLimit";
import { createSimulatedClock, createSimulatedTime } from "../support/clock";

const [most, minute] = [120, 60_000];
const latency = 100;

let clock = createSimulatedClock();
beforeEach(() => {
  clock = createSimulatedClock();
});

/** Processes that each make a number of calls, some of them concurrently, on an account with a rate limit. */
async function run({ processes = 1, calls = 300, atOnce = 8, retryAfter = true }) {
  const window = new RequestCounter({ requests: most, windowMs: minute }, clock.now);
  const accepted: number[] = [];
  const watcher = { onRateLimit: jest.fn(), onWait: jest.fn() };
  let rejected = 0;
  const send = async () => {
    await clock.sleep(latency * clock.random());
    const wait = window.admit();
    if (wait > 0) rejected++;
    else accepted.push(clock.now());
    await clock.sleep(latency * clock.random());
    return { wait };
  };
  const readNews = ({ wait }: { wait: number }) => ({
    isRejected: wait > 0,
    retryAfter: retryAfter ? Math.ceil(wait / 1_000) * 1_000 : undefined,
  });
  const caller = async (rate: RateLimiter, count: number) => {
    for (let call = 0; call < count; call++) await rate.run(send, readNews);
  };
  const all = Array.from({ length: processes }, () => new RateLimiter(watcher, clock)).flatMap((rate) =>
    Array.from({ length: atOnce }, () => caller(rate, Math.ceil(calls / atOnce))),
  );
  await Promise.all(all);
  const shortest = Math.floor((accepted.length - 1) / most) * minute;
  return { share: shortest / (accepted.at(-1)! - accepted[0]!), rejected, accepted: accepted.length, watcher };
}

describe.each([true, false])("with Retry-After: %s", (retryAfter) => {
  test.each([
    [1, 300, 8],
    [2, 300, 8],
    [1, 300, 64],
    [4, 300, 8],
    [1, 2_000, 8],
  ])(
    "%d processes with %d calls each, %d at once, use at least 90 %% of the limit",
    async (processes, calls, atOnce) => {
      const { share, rejected, accepted, watcher } = await run({ processes, calls, atOnce, retryAfter });
      expect(share).toBeGreaterThanOrEqual(0.9);
      // Retries cost the service something. Without Retry-After, each process retries every other second.
      expect(rejected).toBeLessThan(accepted * (retryAfter ? 0.5 : 1.5));
      expect(watcher.onRateLimit).toHaveBeenCalledTimes(processes);
    },
  );
});

/**
 * Processes that together create 100 objects at 10 requests a second, as the engine does: 8 at once, each a moment after
 * the last. Returns the time they took, divided by the shortest that the limit allows, and the number of rejections.
 */
async function createHundred(seed: number, limit: Partial<RateLimit>, processes: number, retryAfter: boolean) {
  const time = createSimulatedTime(seed);
  const clock = new Clock(time);
  const counter = new RequestCounter({ requests: 10, windowMs: 1_000, ...limit }, clock.now);
  const sleep = (least: number, most: number) => clock.sleep(least + (most - least) * clock.random());
  const accepted: number[] = [];
  let rejected = 0;
  const send = async () => {
    await sleep(1, 6);
    const wait = counter.admit();
    if (wait > 0) rejected++;
    else accepted.push(clock.now());
    const entries = Object.entries(counter.createHeaders()).map(([name, value]) => [name.toLowerCase(), value]);
    if (wait > 0 && retryAfter) entries.push(["retry-after", String(Math.ceil(wait / 1_000))]);
    await sleep(1, 6);
    return { isRejected: wait > 0, ...readRateLimitHeaders(Object.fromEntries(entries), clock.now()) };
  };
  const runProcess = async (process: number) => {
    await sleep(0, 300 * process);
    const rate = new RateLimiter({ onRateLimit: jest.fn(), onWait: jest.fn() }, clock);
    let left = 100 / processes;
    const caller = async () => {
      while (left-- > 0) {
        await sleep(100, 400);
        await rate.run(send, (news) => news);
      }
    };
    await Promise.all(Array.from({ length: 8 }, caller));
  };
  await Promise.all(Array.from({ length: processes }, (_, process) => runProcess(process)));
  return { ratio: (accepted.at(-1)! - accepted[0]!) / 9_000, rejected };
}

/** The outcomes of several processes vary more. */
const seedsFor = (processes: number) => Array.from({ length: 10 * processes }, (_, index) => index + 1);
const quantile = (values: number[], share: number) =>
  values.sort((a, b) => a - b)[Math.ceil(values.length * share) - 1]!;

describe.each(["rolling", "fixed", "bucket"] as const)("100 creations at 10 requests a second, %s", (algorithm) => {
  /** The most of a share of the runs. */
  const measure = async (limit: Partial<RateLimit>, processes: number, retryAfter: boolean) => {
    const runs: Awaited<ReturnType<typeof createHundred>>[] = [];
    for (const seed of seedsFor(processes))
      runs.push(await createHundred(seed, { algorithm, ...limit }, processes, retryAfter));
    const most = (name: "ratio" | "rejected", share: number) =>
      quantile(
        runs.map((run) => run[name]),
        share,
      );
    return (share: number) => ({ ratio: most("ratio", share), rejected: most("rejected", share) });
  };

  test.each([true, false])(
    "take 1.15 times as long as the limit allows, at most; Retry-After: %s",
    async (retryAfter) => {
      const { ratio, rejected } = (await measure({}, 1, retryAfter))(0.9);
      expect(ratio).toBeLessThanOrEqual(1.15);
      expect(rejected).toBeLessThan(10);
    },
  );

  test.each(["RateLimit", "RateLimit-Remaining", "X-RateLimit-Remaining"] as const)(
    "are never rejected if the service sends %s",
    async (headers) => {
      const { ratio, rejected } = (await measure({ headers }, 1, false))(1);
      expect(ratio).toBeLessThanOrEqual(1.15);
      expect(rejected).toBe(0);
    },
  );

  // Neither process knows of the other. When one is done, the other finds out only by trying.
  const mostRejected = { rolling: [10, 10, 15], fixed: [15, 20, 30], bucket: [15, 25, 30] }[algorithm];
  test.each([true, false])("from two processes take little longer; Retry-After: %s", async (retryAfter) => {
    const most = await measure({}, 2, retryAfter);
    for (const [index, [share, ratio]] of [
      [0.5, 1.15],
      [0.9, 1.2],
      [1, 1.3],
    ].entries()) {
      const measured = most(share!);
      expect([share, measured.ratio <= ratio!, measured]).toEqual([share, true, measured]);
      expect([share, measured.rejected < mostRejected[index]!, measured]).toEqual([share, true, measured]);
    }
  });

  test("from two processes, with RateLimit headers", async () => {
    const { ratio, rejected } = (await measure({ headers: "RateLimit" }, 2, false))(0.5);
    expect(ratio).toBeLessThanOrEqual(1.15);
    expect(rejected).toBeLessThan(15);
  });
});
