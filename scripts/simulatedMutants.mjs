// Mutants of the core, which a test notices or the simulator. All of them are in one copy of the clone, and one is active at
// a time: `activeMutant` in the process of a check, and a file for the processes that a test starts. First one run of all
// checks says which scenarios and tests (`reachedBy`) reach which mutants: the others could not notice them.
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
/** So many mutants one process tries, one after the other. */
const batchSize = 30;
const simulatorName = "simulator";
const jest = "node_modules/jest/bin/jest.js";

const silent = {
  isDebugEnabled: () => false,
  ...Object.fromEntries(["debug", "info", "warn"].map((name) => [name, () => {}])),
};

/**
 * What the instrumented code calls. It asks which mutant is active, and notes which mutants a scenario or a test has
 * reached. A process that a test has started reads both, again after a millisecond.
 */
const helpers = `
var reached = new Set();
var { REACHED_MUTANTS: reachedFile, ACTIVE_MUTANT_FILE: activeFile } = process.env;
if (!activeFile) globalThis.activeMutant ??= process.env.ACTIVE_MUTANT;
function stryMutAct_9fa48(id) {
  return id === ("activeMutant" in globalThis ? globalThis.activeMutant : readActive());
}
function readActive() {
  const [seconds, nanoseconds] = process.hrtime();
  const now = seconds * 1e3 + nanoseconds / 1e6;
  const last = (globalThis.lastActive ??= { at: 0 });
  if (now - last.at > 1) Object.assign(last, { at: now, id: require("node:fs").readFileSync(activeFile, "utf8") });
  return last.id;
}
function stryCov_9fa48(...ids) {
  if (!reachedFile) return;
  const fs = require("node:fs");
  const file = reachedFile + ".by";
  const by =
    "reachedBy" in globalThis
      ? JSON.stringify(globalThis.reachedBy)
      : fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "null";
  const lines = ids.map((id) => id + " " + by + "\\n").filter((line) => !reached.has(line));
  if (lines.length === 0) return;
  for (const line of lines) reached.add(line);
  fs.appendFileSync(reachedFile, lines.join(""));
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
async function check({ copy, env, seconds = maxSeconds }, command, ...args) {
  const limited = ["-c", `ulimit -t ${seconds}; exec "$@"`, "sh", command, ...args];
  const options = { cwd: copy, env: { ...process.env, ...env }, timeout: timeoutMs };
  try {
    return { status: "Survived", printed: (await run("sh", limited, options)).stdout };
  } catch ({ message }) {
    return { status: message.includes("was ended by") ? "Timeout" : "Killed", printed: message };
  }
}

const test = (copy, env, file, ...more) => {
  const options = ["--maxWorkers=1", "--forceExit", "--env=./test/support/mutantEnvironment.js"];
  return check({ copy, env }, process.execPath, jest, file, ...options, ...more);
};

/** Does the tasks, as many at once as there are processors. */
async function doAll(tasks) {
  const waiting = [...tasks];
  const work = async () => {
    try {
      for (let task = waiting.shift(); task; task = waiting.shift()) await task();
    } finally {
      waiting.length = 0;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: os.availableParallelism() }, work));
  for (const { status, reason } of ends) if (status === "rejected") throw reason;
}

/**
 * Runs all checks without a mutant, and returns what reaches each mutant, by check: the numbers of scenarios, or the names
 * of tests. It is null where that is not known, or where none runs yet, as when the file is loaded.
 */
async function findReached(copy, simulator, tests) {
  const options = ["--seed", "1", "--runs", String(allScenarios.length), "--quiet"];
  const reached = new Map();
  const note = async (name, runCheck) => {
    const file = path.join(copy, `reached-${name.replace(/\W+/g, "-")}`);
    const { status, printed } = await runCheck({ REACHED_MUTANTS: file });
    if (status !== "Survived") throw new Failure(`Without a mutant, ${name} does not pass:\n${printed}`);
    for (const [, id, json] of (readIfExists(file) ?? "").matchAll(/^(\d+) (.*)$/gm)) {
      const by = reached.get(id) ?? new Map();
      reached.set(id, by.set(name, (by.get(name) ?? new Set()).add(JSON.parse(json))));
    }
  };
  await doAll([
    () => note(simulatorName, (env) => check({ copy, env }, ...simulator, ...options)),
    ...tests.map((name) => () => note(name, (env) => test(copy, env, name))),
  ]);
  return reached;
}

const scenariosOf = ({ by }) => [...(by.get(simulatorName) ?? [])];
/** Whether it runs before the first scenario. */
const isLoaded = (mutant) => scenariosOf(mutant).includes(null);

/** Runs scenarios for each mutant, until one fails. */
async function simulate(copy, simulator, mutants, scenarios, seconds) {
  let waiting = mutants.filter((mutant) => mutant.status === undefined && scenarios(mutant).length > 0);
  while (waiting.length > 0) {
    const [first] = waiting;
    const file = path.join(copy, `changed-${first.id}.json`);
    fs.writeFileSync(file, JSON.stringify(waiting.map((each) => ({ name: each.id, scenarios: scenarios(each) }))));
    const env = isLoaded(first) ? { ACTIVE_MUTANT: first.id } : {};
    const { status, printed } = await check({ copy, env, seconds }, ...simulator, "--seed", "1", "--changed", file);
    const outcomes = new Map([...printed.matchAll(/^(\d+):(.*)$/gm)].map(([, id, outcome]) => [id, outcome.trim()]));
    // It could not even be loaded.
    if (isLoaded(first) && outcomes.size === 0) outcomes.set(first.id, "");
    if (outcomes.size === 0) throw new Failure(`The simulator does not start:\n${printed}`);
    for (const mutant of waiting) {
      const outcome = outcomes.get(mutant.id);
      // Begun and not ended: it waits for ever, or has ended the process.
      if (outcome === "") mutant.status = status === "Timeout" ? status : "Killed";
      else if (outcome !== undefined && outcome !== "holds") mutant.status = "Killed";
    }
    waiting = waiting.filter(({ id }) => !outcomes.has(id));
  }
}

/** Runs the tests that reach the mutants, until one fails. What has noticed most mutants so far is asked first. */
async function runTests(copy, mutants, noticed, ...options) {
  const inOrder = [...noticed].sort(([, a], [, b]) => b - a).map(([name]) => name);
  for (const name of inOrder) {
    const open = mutants.filter(({ status, by }) => status === undefined && by.has(name));
    const isAlone = (mutant) => isLoaded(mutant) || [...mutant.by.get(name)].every((test) => test === null);
    for (const mutant of open.filter(isAlone)) await testAlone(copy, name, mutant, options);
    const others = open.filter((mutant) => !isAlone(mutant));
    await testTogether(copy, name, others, options);
    noticed.set(name, noticed.get(name) + open.filter(({ status }) => status !== undefined).length);
  }
}

/** What fails must fail again. */
async function testAlone(copy, name, mutant, options) {
  const runTest = () => test(copy, { ACTIVE_MUTANT: mutant.id }, name, ...options);
  const { status } = await runTest();
  if (status === "Timeout" || (status === "Killed" && (await runTest()).status === status)) mutant.status = status;
}

/** Runs the tests of a file for one mutant after the other, in one process as long as that works. */
async function testTogether(copy, name, mutants, options) {
  let waiting = mutants;
  while (waiting.length > 0) {
    const file = path.join(copy, `tried-${waiting[0].id}-${name.replace(/\W+/g, "-")}`);
    const activeFile = `${file}.active`;
    fs.writeFileSync(file, JSON.stringify(waiting.map(({ id, by }) => ({ id, tests: [...by.get(name)] }))));
    await test(copy, { TRIED_MUTANTS: file, ACTIVE_MUTANT_FILE: activeFile }, name, ...options);
    const outcomes = new Map((readIfExists(`${file}.outcomes`) ?? "").split("\n").map((line) => line.split(" ")));
    const isUncertain = ({ id }) => id === active || outcomes.get(id) === "unsure";
    const active = readIfExists(activeFile);
    for (const each of [file, activeFile, `${file}.outcomes`]) fs.rmSync(each, { force: true });
    for (const mutant of waiting) {
      if (outcomes.get(mutant.id) === "noticed") mutant.status = "Killed";
      // It has ended the process, or what came before it has left something behind.
      if (isUncertain(mutant)) await testAlone(copy, name, mutant, options);
    }
    const rest = waiting.filter((mutant) => !outcomes.has(mutant.id) && !isUncertain(mutant));
    // Then something ends the process between two tests.
    if (rest.length === waiting.length) {
      for (const mutant of rest) await testAlone(copy, name, mutant, options);
      return;
    }
    waiting = rest;
  }
}

/**
 * Finds the statuses of mutants: what fails has noticed one, and so has what does not end. What takes least time is asked
 * first.
 */
async function findStatuses(copy, simulator, mutants, { quick, slow }) {
  const scenarios = (mutant) => (isLoaded(mutant) ? allScenarios : scenariosOf(mutant).sort((a, b) => a - b));
  await runTests(copy, mutants, quick, "--testTimeout=20000");
  await simulate(copy, simulator, mutants, (mutant) => scenarios(mutant).slice(0, firstScenarios), maxSeconds / 4);
  await runTests(copy, mutants, slow);
  await simulate(copy, simulator, mutants, (mutant) => scenarios(mutant).slice(firstScenarios), maxSeconds);
  for (const mutant of mutants) mutant.status ??= "Survived";
}

/** Mutants that one process can try. What runs when the file is loaded cannot be switched on later. */
function inBatches(mutants) {
  const others = mutants.filter((mutant) => !isLoaded(mutant));
  const starts = others.map((_, index) => index).filter((index) => index % batchSize === 0);
  return [
    ...mutants.filter(isLoaded).map((mutant) => [mutant]),
    ...starts.map((start) => others.slice(start, start + batchSize)),
  ];
}

/**
 * Draws mutants of files, finds their statuses, and reports those of a file, in the form of StrykerJS's report, as soon
 * as all are known.
 *
 * @param testsOf the files, each with the quick and the slow tests that are asked beside the simulator
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
    const asked = drawn.filter((each) => each.mutants.length > 0).map((each) => each.tests);
    const tests = asked.flatMap(({ quick, slow }) => [...quick, ...slow]);
    await withSimulator(copy, async (...bundled) => {
      const simulator = bundled.flat();
      const reached = await findReached(copy, simulator, [...new Set(tests)]);
      const tasks = drawn.flatMap(({ file, tests, mutants }) => {
        for (const mutant of mutants) {
          mutant.by = reached.get(mutant.id);
          if (mutant.by === undefined) mutant.status = "NoCoverage";
        }
        const unasked = (names) => new Map(names.map((name) => [name, 0]));
        const noticed = { quick: unasked(tests.quick), slow: unasked(tests.slow) };
        const batches = inBatches(mutants.filter(({ by }) => by !== undefined));
        let waiting = batches.length;
        const reportIfDone = () => {
          if (waiting === 0) report(file, mutants.map(inReport));
        };
        reportIfDone();
        return batches.map((batch) => async () => {
          await findStatuses(copy, simulator, batch, noticed);
          waiting--;
          reportIfDone();
        });
      });
      await doAll(tasks);
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
