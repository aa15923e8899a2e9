/**
 * The matrix: every call of every operation of every resource meets faults once, forever and, if it is retried, twice.
 * What takes time is in unresponsive.full.test.ts.
 * Promises: "Failures are recoverable", "Protection first".
 */
import { fastClock } from "../support/clock";
import { isPlugin } from "../support/engine/differences";
import { faults, isUnanswered, listCases, rateLimited, runCases, startTestBeds } from "./matrix";

test("every operation recovers from wrong and lost responses", async () => {
  const testBeds = await startTestBeds(2, {}, { timeout: 3_600_000, env: fastClock(20) });
  const kinds = Object.keys(faults).filter((kind) => kind !== rateLimited && !isUnanswered(kind));
  const cases = await listCases(testBeds[0]!, kinds);
  console.info(`${cases.length} combinations of a call and a fault`);
  expect(cases.length).toBeGreaterThan(isPlugin ? 150 : 1_400);
  expect(await runCases(testBeds, cases)).toEqual([]);
}, 3_600_000);
