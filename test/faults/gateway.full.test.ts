/** The matrix for a gateway in front of the service, which answers instead of it, or after it. */
import { fastClock } from "../support/clock";
import { isPlugin } from "../support/engine/differences";
import { emptySuccess, gatewayKinds, listCases, runCases, startTestBeds } from "./matrix";

test("every operation recovers from what a gateway answers, and nothing is lost", async () => {
  const testBeds = await startTestBeds(2, {}, { timeout: 3_600_000, env: fastClock(20) });
  const all = await listCases(testBeds[0]!, Object.keys(gatewayKinds));
  // A module that is not set may be shown as a success without a body.
  const cases = all.filter(({ call, kind }) => !(call.method === "GET" && kind === emptySuccess));
  console.info(`${cases.length} combinations of a call and a gateway's response`);
  expect(cases.length).toBeGreaterThan(isPlugin ? 120 : 600);
  expect(await runCases(testBeds, cases)).toEqual([]);
}, 3_600_000);
