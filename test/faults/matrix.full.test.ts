/**
 * The matrix: every call of every operation of every resource meets every fault once, forever and, if it is retried,
 * twice. What takes time is in unresponsive.full.test.ts.
 */
import { fastClock } from "../support/clock";
import { isPlugin } from "../support/engine/differences";
import { faultKinds, isUnanswered, largeResponse, listCases, runCases, startTestBeds } from "./matrix";

test("every operation recovers from wrong and lost responses", async () => {
  const testBeds = await startTestBeds(2, {}, { timeout: 3_600_000, env: fastClock(20) });
  const kinds = Object.keys(faultKinds).filter((kind) => !isUnanswered(kind));
  const cases = await listCases(testBeds[0]!, kinds);
  expect(cases.length).toBeGreaterThan(isPlugin ? 500 : 3_000);
  expect(await runCases(testBeds, cases)).toEqual([]);
}, 3_600_000);

test("every operation recovers from responses that are too large", async () => {
  const testBeds = await startTestBeds(1, {}, { timeout: 3_600_000, env: fastClock(20) });
  const cases = await listCases(testBeds[0]!, [largeResponse]);
  expect(await runCases(testBeds, cases)).toEqual([]);
}, 3_600_000);
