/** The matrix for a service that responds late, refuses connections, or has a rate limit. */
import { createSharedClock } from "../support/clock";
import {
  connectionRefused,
  faultKinds,
  isSlow,
  listCases,
  rateLimited,
  runCases,
  startTestBeds,
  TestBed,
} from "./matrix";

test("every operation recovers from late responses", async () => {
  // Most of the time they wait.
  const testBeds = await startTestBeds(8);
  const cases = await listCases(testBeds[0]!, Object.keys(faultKinds).filter(isSlow));
  expect(await runCases(testBeds, cases)).toEqual([]);
}, 3_600_000);

test("every operation recovers from refused connections, for a moment and forever", async () => {
  const testBeds = await startTestBeds(4, {}, { proxied: true, timeout: 20_000 });
  const cases = await listCases(testBeds[0]!, [connectionRefused]);
  expect(await runCases(testBeds, cases, { serial: true })).toEqual([]);
}, 3_600_000);

test("every operation recovers from the rate limit, with a clock on which waiting takes no time", async () => {
  const startTestBed = () => TestBed.start({}, { env: createSharedClock().env, timeout: 30_000 });
  const testBeds = await Promise.all(Array.from({ length: 4 }, startTestBed));
  const cases = await listCases(testBeds[0]!, [rateLimited]);
  // One after the other: what one waits passes for all that share its clock and its limit.
  expect(await runCases(testBeds, cases, { serial: true })).toEqual([]);
}, 3_600_000);
