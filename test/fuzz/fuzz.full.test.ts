/**
 * Random lives. Each is a program that changes from up to up, while others change the service and things go wrong;
 * what must hold is in `live.ts`. `RUNS` says how many, `SEED` which.
 */
import { availableParallelism } from "node:os";
import fc from "fast-check";
import { printProgram, type Scenario, scenarios } from "./scenario";
import { MachineTooBusy, ScenarioRunner, TestBed } from "./scenarioRunner";

const runs = Number(process.env["RUNS"] ?? 500);
/** The same lives every time, so that a change fails for what it broke; `npm run test:fuzz` looks for new ones. */
const seed = Number(process.env["SEED"] ?? (process.env["RUNS"] ? Date.now() % 1_000_000_000 : 1));
/** One life of those that the seed stands for, as a failure names it. */
const path = process.env["CASE"];
/** Lives are led side by side, for most of their time is waiting. */
const lanes = path === undefined ? Number(process.env["LANES"] ?? 2 * availableParallelism()) : 1;
/** How long a shorter life with the same end is looked for, in milliseconds. */
const shrinking = 120_000;

const startedAt = Date.now();
let finished = 0;
let skipped = 0;
let failure: string | undefined;

/** Lives so many lives, one after the other; says how one went wrong. */
async function runScenarios(numRuns: number, seed: number): Promise<void> {
  const testBeds: Partial<Record<Scenario["service"], TestBed>> = {};
  let shrinkUntil = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(scenarios, async (scenario) => {
    if (Date.now() > shrinkUntil || (failure && shrinkUntil === Number.POSITIVE_INFINITY)) return;
    testBeds[scenario.service] ??= await TestBed.start(scenario.service);
    try {
      await ScenarioRunner.run(scenario, testBeds[scenario.service]!);
    } catch (error) {
      if (error instanceof MachineTooBusy) {
        delete testBeds[scenario.service];
        skipped++;
        return;
      }
      shrinkUntil = Math.min(shrinkUntil, Date.now() + shrinking);
      failure ??= (error as Error).message;
      throw error;
    }
    if (++finished % 1000 === 0)
      process.stderr.write(`${finished} lives in ${Math.round((Date.now() - startedAt) / 1000)} s\n`);
  });
  const { failed, counterexample, errorInstance, counterexamplePath } = await fc.check(property, {
    numRuns,
    seed,
    ...(path !== undefined && { path }),
  });
  if (!failed) return;
  const again = `SEED=${seed} CASE=${counterexamplePath} npm run test:fuzz`;
  failure = `${(errorInstance as Error).message}\n\nOnce more: ${again}\n\n${printProgram((counterexample as [Scenario])[0])}\n`;
}

test(
  `${runs} lives`,
  async () => {
    await Promise.all(Array.from({ length: lanes }, (_, lane) => runScenarios(Math.ceil(runs / lanes), seed + lane)));
    if (failure) throw new Error(`After ${finished} lives with SEED=${seed}: ${failure}`);
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    const busy = skipped > 0 ? `, ${skipped} more given up on a busy machine` : "";
    process.stderr.write(`${finished} lives with SEED=${seed} in ${seconds} s${busy}\n`);
  },
  24 * 3_600_000,
);
