/**
 * Random scenarios through the real dynamic provider host. In each, a program changes from one `pulumi up` to the next
 * while the service is changed outside of Pulumi and requests fail. `scenarioRunner.ts` checks what must hold. They test
 * the host: for many scenarios, there is the simulator.
 */
import fc from "fast-check";
import { printProgram, type Scenario, scenarios } from "./scenario";
import { ScenarioRunner, TestBed } from "./scenarioRunner";

/** Scenarios run concurrently, because they mostly wait. */
const lanes = [1, 2, 3, 4];
const runsPerLane = 15;

async function runScenarios(seed: number): Promise<string | undefined> {
  const testBeds: Partial<Record<Scenario["service"], TestBed>> = {};
  const property = fc.asyncProperty(scenarios, async (scenario) => {
    testBeds[scenario.service] ??= await TestBed.start(scenario.service);
    await ScenarioRunner.run(scenario, testBeds[scenario.service]!);
  });
  const { counterexample, errorInstance } = await fc.check(property, { numRuns: runsPerLane, seed });
  return counterexample ? `${(errorInstance as Error).message}\n\n${printProgram(counterexample[0])}` : undefined;
}

test(`none of ${lanes.length * runsPerLane} scenarios fails`, async () => {
  const [failure] = (await Promise.all(lanes.map(runScenarios))).filter(Boolean);
  expect(failure ?? "no failure").toBe("no failure");
}, 3_600_000);
