// Mutants of the core, which the simulator notices, or a test that starts the providers: all mutants of a file are in one
// copy of the clone, and the environment says which of them is active, also in the processes that a check starts.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { copyClone } from "./holes.mjs";
import { root, run } from "./lib.mjs";
import { transpileFile } from "./setup.mjs";
import { withSimulator } from "./simulate.mjs";

/** So many scenarios of seed 1 must hold. */
const scenarios = 300;
/** So long that only an endless loop takes longer, not a check on a busy machine. */
const timeoutMs = 240_000;
const jest = "node_modules/jest/bin/jest.js";

const silent = {
  isDebugEnabled: () => false,
  ...Object.fromEntries(["debug", "info", "warn"].map((name) => [name, () => {}])),
};

/** The file with a switch for each mutant, and the mutants. */
async function instrument(tool, file) {
  const module = path.join(tool, "node_modules/@stryker-mutator/instrumenter/dist/src/index.js");
  const { Instrumenter } = await import(pathToFileURL(module));
  const content = fs.readFileSync(path.join(root, file), "utf8");
  const options = { plugins: null, ignorers: [], excludedMutations: ["StringLiteral"], noHeader: false };
  const { files, mutants } = await new Instrumenter(silent).instrument(
    [{ name: file, content, mutate: true }],
    options,
  );
  return { instrumented: files[0].content, mutants: mutants.filter(({ status }) => status !== "Ignored") };
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

/** The status of a mutant, as StrykerJS names it: a check that does not end has noticed it, too. */
async function findStatus(mutant, { simulator, tests, copy }) {
  const env = { ...process.env, __STRYKER_ACTIVE_MUTANT__: mutant.id };
  const check = (command, ...args) => run(command, args, { cwd: copy, env, timeout: timeoutMs });
  try {
    const options = ["--seed", "1", "--runs", String(scenarios), "--first", "--quiet", "--workers", "1"];
    const { stdout } = await check(...simulator, ...options);
    if (/^First: /m.test(stdout)) return "Killed";
    if (tests.length > 0) await check(process.execPath, jest, ...tests, "--bail", "--maxWorkers=1");
    return "Survived";
  } catch ({ message }) {
    return message.includes("was ended by SIGKILL") ? "Timeout" : "Killed";
  }
}

/** The drawn mutants of a file with their statuses, in the form of StrykerJS's report, and the source. */
export async function simulateMutants(tool, file, tests, { sample, seed }) {
  const { instrumented, mutants } = await instrument(tool, file);
  const drawn = drawSample(mutants, sample, seed);
  const copy = await copyClone("mutants");
  try {
    const [source, compiled] = [file, file.replace(/^src/, "dist").replace(/\.ts$/, ".js")].map((each) =>
      path.join(copy, each),
    );
    fs.writeFileSync(source, instrumented);
    await transpileFile(source, compiled);
    await withSimulator(copy, async (...simulator) => {
      const waiting = [...drawn];
      const work = async () => {
        for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
          mutant.status = await findStatus(mutant, { simulator: simulator.flat(), tests, copy });
        }
      };
      await Promise.all(Array.from({ length: os.availableParallelism() }, work));
    });
  } finally {
    fs.rmSync(copy, { recursive: true, force: true });
  }
  // The report counts lines and columns from 1, the instrumenter from 0.
  const fromOne = ({ line, column }) => ({ line: line + 1, column: column + 1 });
  const reported = drawn.map(({ status, replacement, location: { start, end } }) => ({
    status,
    replacement,
    location: { start: fromOne(start), end: fromOne(end) },
  }));
  return { source: fs.readFileSync(path.join(root, file), "utf8"), mutants: reported };
}
