import { isTimeout, parseDuration } from "../../src/core/timeouts";

/** What Go's `time.ParseDuration` returns, in milliseconds; undefined for an error. */
const durations: [duration: string, milliseconds: number | undefined][] = [
  ["", undefined],
  ["0", 0],
  ["+0", 0],
  ["-0", 0],
  ["00", undefined],
  ["0s", 0],
  ["1", undefined],
  ["5", undefined],
  ["1s", 1000],
  ["+1s", 1000],
  ["-1s", -1000],
  ["--1s", undefined],
  ["1.s", 1000],
  ["1.m", 60000],
  [".5s", 500],
  ["1.5s", 1500],
  [".s", undefined],
  [".", undefined],
  ["1.", undefined],
  ["1h30m", 5400000],
  ["1h 30m", undefined],
  [" 1s", undefined],
  ["1s ", undefined],
  ["1.5.5s", undefined],
  ["1ns", 1e-6],
  ["1us", 0.001],
  ["1µs", 0.001],
  ["1μs", 0.001],
  ["1ms", 1],
  ["1m", 60000],
  ["1h", 3600000],
  ["1d", undefined],
  ["1S", undefined],
  ["1e3s", undefined],
  ["0x1s", undefined],
  ["1m1ms", 60001],
  ["3.000000001s", 3000.000001],
  ["0.3333333333333333333h", 1200000],
  ["2562047h", 9223369200000],
  ["2562048h", undefined],
  ["9999999999999999999h", undefined],
  ["soon", undefined],
  ["1,5s", undefined],
  ["١s", undefined],
  ["1s1s", 2000],
  ["0.9999999999999999999s", 1000],
];

test.each(durations)("%j is %s milliseconds", (duration, milliseconds) => {
  const parsed = parseDuration(duration);
  if (milliseconds === undefined) expect(parsed).toBeUndefined();
  else expect(parsed).toBeCloseTo(milliseconds, 6);
  expect(isTimeout(duration)).toBe(milliseconds !== undefined && milliseconds >= 0);
});
