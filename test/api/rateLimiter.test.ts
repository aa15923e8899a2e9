/**
 * When requests are sent, and what the user hears of their waiting, with a simulated clock.
 * Promise: "Rate limits are not failures".
 */
import { deadlineExceeded, formatSeconds, isNoticeable, RateLimiter } from "../../src/api/rateLimiter";
import type { RateLimitNotice } from "../../src/api/serviceLimit";
import { Cancelled, Clock } from "../../src/base/clock";
import { createSimulatedClock, createSimulatedTime } from "../support/clock";

const minute = 60_000;
const latency = 100;

let clock = createSimulatedClock();
beforeEach(() => {
  clock = createSimulatedClock();
});

test("a call that is never accepted does not stop the others", async () => {
  const rate = new RateLimiter({ onRateLimit: jest.fn(), onWait: jest.fn() }, clock);
  const send = async (isRejected: boolean) => {
    await clock.sleep(latency);
    return { isRejected };
  };
  const readNews = ({ isRejected }: { isRejected: boolean }) => ({ isRejected });
  const deadline = clock.now() + minute;
  const never = rate.run(() => send(true), readNews, deadline).catch((error: unknown) => error);
  await clock.sleep(1_000);
  const others = Promise.all(Array.from({ length: 10 }, () => rate.run(() => send(false), readNews, deadline)));
  expect(await others).toHaveLength(10);
  expect(await never).toBe(deadlineExceeded);
});

test("a call that is rejected again and again does not change how many others run at once", async () => {
  const rate = new RateLimiter({ onRateLimit: jest.fn(), onWait: jest.fn() }, clock);
  const call = async (...rejections: RateLimitNotice[]) => {
    const sent: number[] = [];
    const send = async () => {
      sent.push(clock.now());
      await clock.sleep(latency);
    };
    await rate.run(send, () => rejections.shift() ?? { isRejected: false });
    return sent.at(-1);
  };
  for (let count = 0; count < 3; count++) await call();
  // The second time when the others no longer count.
  await call({ isRejected: true, retryAfter: 3_000 }, { isRejected: true });
  await clock.sleep(5_000);
  const now = clock.now();
  expect(await Promise.all([call(), call(), call()])).toEqual([now, now, now]);
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
      await rate.run(send, ({ isRejected }) => ({ isRejected }), deadline);
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
      () => ({ isRejected: false }),
      clock.now() + 61_000,
    );
    expect(await later).toEqual({ at: expect.any(Number) });
  });
});

describe("waiting", () => {
  const listen = (requestsPerMinute?: number) => {
    const listener = { onRateLimit: jest.fn(), onWait: jest.fn() };
    return { listener, rate: new RateLimiter(listener, clock, requestsPerMinute) };
  };
  const answer = (rate: RateLimiter, notice: RateLimitNotice, deadline?: number) =>
    rate.run(
      async () => clock.now(),
      () => notice,
      deadline,
    );
  /** Sends a request that is rejected once. */
  const rejectOnce = (rate: RateLimiter, notice: Partial<RateLimitNotice> = {}, deadline?: number) => {
    let responses = 0;
    return rate.run(
      async () => clock.now(),
      () => ({ ...notice, isRejected: responses++ === 0 }),
      deadline,
    );
  };

  test("shows its reason: the setting requestsPerMinute", async () => {
    const { rate, listener } = listen(2);
    for (let call = 0; call < 3; call++) await answer(rate, { isRejected: false });
    expect(listener.onWait.mock.calls).toEqual([["Waiting 61 s because of the setting requestsPerMinute (2)…"]]);
    expect(listener.onRateLimit).not.toHaveBeenCalled();
  });

  test("shows its reason: the service's rate limit, about which the user is informed once", async () => {
    const { rate, listener } = listen();
    await rejectOnce(rate, { retryAfter: 30_000 });
    expect(listener.onRateLimit).toHaveBeenCalledTimes(1);
    await rejectOnce(rate);
    expect(listener.onWait.mock.calls[0]).toEqual(["Waiting 30 s for the service's rate limit…"]);
    expect(listener.onRateLimit.mock.calls).toEqual([
      ["The service's rate limit was reached. Requests slow down until it allows more."],
    ]);
  });

  test("is not shown if it is short", async () => {
    const { rate, listener } = listen();
    const start = clock.now();
    expect((await rejectOnce(rate)) - start).toBeGreaterThan(0);
    expect(listener.onWait).not.toHaveBeenCalled();
  });

  test("lasts as long as the longer of two limits", async () => {
    const { rate, listener } = listen(1);
    await rejectOnce(rate, { retryAfter: 90_000 });
    expect(listener.onWait.mock.calls).toEqual([["Waiting 90 s for the service's rate limit…"]]);
  });

  test("ends at the deadline", async () => {
    const { rate, listener } = listen();
    const start = clock.now();
    await expect(rejectOnce(rate, { retryAfter: 30_000 }, start + 5_000)).rejects.toBe(deadlineExceeded);
    expect(clock.now() - start).toBe(5_000);
    expect(listener.onWait.mock.calls).toEqual([["Waiting 5 s for the service's rate limit…"]]);
  });

  test("for the response to a try ends at the deadline, too", async () => {
    const { rate } = listen();
    const start = clock.now();
    let isRejected = false;
    const slow = rate.run(
      async () => {
        isRejected = !isRejected;
        await clock.sleep(isRejected ? 100 : 20_000);
      },
      () => ({ isRejected }),
    );
    await clock.sleep(1_000);
    const hasty = answer(rate, { isRejected: false }, start + 5_000).catch((error: unknown) => error);
    const patient = answer(rate, { isRejected: false });
    expect(await hasty).toBe(deadlineExceeded);
    expect(clock.now() - start).toBe(5_000);
    await slow;
    expect(await patient).toBe(clock.now());
    expect(clock.now() - start).toBeGreaterThan(20_000);
  });

  test("leaves no timer behind", async () => {
    const time = createSimulatedTime();
    const timers = new Set<object>();
    const counting = {
      ...time,
      after(ms: number, work: () => void) {
        const timer = {};
        timers.add(timer);
        const stop = time.after(ms, () => timers.delete(timer) && work());
        return () => {
          timers.delete(timer);
          stop();
        };
      },
    };
    clock = new Clock(counting);
    const { rate } = listen(1);
    await Promise.all([answer(rate, { isRejected: false }, clock.now() + 2 * minute), rejectOnce(rate)]);
    expect(timers.size).toBe(0);
  });

  test("ends when everything is cancelled", async () => {
    const { rate } = listen();
    const waiting = rejectOnce(rate, { retryAfter: 30_000 }).catch((error: unknown) => error);
    await clock.sleep(1_000);
    await clock.cancel();
    expect(await waiting).toBeInstanceOf(Cancelled);
  });
});

test("a request is not sent if its deadline is nearly over", async () => {
  const rate = new RateLimiter({ onRateLimit: jest.fn(), onWait: jest.fn() }, clock);
  const send = (left: number) =>
    rate.run(
      async () => "sent",
      () => ({ isRejected: false }),
      clock.now() + left,
    );
  expect(await send(10)).toBe("sent");
  await expect(send(9)).rejects.toBe(deadlineExceeded);
});

test("a wait is shown from one second on, in whole seconds", () => {
  expect([999, 1_000].map(isNoticeable)).toEqual([false, true]);
  expect([1, 1_000, 1_001].map(formatSeconds)).toEqual(["1 s", "1 s", "2 s"]);
});
