/**
 * Random scenarios through the real dynamic provider host. In each, a program changes from one `pulumi up` to the next
 * while the service is changed outside of Pulumi and requests fail. `scenarioRunner.ts` checks what must hold. They test
 * the host: for many scenarios, there is the simulator.
 */
import fc from "fast-check";
import { openingScenarios, printProgram, type Scenario, scenarios } from "./scenario";
import { ScenarioRunner, TestBed } from "./scenarioRunner";

const seed = 727094482;

/** Runs scenarios, each on the service that it is for. */
async function runScenarios(arbitrary: fc.Arbitrary<Scenario>, numRuns: number): Promise<TestBed[]> {
  const testBeds: Partial<Record<Scenario["service"], TestBed>> = {};
  const property = fc.asyncProperty(arbitrary, async (scenario) => {
    testBeds[scenario.service] ??= await TestBed.start(scenario.service);
    await ScenarioRunner.run(scenario, testBeds[scenario.service]!);
  });
  const { counterexample, errorInstance } = await fc.check(property, { numRuns, seed });
  const failure = counterexample && `${(errorInstance as Error).message}\n\n${printProgram(counterexample[0])}`;
  expect(failure ?? "no failure").toBe("no failure");
  return Object.values(testBeds);
}

test("none of 15 scenarios fails", async () => {
  await runScenarios(scenarios, 15);
}, 3_600_000);

test("in 20 scenarios that open edges, the previews say which", async () => {
  const [testBed] = await runScenarios(openingScenarios, 20);
  expect(testBed!.openings).toBeGreaterThan(20);
}, 3_600_000);
