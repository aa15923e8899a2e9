// Makes each harmful change of test/holes in a copy of the clone, runs the check that must notice it, and prints what
// nobody noticed: node scripts/test/holes.mjs [--workers 2] [parts of names or of files]
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { bundleHost, setup, transpileFile } from "../dev/setup.mjs";
import { copyClone } from "../lib/clone.mjs";
import { Failure, log, main, readIfExists, root, run, work } from "../lib/index.mjs";

const folder = path.join(root, "test/holes");
/** A check that takes longer never ends: the longest take about two minutes. */
const timeout = 10 * 60_000;

/**
 * All holes. A file of test/holes has, by source file, tuples: what goes wrong, a string that occurs once in the file,
 * what takes its place, the check that must notice it (a test file, or for the simulator a number of scenarios, or its
 * options), and the part of a test's name, where a part of the file is enough.
 */
async function readHoles() {
  const lists = fs.readdirSync(folder).filter((name) => name.endsWith(".mjs"));
  const modules = await Promise.all(lists.sort().map((name) => import(path.join(folder, name))));
  return modules.flatMap(({ default: byFile }) =>
    Object.entries(byFile).flatMap(([file, holes]) =>
      holes.map(([name, find, replace, check, test]) => ({ file, name, find, replace, check, test })),
    ),
  );
}

/** Why a hole cannot be made: its code or its check was changed since. */
function findObstacle({ file, find, check }) {
  const source = readIfExists(path.join(root, file));
  if (source === undefined) return "its file is gone";
  const places = source.split(find).length - 1;
  if (places === 0) return `its place is gone: ${JSON.stringify(find)}`;
  if (places > 1) return `it has ${places} places, not 1: ${JSON.stringify(find)}`;
  const isGone = /^test\//.test(check) && !fs.existsSync(path.join(root, check));
  return isGone ? `its check is gone: ${check}` : undefined;
}

/** Whether a check notices the hole. A check that cannot run has noticed nothing. */
async function isNoticed({ check, test }, copy) {
  const simulation =
    typeof check === "number" ? ["--runs", String(check), "--first", "--quiet", "--workers", "1"] : undefined;
  const options = simulation ?? (check.startsWith("--") ? check.split(" ") : undefined);
  // What the plugin is made of is bundled by the script that runs all tests.
  const isBundled = /^test\/(plugin|cli)\//.test(String(check));
  const [suite] = /(?<=\.)(full|nightly)(?=\.test\.ts$)/.exec(check) ?? [];
  const runner = isBundled ? "scripts/test/test.mjs" : "node_modules/jest/bin/jest.js";
  const args = options
    ? ["scripts/test/simulate.mjs", ...options]
    : [
        runner,
        ...(isBundled && suite ? [`--${suite}`] : []),
        check,
        "--bail",
        "--maxWorkers=1",
        ...(test ? ["-t", test] : []),
      ];
  const printed = await run(process.execPath, args, { cwd: copy, timeout }).then(
    ({ stdout, stderr }) => stdout + stderr,
    ({ message }) => message,
  );
  const [ended, failed] = options
    ? [/^\d+ scenarios/m, /^First: /m]
    : [/^Tests: .*\d+ total/m, /^Tests: .*\b\d+ failed/m];
  if (!ended.test(printed)) throw new Error(printed);
  return failed.test(printed);
}

/** Opens holes one after the other, and returns those that nobody noticed. */
async function findUnnoticed(holes, number, onChecked) {
  const unnoticed = [];
  const copy = path.join(work, `holes-${process.pid}-${number}`);
  await copyClone(copy);
  for (let hole = holes.shift(); hole; hole = holes.shift()) {
    const file = path.join(copy, hole.file);
    const compiled = path.join(copy, hole.file.replace(/^src/, "dist").replace(/\.ts$/, ".js"));
    // A workflow is not compiled.
    const compile = async () => {
      if (!file.endsWith(".ts")) return;
      await transpileFile(file, compiled);
      await bundleHost(path.join(copy, "dist"));
    };
    const source = fs.readFileSync(file, "utf8");
    const started = Date.now();
    const problem = await (async () => {
      fs.writeFileSync(
        file,
        source.replace(hole.find, () => hole.replace),
      );
      await compile();
      return (await isNoticed(hole, copy)) ? undefined : "nobody notices it";
    })().catch((error) => `it cannot be checked: ${error.message}`);
    fs.writeFileSync(file, source);
    await compile();
    if (problem) unnoticed.push({ hole, problem });
    onChecked(
      `${problem ? "SURVIVED" : "noticed "} ${Math.round((Date.now() - started) / 1000)} s ${hole.file}: ${hole.name}`,
    );
  }
  fs.rmSync(copy, { recursive: true, force: true });
  return unnoticed;
}

await main(async (args) => {
  const { values, positionals } = parseArgs({
    args,
    options: {
      workers: { type: "string", default: String(os.availableParallelism()) },
    },
    allowPositionals: true,
  });
  const isChosen = ({ file, name }) =>
    positionals.length === 0 || positionals.some((part) => file.includes(part) || name.includes(part));
  const all = await readHoles();
  const chosen = all.filter(isChosen);
  const obstacles = chosen.map((hole) => [hole, findObstacle(hole)]).filter(([, obstacle]) => obstacle);
  if (obstacles.length > 0) {
    const lines = obstacles.map(([{ file, name }, obstacle]) => `${file}: ${name}: ${obstacle}`);
    throw new Failure(["Delete these holes from test/holes, or mend them:", ...lines].join("\n"));
  }
  await setup({ cli: false });
  // The simulator takes longest.
  const waiting = [...chosen].sort((a, b) => Number(typeof a.check === "number") - Number(typeof b.check === "number"));
  const workers = Array.from({ length: Math.min(Number(values.workers), chosen.length) }, (_, number) =>
    findUnnoticed(waiting, number, log),
  );
  const unnoticed = (await Promise.all(workers)).flat();
  process.stdout.write(`${chosen.length} holes, ${unnoticed.length} survived\n`);
  for (const { hole, problem } of unnoticed) process.stdout.write(`${hole.file}: ${hole.name}: ${problem}\n`);
  return unnoticed.length > 0 ? 1 : 0;
});
