// Sets up the clone and runs the tests: node scripts/test.mjs [--full | --offline | --fuzz] [arguments for jest]
import os from "node:os";
import path from "node:path";
import { main, root, run, runInTerminal, showProgress, work } from "./lib.mjs";
import { setup } from "./setup.mjs";

const all = "**/test/**/*.test.ts";
const long = "**/test/**/*.full.test.ts";
const withCli = "**/test/cli/**/*.test.ts";

const suites = {
  default: { cli: true, checks: true, files: [all, `!${long}`] },
  "--offline": { cli: false, checks: true, files: [all, `!${long}`, `!${withCli}`] },
  "--full": { cli: true, files: [long] },
  "--fuzz": { cli: false, files: ["**/test/fuzz/fuzz.full.test.ts"], runs: 10_000 },
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

function runJest(files, args, directories, runs) {
  const env = {
    ...process.env,
    PATH: [...directories, process.env.PATH].join(path.delimiter),
    PULUMI_TUNNEL_EDGE_PATH: directories.join(path.delimiter),
    ...(runs && !process.env.RUNS && { RUNS: String(runs) }),
  };
  // What follows --testMatch would be more globs.
  const selection = [...files.map((glob) => `--testMatch=${glob}`), `--maxWorkers=${os.availableParallelism()}`];
  return runInTerminal(bin("jest"), [...selection, ...args], { cwd: root, env });
}

await main(async (args) => {
  const { cli, checks, files, runs } = suites[args[0]] ? suites[args.shift()] : suites.default;
  // Whoever runs one file again and again wants its result at once.
  const isSelection = args.some((arg) => !arg.startsWith("-") || /^--(watch|listTests)/.test(arg));
  const directories = await setup({ cli, types: !isSelection });
  if (checks && !isSelection) await checkSource();
  return runJest(files, args, directories, runs);
});
