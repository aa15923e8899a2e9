import { isTimeout, parseDuration } from "../../src/core/timeouts";

/** What Go's `time.ParseDuration` returns, in milliseconds. */
const durations: Record<string, number> = {
  "0": 0,
  "+0": 0,
  "-0": 0,
  "0s": 0,
  "1s": 1_000,
  "+1s": 1_000,
  "-1s": -1_000,
  "1.s": 1_000,
  "1.m": 60_000,
  ".5s": 500,
  "1.5s": 1_500,
  "1h30m": 5_400_000,
  "1ns": 1e-6,
  "1us": 0.001,
  "1µs": 0.001,
  "1μs": 0.001,
  "1ms": 1,
  "1m": 60_000,
  "1h": 3_600_000,
  "1m1ms": 60_001,
  "1s1s": 2_000,
  "3.000000001s": 3_000.000001,
  "0.3333333333333333333h": 1_200_000,
  "0.9999999999999999999s": 1_000,
  "2562047h": 9_223_369_200_000,
};

test.each(Object.entries(durations))("%j is %s milliseconds", (duration, milliseconds) => {
  expect(parseDuration(duration)).toBeCloseTo(milliseconds, 6);
  expect(isTimeout(duration)).toBe(milliseconds >= 0);
});

const invalid = "00 1 5 --1s .s . 1. 1.5.5s 1d 1S 1e3s 0x1s soon 1,5s ١s 2562048h 9999999999999999999h".split(" ");

test.each([...invalid, "", "1h 30m", " 1s", "1s "])("%j is no duration", (duration) => {
  expect(parseDuration(duration)).toBeUndefined();
  expect(isTimeout(duration)).toBe(false);
});
