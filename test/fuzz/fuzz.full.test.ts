/**
 * Random scenarios. In each, a program changes from one `pulumi up` to the next while the service is changed outside of
 * Pulumi and requests fail. `scenarioRunner.ts` checks what must hold. `RUNS` sets how many, `SEED` which.
 */
import { availableParallelism } from "node:os";
import fc from "fast-check";
import { printProgram, type Scenario, scenarios } from "./scenario";
import { ScenarioRunner, TestBed } from "./scenarioRunner";

const runs = Number(process.env["RUNS"] ?? 500);
/**
 * The same scenarios every time, so that a failure is caused by a change of the code. `npm run test:fuzz` uses new
 * ones.
 */
const seed = Number(process.env["SEED"] ?? (process.env["RUNS"] ? Date.now() % 1_000_000_000 : 1));
/** One scenario of the seed, as a failure prints it. */
const path = process.env["CASE"];
/** Scenarios run concurrently, because they mostly wait. */
const lanes = path === undefined ? Number(process.env["LANES"] ?? 2 * availableParallelism()) : 1;
/** How long a failing scenario is shrunk, in milliseconds. */
const shrinkMs = 120_000;

const startedAt = Date.now();
let finished = 0;
let failure: string | undefined;

/** Runs a number of scenarios, one after the other, and records the first failure. */
async function runScenarios(numRuns: number, seed: number): Promise<void> {
  const testBeds: Partial<Record<Scenario["service"], TestBed>> = {};
  let shrinkUntil = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(scenarios, async (scenario) => {
    if (Date.now() > shrinkUntil || (failure && shrinkUntil === Number.POSITIVE_INFINITY)) return;
    testBeds[scenario.service] ??= await TestBed.start(scenario.service);
    try {
      await ScenarioRunner.run(scenario, testBeds[scenario.service]!);
    } catch (error) {
      shrinkUntil = Math.min(shrinkUntil, Date.now() + shrinkMs);
      failure ??= (error as Error).message;
      throw error;
    }
    if (++finished % 1000 === 0)
      process.stderr.write(`${finished} scenarios in ${Math.round((Date.now() - startedAt) / 1000)} s\n`);
  });
  const { failed, counterexample, errorInstance, counterexamplePath } = await fc.check(property, {
    numRuns,
    seed,
    ...(path !== undefined && { path }),
  });
  if (!failed) return;
  const command = `SEED=${seed} CASE=${counterexamplePath} npm run test:fuzz`;
  failure = `${(errorInstance as Error).message}\n\nTo repeat it: ${command}\n\n${printProgram((counterexample as [Scenario])[0])}\n`;
}

test(
  path === undefined ? `none of ${runs} scenarios fails` : `the scenario SEED=${seed} CASE=${path} does not fail`,
  async () => {
    const runsPerLane = Math.ceil(runs / lanes);
    await Promise.all(Array.from({ length: lanes }, (_, lane) => runScenarios(runsPerLane, seed + lane)));
    expect(failure ? `After ${finished} scenarios with SEED=${seed}: ${failure}` : "no failure").toBe("no failure");
    expect(finished).toBeGreaterThanOrEqual(path === undefined ? runsPerLane * lanes : 1);
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    process.stderr.write(`${finished} scenarios with SEED=${seed} in ${seconds} s\n`);
  },
  24 * 3_600_000,
);
