// Sets up the clone and runs the tests: node scripts/test.mjs [--full | --offline | --fuzz] [arguments for jest]
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { log, main, root, run, runInTerminal, showProgress, work } from "./lib.mjs";
import { setup } from "./setup.mjs";

const longTests = "\\.full\\.test\\.ts$";
const cliTests = "/test/cli/";

const suites = {
  default: { cli: true, checks: true, exclude: [longTests] },
  "--offline": { cli: false, checks: true, exclude: [longTests, cliTests] },
  "--full": { cli: true, checks: false, exclude: [], only: "<rootDir>/test/**/*.full.test.ts" },
  "--fuzz": { cli: false, checks: false, exclude: [], only: "<rootDir>/test/fuzz/fuzz.full.test.ts", runs: 10_000 },
};

const bin = (name) => path.join(root, "node_modules/.bin", name);

/** Takes seconds, so it runs before the tests. */
function checkSource() {
  const cache = path.join(work, "check.tsbuildinfo");
  return showProgress("Checking format, lint and types", async () => {
    await Promise.all([
      run(bin("biome"), ["check", "."], { cwd: root }),
      run(bin("tsc"), ["--noEmit", "--incremental", "--tsBuildInfoFile", cache], { cwd: root }),
    ]);
  });
}

await main(async (args) => {
  const suite = suites[args[0]] ? suites[args.shift()] : suites.default;
  if (
    suite.only &&
    !fs.readdirSync(path.join(root, "test"), { recursive: true }).some((file) => file.match(longTests))
  ) {
    log("There are no long tests (test/**/*.full.test.ts).");
    return 0;
  }
  const directories = await setup(suite);
  if (suite.checks) await checkSource();
  const env = {
    ...process.env,
    PATH: [...directories, process.env.PATH].join(path.delimiter),
    PULUMI_TUNNEL_EDGE_PATH: directories.join(path.delimiter),
    ...(suite.runs && !process.env.RUNS && { RUNS: String(suite.runs) }),
  };
  const selection = suite.exclude.map((pattern) => `--testPathIgnorePatterns=${pattern}`);
  if (suite.only) selection.push(`--testMatch=${suite.only}`);
  return runInTerminal(bin("jest"), [...selection, `--maxWorkers=${os.availableParallelism()}`, ...args], {
    cwd: root,
    env,
  });
});
