// Changes the code in all the small ways that StrykerJS knows, except strings, and prints what no test notices:
//   node scripts/mutate.mjs [--sample 60] [--seed 1] [FILE[:LINE]...]   the files of `tested` and `simulated`, or only these
// Of a file of `tested` all mutants are tried; a second run repeats only what has changed since, or all of a file whose
// tests have. Of the core, which is simulated, a sample. What survives and should is in test/mutants.mjs, with the reason.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import jestConfig from "../jest.config.js";
import { Failure, installTool, isMain, main, readIfExists, root, run, work } from "./lib.mjs";
import { setup } from "./setup.mjs";
import { simulateMutants } from "./simulatedMutants.mjs";

const plan = ["plan", "preview"].map((name) => `test/core/${name}.test.ts`);
const wording = ["test/base/wording.test.ts"];
const compare = ["test/core/compare.test.ts"];
const exposure = ["exposure", "model", "addresses", "edges", "enumeration"].map(
  (name) => `test/commands/exposure/${name}.test.ts`,
);

/** What is tested in the process of the tests, and by which. Of a child process the tool sees nothing. */
export const tested = {
  "src/base/json.ts": ["test/base/json.test.ts"],
  "src/base/nearest.ts": wording,
  "src/base/quote.ts": wording,
  "src/base/redaction.ts": ["test/base/redaction.test.ts"],
  "src/core/plan/plan.ts": plan,
  "src/core/plan/compare.ts": compare,
  "src/api/evidence.ts": ["test/api/evidence.test.ts"],
  "src/api/rateLimiter.ts": ["test/api/rateLimiter.test.ts"],
  "src/api/rateLimitHeaders.ts": ["test/api/rateLimitHeaders.test.ts"],
  "src/api/serviceLimit.ts": ["test/api/serviceLimit.test.ts"],
  "src/definitions/fields/field.ts": ["test/definitions/field.test.ts", ...plan, ...compare],
  "src/definitions/fields/publicKeys.ts": ["test/checks/publicKeys.test.ts"],
  "src/definitions/fields/valueTypes.ts": ["test/checks/valueTypes.test.ts"],
  "src/commands/exposure/addresses.ts": exposure,
  "src/commands/exposure/edges.ts": exposure,
  "src/commands/exposure/model.ts": exposure,
  "src/commands/exposure/proof.ts": exposure,
  "src/commands/exposure/unchanged.ts": exposure,
  "src/commands/exposure/preview.ts": ["test/commands/exposure/preview.test.ts"],
  "src/plugin/properties.ts": ["test/plugin/properties.test.ts"],
};

const coreTests = (...names) => names.map((name) => `test/core/${name}.test.ts`);

const filesIn = (place) =>
  place.endsWith(".ts") ? [place] : fs.readdirSync(path.join(root, place)).map((name) => `${place}/${name}`);

/** The tests of the core that start no other process, and wait for nothing. */
const quickTests = filesIn("test/core")
  .filter((file) => /^[^.]+\.test\.ts$/.test(file))
  .filter(
    (file) =>
      !/from "(\.\.\/support\/(engine|cli|waitUntil)|\.\/|node:child)/.test(readIfExists(path.join(root, file))),
  );

/** The core, by folder or file, and the tests that are asked of what is not noticed by those, nor soon by the simulator. */
const simulatedWith = {
  "src/core/execute": [
    ...coreTests("records", "protections", "conflicts", "deletion", "protectAgain", "owners", "status"),
    ...["tcpEdge", "tcpEdgeIpRestriction", "apiKey"].map((name) => `test/resources/${name}.test.ts`),
    ...["lostResponses", "together"].map((name) => `test/faults/${name}.test.ts`),
  ],
  "src/core/read": coreTests("records", "batchReader", "deletion"),
  "src/core/register": coreTests("owners", "writes", "records", "deletion"),
  "src/core/deployment": coreTests("records", "writes", "cancel", "owners"),
  "src/core/agents": ["test/resources/tunnelSessionCommand.test.ts"],
  "src/core/commandProvider.ts": ["test/resources/tunnelSessionCommand.test.ts"],
  "src/core/plan": [],
  "src/core/state.ts": coreTests("records", "secretStates"),
  "src/core/secrets.ts": coreTests("secretStates", "secrets"),
  "src/core/resourceProvider.ts": [
    ...coreTests("records", "owners", "debug", "deletion", "protections"),
    "test/resources/tcpEdge.test.ts",
  ],
};

/** The files that the simulator runs, each with the tests that are asked, too. */
export const simulated = Object.fromEntries(
  Object.entries(simulatedWith).flatMap(([place, slow]) =>
    filesIn(place)
      .filter((file) => !Object.hasOwn(tested, file))
      .map((file) => [file, { quick: quickTests, slow }]),
  ),
);

const leastScore = 90;

/** Runs the tool on a file, and returns its mutants. */
async function testMutants(tool, file) {
  const name = file.replace(/\W+/g, "-");
  const [config, reportFile] = [`${name}.json`, `${name}-report.json`].map((each) => path.join(work, "mutation", each));
  const incrementalFile = path.join(work, "mutation", `${name}-incremental.json`);
  // What runs when the file is loaded belongs to no test: the tool would not see that a test has changed.
  const changedAt = (each) => fs.statSync(each, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (tested[file].some((test) => changedAt(path.join(root, test)) > changedAt(incrementalFile))) {
    fs.rmSync(incrementalFile, { force: true });
  }
  const options = {
    mutate: [file],
    mutator: { excludedMutations: ["StringLiteral"] },
    testRunner: "jest",
    coverageAnalysis: "perTest",
    jest: {
      enableFindRelatedTests: false,
      config: {
        // The tool does not know <rootDir> there.
        testEnvironment: path.join(root, "test/support/environment.js"),
        testMatch: tested[file].map((test) => `<rootDir>/${test}`),
        // What tests load as users do is in dist, of which the tool sees nothing.
        moduleNameMapper: { ...jestConfig.moduleNameMapper, "^pulumi-tunnel-edge/(\\w+)$": "<rootDir>/src/$1" },
      },
    },
    incremental: true,
    incrementalFile,
    ignorePatterns: ["dist", ".work", "docs", "bench"],
    reporters: ["json"],
    jsonReporter: { fileName: reportFile },
    concurrency: os.availableParallelism(),
    // So long that only an endless loop takes longer, not a test on a busy machine.
    timeoutMS: 20_000,
    tempDirName: ".work/mutation/sandbox",
    plugins: ["@stryker-mutator/jest-runner"],
    allowConsoleColors: false,
  };
  fs.writeFileSync(config, JSON.stringify(options));
  const stryker = path.join(tool, "node_modules/@stryker-mutator/core/bin/stryker.js");
  await run(process.execPath, [stryker, "run", config], { cwd: root });
  return JSON.parse(fs.readFileSync(reportFile, "utf8")).files[file].mutants;
}

const isNoticed = ({ status }) => status === "Killed" || status === "Timeout";
const isCounted = ({ status }) => status !== "Ignored" && status !== "CompileError" && status !== "RuntimeError";
const oneLine = (code) => code.replace(/\s+/g, " ").trim();

/** The change that a mutant makes: its lines as they are and as they become. */
function describe({ replacement, location: { start, end } }, lines) {
  const changed = lines.slice(start.line - 1, end.line);
  const [head, tail] = [changed[0].slice(0, start.column - 1), changed.at(-1).slice(end.column - 1)];
  return `${oneLine(changed.join("\n"))} -> ${oneLine(head + replacement + tail)}`;
}

/** Prints how many of a file's mutants are noticed, and which are not; returns how many problems that are. */
function report(file, reported, accepted) {
  const lines = fs.readFileSync(path.join(root, file), "utf8").split("\n");
  const mutants = reported.filter(isCounted).map((mutant) => ({ ...mutant, change: describe(mutant, lines) }));
  const survivors = mutants.filter((mutant) => !isNoticed(mutant));
  const known = accepted.map(([code, becomes]) => `${code} -> ${becomes}`);
  const unexplained = survivors.filter(({ change }) => !known.includes(change));
  // A sample does not have every mutant.
  const isTried = (change) => tested[file] || mutants.some((mutant) => mutant.change === change);
  const gone = known.filter((change) => isTried(change) && !survivors.some((mutant) => mutant.change === change));
  const noticed = mutants.length - survivors.length;
  const score = (100 * noticed) / Math.max(1, mutants.length);
  const endless = mutants.filter(({ status }) => status === "Timeout").length;
  const how = endless > 0 ? `, ${endless} by a timeout` : "";
  console.log(`${file}: ${mutants.length} mutants, ${noticed} noticed (${score.toFixed(0)} %${how})`);
  for (const { status, location, change } of unexplained) {
    const unreached = status === "NoCoverage" ? " (nothing reaches it)" : "";
    console.log(`  ${file}:${location.start.line} survives${unreached}: ${change}`);
  }
  for (const change of gone) console.log(`  is noticed now, remove it from test/mutants.mjs: ${change}`);
  // Another sample has other survivors.
  const mustBeExplained = tested[file] ? unexplained.length : 0;
  return mustBeExplained + gone.length + (score < leastScore ? 1 : 0);
}

if (isMain(import.meta.url)) {
  await main(async (args) => {
    const { values, positionals } = parseArgs({
      args,
      options: { sample: { type: "string", default: "60" }, seed: { type: "string", default: "1" } },
      allowPositionals: true,
    });
    const all = Object.keys({ ...tested, ...simulated });
    const places = positionals.map((place) => place.split(":"));
    const unknown = places.map(([file]) => file).filter((file) => !all.includes(file));
    if (unknown.length > 0) throw new Failure(`${unknown.join(", ")}: use one of ${all.join(", ")}.`);
    const isWanted = (file, line) =>
      places.length === 0 || places.some(([name, at = line]) => name === file && Number(at) === line);
    const isAsked = (file) => places.length === 0 || places.some(([name]) => name === file);
    await setup({ cli: false });
    const { default: accepted } = await import(path.join(root, "test/mutants.mjs"));
    const tool = await installTool("mutation");
    const started = Date.now();
    let problems = 0;
    const add = (file, mutants) => {
      problems += report(file, mutants, accepted[file] ?? []);
    };
    for (const file of Object.keys(tested).filter(isAsked)) add(file, await testMutants(tool, file));
    const asked = Object.fromEntries(Object.entries(simulated).filter(([file]) => isAsked(file)));
    const sample = { sample: Number(values.sample), seed: Number(values.seed), isWanted };
    if (Object.keys(asked).length > 0) await simulateMutants(tool, asked, sample, add);
    console.log(`In ${Math.round((Date.now() - started) / 1000)} s.`);
    return problems > 0 ? 1 : 0;
  });
}
