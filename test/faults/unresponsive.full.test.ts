/** The matrix for a service that does not respond, refuses connections, or has a rate limit. */
import { createRequestTime } from "../support/clock";
import { connectionRefused, faultKinds, isUnanswered, listCases, rateLimited, runCases, TestBed } from "./matrix";

/** Each has a clock of its own, on which waiting takes no time. */
const startTestBeds = (options: { proxied?: boolean } = {}) =>
  Promise.all([createRequestTime(), createRequestTime()].map((time) => TestBed.start({}, { time, ...options })));

test("every operation recovers from calls without a response", async () => {
  const testBeds = await startTestBeds();
  const cases = await listCases(testBeds[0]!, Object.keys(faultKinds).filter(isUnanswered));
  expect(await runCases(testBeds, cases, { serial: true })).toEqual([]);
}, 3_600_000);

test("every operation recovers from refused connections, for a moment and forever", async () => {
  const testBeds = await startTestBeds({ proxied: true });
  const cases = await listCases(testBeds[0]!, [connectionRefused]);
  expect(await runCases(testBeds, cases, { serial: true })).toEqual([]);
}, 3_600_000);

test("every operation recovers from the rate limit, with a clock on which waiting takes no time", async () => {
  const testBeds = await startTestBeds();
  const cases = await listCases(testBeds[0]!, [rateLimited]);
  // One after the other: what one waits passes for all that share its clock and its limit.
  expect(await runCases(testBeds, cases, { serial: true })).toEqual([]);
}, 3_600_000);
