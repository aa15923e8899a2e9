// Runs the tests after the set-up: node scripts/test.mjs [--full | --offline | --fuzz] [arguments for jest]
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { handOver, main, root, run, say, showing, work } from "./lib.mjs";
import { setup } from "./setup.mjs";

const long = "\\.full\\.test\\.ts$";
const withCli = "/test/cli/";

const suites = {
  usual: { cli: true, checks: true, without: [long] },
  "--offline": { cli: false, checks: true, without: [long, withCli] },
  "--full": { cli: true, checks: false, without: [], only: "<rootDir>/test/**/*.full.test.ts" },
  "--fuzz": { cli: false, checks: false, without: [], only: "<rootDir>/test/fuzz/fuzz.full.test.ts", runs: 10_000 },
};

const bin = (name) => path.join(root, "node_modules/.bin", name);

/** Format, lint and types: seconds, so before the tests. */
function check() {
  const cache = path.join(work, "check.tsbuildinfo");
  return showing("Checking format, lint and types", async () => {
    await Promise.all([
      run(bin("biome"), ["check", "."], { cwd: root }),
      run(bin("tsc"), ["--noEmit", "--incremental", "--tsBuildInfoFile", cache], { cwd: root }),
    ]);
  });
}

await main(async (args) => {
  const suite = suites[args[0]] ? suites[args.shift()] : suites.usual;
  if (suite.only && !fs.readdirSync(path.join(root, "test"), { recursive: true }).some((file) => file.match(long))) {
    say("There is no long test (test/**/*.full.test.ts).");
    return 0;
  }
  const directories = await setup(suite);
  if (suite.checks) await check();
  const env = {
    ...process.env,
    PATH: [...directories, process.env.PATH].join(path.delimiter),
    PULUMI_TUNNEL_EDGE_PATH: directories.join(path.delimiter),
    ...(suite.runs && !process.env.RUNS && { RUNS: String(suite.runs) }),
  };
  const selection = suite.without.map((pattern) => `--testPathIgnorePatterns=${pattern}`);
  if (suite.only) selection.push(`--testMatch=${suite.only}`);
  return handOver(bin("jest"), [...selection, `--maxWorkers=${os.availableParallelism()}`, ...args], {
    cwd: root,
    env,
  });
});
