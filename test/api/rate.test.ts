/** How well the rate limit is kept and made use of, in a time that passes as fast as it is looked at. */
import { late, Rate } from "../../src/api/rate";
import { RollingWindow } from "../../src/emulator/limits";

const [most, minute] = [120, 60_000];
const latency = 100;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Processes that make so many calls each, so many of them at once, on an account that is limited. */
async function run({ processes = 1, calls = 300, atOnce = 8, retryAfter = true }) {
  const window = new RollingWindow({ requests: most, windowMs: minute }, Date.now);
  const passed: number[] = [];
  const watcher = { limited: jest.fn(), waiting: jest.fn() };
  let refused = 0;
  const send = async () => {
    await sleep(latency * Math.random());
    const wait = window.admit();
    if (wait > 0) refused++;
    else passed.push(Date.now());
    await sleep(latency * Math.random());
    return { wait };
  };
  const refusal = ({ wait }: { wait: number }) =>
    wait > 0 ? { retryAfter: retryAfter ? Math.ceil(wait / 1_000) * 1_000 : undefined } : undefined;
  const caller = async (rate: Rate, count: number) => {
    for (let call = 0; call < count; call++) await rate.run(send, refusal);
  };
  let done = false;
  const all = Array.from({ length: processes }, () => new Rate(watcher)).flatMap((rate) =>
    Array.from({ length: atOnce }, () => caller(rate, Math.ceil(calls / atOnce))),
  );
  void Promise.all(all).then(() => {
    done = true;
  });
  while (!done) await jest.advanceTimersByTimeAsync(1_000);
  const shortest = Math.floor((passed.length - 1) / most) * minute;
  return { share: shortest / (passed.at(-1)! - passed[0]!), refused, passed: passed.length, watcher };
}

describe.each([true, false])("where refusals say when to come back: %s", (retryAfter) => {
  test.each([
    [1, 300, 8],
    [2, 300, 8],
    [1, 300, 64],
    [4, 300, 8],
    [1, 2_000, 8],
  ])(
    "%d processes with %d calls each, %d at once, use at least 90 %% of the limit",
    async (processes, calls, atOnce) => {
      const { share, refused, passed, watcher } = await run({ processes, calls, atOnce, retryAfter });
      expect(share).toBeGreaterThanOrEqual(0.9);
      // Asking costs the service something: where it says nothing more, each process asks every other second.
      expect(refused).toBeLessThan(passed * (retryAfter ? 0.5 : 1.5));
      expect(watcher.limited).toHaveBeenCalledTimes(processes);
    },
  );
});

test("a call that is never let through does not stop the others", async () => {
  const rate = new Rate({ limited: jest.fn(), waiting: jest.fn() });
  const send = async (isRefused: boolean) => {
    await sleep(latency);
    return { isRefused };
  };
  const refusal = ({ isRefused }: { isRefused: boolean }) => (isRefused ? {} : undefined);
  const deadline = Date.now() + minute;
  const never = rate.run(() => send(true), refusal, deadline).catch((error: unknown) => error);
  await jest.advanceTimersByTimeAsync(1_000);
  const others = Promise.all(Array.from({ length: 10 }, () => rate.run(() => send(false), refusal, deadline)));
  await jest.advanceTimersByTimeAsync(minute);
  expect(await others).toHaveLength(10);
  expect(await never).toBe(late);
});

test("the settings' own limit is kept in a rolling minute", async () => {
  const rate = new Rate({ limited: jest.fn(), waiting: jest.fn() }, 3);
  const times: number[] = [];
  const began = Date.now();
  const send = async () => ({ count: times.push(Date.now() - began) });
  const calls = Array.from({ length: 7 }, () => rate.run(send, () => undefined));
  await jest.advanceTimersByTimeAsync(130_000);
  await Promise.all(calls);
  expect(times).toEqual([0, 0, 0, 60_000, 60_000, 60_000, 120_000]);
});
