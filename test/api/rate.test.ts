/** How well the rate limit is respected and used, with a simulated clock. */
import { deadlineExceeded, RateLimiter } from "../../src/api/rateLimiter";
import { RollingWindow } from "../../src/emulator/rateLimit";
import { createSimulatedClock } from "../support/clock";

const [most, minute] = [120, 60_000];
const latency = 100;

let clock = createSimulatedClock();
beforeEach(() => {
  clock = createSimulatedClock();
});

/** Processes that each make a number of calls, some of them concurrently, on an account with a rate limit. */
async function run({ processes = 1, calls = 300, atOnce = 8, retryAfter = true }) {
  const window = new RollingWindow({ requests: most, windowMs: minute }, clock.now);
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
  const errorOf = ({ wait }: { wait: number }) =>
    wait > 0 ? { retryAfter: retryAfter ? Math.ceil(wait / 1_000) * 1_000 : undefined } : undefined;
  const caller = async (rate: RateLimiter, count: number) => {
    for (let call = 0; call < count; call++) await rate.run(send, errorOf);
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

test("a call that is never accepted does not stop the others", async () => {
  const rate = new RateLimiter({ onRateLimit: jest.fn(), onWait: jest.fn() }, clock);
  const send = async (isRefused: boolean) => {
    await clock.sleep(latency);
    return { isRefused };
  };
  const errorOf = ({ isRefused }: { isRefused: boolean }) => (isRefused ? {} : undefined);
  const deadline = clock.now() + minute;
  const never = rate.run(() => send(true), errorOf, deadline).catch((error: unknown) => error);
  await clock.sleep(1_000);
  const others = Promise.all(Array.from({ length: 10 }, () => rate.run(() => send(false), errorOf, deadline)));
  expect(await others).toHaveLength(10);
  expect(await never).toBe(deadlineExceeded);
});

describe("the client-side rate limit", () => {
  /** The times of the requests of calls that are rejected with 429 a number of times before they are accepted. */
  async function times(calls: number, rejections: number, perMinute: number, deadline?: number) {
    const rate = new RateLimiter({ onRateLimit: jest.fn(), onWait: jest.fn() }, clock, perMinute);
    const sent: number[] = [];
    const began = clock.now();
    const call = async () => {
      let left = rejections;
      const send = async () => {
        sent.push(clock.now() - began);
        await clock.sleep(latency);
        return { isRejected: left-- > 0 };
      };
      await rate.run(send, ({ isRejected }) => (isRejected ? {} : undefined), deadline);
    };
    const all = await Promise.allSettled(Array.from({ length: calls }, call));
    return { sent, outcomes: all.map(({ status }) => status), rate };
  }

  test("holds in a rolling minute", async () => {
    const { sent } = await times(7, 0, 3);
    expect(sent).toEqual([0, 0, 0, 61_000, 61_000, 61_000, 122_000]);
  });

  test.each([
    [1, 12],
    [8, 3],
  ])("holds for %d concurrent calls that are retried %d times after a 429", async (calls, rejections) => {
    const perMinute = 5;
    const { sent } = await times(calls, rejections, perMinute);
    expect(sent).toHaveLength(calls * (rejections + 1));
    for (const [at, time] of sent.slice(perMinute).entries()) expect(time - sent[at]!).toBeGreaterThan(minute);
    // It is also used: one minute for every five of them.
    expect(sent.at(-1)).toBeLessThan((sent.length / perMinute + 1) * (minute + 2_000));
  });

  test("does not count a call that timed out before it was sent", async () => {
    const { sent, outcomes, rate } = await times(5, 0, 2, clock.now() + 1_000);
    expect([sent.length, outcomes.filter((outcome) => outcome === "rejected").length]).toEqual([2, 3]);
    const later = rate.run(
      async () => ({ at: clock.now() }),
      () => undefined,
      clock.now() + 61_000,
    );
    expect(await later).toEqual({ at: expect.any(Number) });
  });
});
