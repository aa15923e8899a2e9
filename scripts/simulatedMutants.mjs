// Mutants of the core, which the simulator notices, or a test that starts the providers. All of them are in one copy of
// the clone, and the environment says which is active, also in the processes that a check starts. First one run of all
// checks says which of them reach which mutants: the others could not notice them.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { copyClone } from "./holes.mjs";
import { Failure, readIfExists, root, run } from "./lib.mjs";
import { transpileFile } from "./setup.mjs";
import { withSimulator } from "./simulate.mjs";

/** So many scenarios of seed 1 must hold. */
const allScenarios = Array.from({ length: 300 }, (_, number) => number);
/** Most of what is noticed at all, the first of them notice. */
const firstScenarios = 20;
/** Seconds of the processor that only an endless loop takes: a busy machine gives it fewer, not a check more. */
const maxSeconds = 240;
/** For what waits and does nothing. */
const timeoutMs = 1_800_000;
const jest = "node_modules/jest/bin/jest.js";

const silent = {
  isDebugEnabled: () => false,
  ...Object.fromEntries(["debug", "info", "warn"].map((name) => [name, () => {}])),
};

/** What the instrumented code calls. It notes which mutants a scenario or a test has reached. */
const helpers = `
var reached = new Set();
var reachedFile = process.env.REACHED_MUTANTS;
globalThis.activeMutant ??= process.env.ACTIVE_MUTANT;
function stryMutAct_9fa48(id) {
  return id === globalThis.activeMutant;
}
function stryCov_9fa48(...ids) {
  if (!reachedFile) return;
  const lines = ids.map((id) => (globalThis.scenarioNumber ?? "") + " " + id + "\\n").filter((line) => !reached.has(line));
  if (lines.length === 0) return;
  for (const line of lines) reached.add(line);
  require("node:fs").appendFileSync(reachedFile, lines.join(""));
}
`;

/** Puts a switch for each mutant into the files of a copy, and returns the mutants. */
async function instrument(tool, files, copy) {
  const module = path.join(tool, "node_modules/@stryker-mutator/instrumenter/dist/src/index.js");
  const { Instrumenter } = await import(pathToFileURL(module));
  const options = { plugins: null, ignorers: [], excludedMutations: ["StringLiteral"], noHeader: true };
  const sources = files.map((name) => ({
    name,
    content: fs.readFileSync(path.join(root, name), "utf8"),
    mutate: true,
  }));
  const instrumented = await new Instrumenter(silent).instrument(sources, options);
  for (const { name, content } of instrumented.files) {
    const [source, compiled] = [name, name.replace(/^src/, "dist").replace(/\.ts$/, ".js")].map((each) =>
      path.join(copy, each),
    );
    fs.writeFileSync(source, helpers + content);
    await transpileFile(source, compiled);
  }
  return instrumented.mutants.filter(({ status }) => status !== "Ignored");
}

/** As many mutants, drawn with a seed: the same ones as long as the file does not change. */
export function drawSample(mutants, size, seed) {
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const drawn = mutants.map((mutant) => ({ mutant, rank: random() })).sort((a, b) => a.rank - b.rank);
  return drawn.slice(0, size).map(({ mutant }) => mutant);
}

/** Runs a command, within its time, and returns its status as StrykerJS names that of a mutant, and what it printed. */
async function check(copy, env, command, ...args) {
  const limited = ["-c", `ulimit -t ${maxSeconds}; exec "$@"`, "sh", command, ...args];
  const options = { cwd: copy, env: { ...process.env, ...env }, timeout: timeoutMs };
  try {
    return { status: "Survived", printed: (await run("sh", limited, options)).stdout };
  } catch ({ message }) {
    return { status: message.includes("was ended by") ? "Timeout" : "Killed", printed: message };
  }
}

const test = (copy, env, file) => check(copy, env, process.execPath, jest, file, "--bail", "--maxWorkers=1");

/** Does the tasks, as many at a time as there are processors. */
async function doAll(tasks) {
  const waiting = [...tasks];
  const work = async () => {
    for (let task = waiting.shift(); task; task = waiting.shift()) await task();
  };
  await Promise.all(Array.from({ length: os.availableParallelism() }, work));
}

/** Runs all checks without a mutant, and returns which scenarios and tests reach each mutant. */
async function findReached(copy, simulator, tests) {
  const options = ["--seed", "1", "--runs", String(allScenarios.length), "--quiet"];
  const reached = new Map();
  const note = async (name, runCheck) => {
    const file = path.join(copy, `reached-${name.replace(/\W+/g, "-")}`);
    const { status, printed } = await runCheck({ REACHED_MUTANTS: file });
    if (status !== "Survived") throw new Failure(`Without a mutant, ${name} does not pass:\n${printed}`);
    for (const [, scenario, id] of (readIfExists(file) ?? "").matchAll(/^(\d*) (\d+)$/gm)) {
      const by = reached.get(id) ?? { scenarios: new Set(), tests: new Set(), isLoaded: false };
      reached.set(id, by);
      if (name !== "simulator") by.tests.add(name);
      else if (scenario === "") by.isLoaded = true;
      else by.scenarios.add(Number(scenario));
    }
  };
  await doAll([
    () => note("simulator", (env) => check(copy, env, ...simulator, ...options)),
    ...tests.map((name) => () => note(name, (env) => test(copy, env, name))),
  ]);
  return reached;
}

/** Runs scenarios for each mutant, in few processes, until one fails. */
async function simulate(copy, simulator, mutants, scenariosOf) {
  const next = async (waiting) => {
    const [first] = waiting;
    // What runs when the file is loaded cannot be switched on later.
    const batch = first.by.isLoaded ? [first] : waiting.filter(({ by }) => !by.isLoaded).slice(0, 10);
    for (const mutant of batch) waiting.splice(waiting.indexOf(mutant), 1);
    const file = path.join(copy, `changed-${first.id}.json`);
    fs.writeFileSync(file, JSON.stringify(batch.map((each) => ({ name: each.id, scenarios: scenariosOf(each) }))));
    const env = first.by.isLoaded ? { ACTIVE_MUTANT: first.id } : {};
    const { status, printed } = await check(copy, env, ...simulator, "--seed", "1", "--changed", file);
    const outcomes = new Map([...printed.matchAll(/^(\d+):(.*)$/gm)].map(([, id, outcome]) => [id, outcome.trim()]));
    // It could not even be loaded.
    if (first.by.isLoaded && outcomes.size === 0) outcomes.set(first.id, "");
    if (outcomes.size === 0) throw new Failure(`The simulator does not start:\n${printed}`);
    for (const mutant of batch) {
      const outcome = outcomes.get(mutant.id);
      if (outcome === undefined) waiting.push(mutant);
      // Begun and not ended: it waits for ever, or has ended the process.
      else if (outcome !== "holds") mutant.status = outcome === "" && status === "Timeout" ? "Timeout" : "Killed";
    }
  };
  const waiting = mutants.filter((mutant) => mutant.status === undefined && scenariosOf(mutant).length > 0);
  const work = async () => {
    while (waiting.length > 0) await next(waiting);
  };
  await Promise.all(Array.from({ length: os.availableParallelism() }, work));
}

/** Finds the statuses of mutants: what fails has noticed one, and so has what does not end. */
async function findStatuses(copy, simulator, mutants, tests) {
  const scenariosOf = ({ by }) => (by.isLoaded ? allScenarios : [...by.scenarios].sort((a, b) => a - b));
  await simulate(copy, simulator, mutants, (mutant) => scenariosOf(mutant).slice(0, firstScenarios));
  const testAll = (mutant) => async () => {
    for (const name of tests.filter((each) => mutant.status === undefined && mutant.by.tests.has(each))) {
      const { status } = await test(copy, { ACTIVE_MUTANT: mutant.id }, name);
      if (status !== "Survived") mutant.status ??= status;
    }
  };
  await doAll(mutants.map(testAll));
  await simulate(copy, simulator, mutants, (mutant) => scenariosOf(mutant).slice(firstScenarios));
  for (const mutant of mutants) mutant.status ??= "Survived";
}

/**
 * Draws mutants of files, finds their statuses, and reports those of a file, in the form of StrykerJS's report, as soon
 * as all are known.
 *
 * @param testsOf the files, each with the tests that are asked beside the simulator
 * @param isWanted whether a mutant that begins in a line of a file is tried
 */
export async function simulateMutants(tool, testsOf, { sample, seed, isWanted }, report) {
  const copy = await copyClone("mutants");
  try {
    const mutants = await instrument(tool, Object.keys(testsOf), copy);
    const drawn = Object.entries(testsOf).map(([file, tests]) => {
      const own = mutants.filter(({ fileName }) => fileName === file);
      const wanted = drawSample(own, sample, seed).filter(({ location }) => isWanted(file, location.start.line + 1));
      return { file, tests, mutants: wanted };
    });
    const tests = drawn.filter((each) => each.mutants.length > 0).flatMap((each) => each.tests);
    await withSimulator(copy, async (...bundled) => {
      const simulator = bundled.flat();
      const reached = await findReached(copy, simulator, [...new Set(tests)]);
      for (const { file, tests, mutants } of drawn) {
        for (const mutant of mutants) {
          mutant.by = reached.get(mutant.id);
          if (mutant.by === undefined) mutant.status = "NoCoverage";
        }
        const isReached = ({ by }) => by !== undefined;
        await findStatuses(copy, simulator, mutants.filter(isReached), tests);
        report(file, mutants.map(inReport));
      }
    });
  } finally {
    fs.rmSync(copy, { recursive: true, force: true });
  }
}

/** The report counts lines and columns from 1, the instrumenter from 0. */
function inReport({ status, replacement, location: { start, end } }) {
  const fromOne = ({ line, column }) => ({ line: line + 1, column: column + 1 });
  return { status, replacement, location: { start: fromOne(start), end: fromOne(end) } };
}
