// Sets up the clone and runs the tests: node scripts/test.mjs [--full | --offline | --replay] [arguments for jest]
import os from "node:os";
import path from "node:path";
import { isCliInstalled } from "./cli.mjs";
import { log, main, root, run, runInTerminal, showProgress, work } from "./lib.mjs";
import { setup } from "./setup.mjs";

const all = "**/test/**/*.test.ts";
const long = "**/test/**/*.full.test.ts";
const withCli = "**/test/cli/**/*.test.ts";

const offline = [all, `!${long}`, `!${withCli}`];
const suites = {
  default: { cli: true, checks: true, files: [all, `!${long}`] },
  "--offline": { cli: false, checks: true, files: offline },
  "--full": { cli: true, files: [long] },
  "--replay": { cli: true, files: ["**/test/simulator/replay.full.test.ts"], env: { REPLAYS: "50" } },
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

function runJest(files, args, directories, settings = {}) {
  const env = {
    ...process.env,
    ...settings,
    PATH: [...directories, process.env.PATH].join(path.delimiter),
    PULUMI_TUNNEL_EDGE_PATH: directories.join(path.delimiter),
  };
  // What follows --testMatch would be more globs.
  const selection = [...files.map((glob) => `--testMatch=${glob}`), `--maxWorkers=${os.availableParallelism() + 1}`];
  // Tests create much garbage. With more room for it, they use an eighth less CPU.
  return runInTerminal(process.execPath, ["--max-semi-space-size=64", bin("jest"), ...selection, ...args], {
    cwd: root,
    env,
  });
}

/** Installing the CLI leaves a core idle for half of the time, so the tests that need no CLI run meanwhile. */
async function testWhileInstalling(args) {
  const installing = run(process.execPath, ["scripts/setup.mjs", "--yaml"], { cwd: root, onLine: log });
  installing.catch(() => {}); // reported below
  await checkSource();
  const failed = await runJest(offline, args, []);
  const { stdout } = await installing;
  return (await runJest([withCli, `!${long}`], args, stdout.trim().split(path.delimiter))) || failed;
}

await main(async (args) => {
  const suite = suites[args[0]] ? suites[args.shift()] : suites.default;
  const { cli, checks, files, env } = suite;
  // Whoever runs one file again and again wants its result at once.
  const isSelection = args.some((arg) => !arg.startsWith("-") || /^--(watch|listTests)/.test(arg));
  const needsInstall = suite === suites.default && !isSelection && !(await isCliInstalled());
  // A selected test that needs the YAML language host installs it.
  const installs = { cli: cli && !needsInstall, yaml: cli && !needsInstall && !isSelection };
  const directories = await setup({ ...installs, types: !isSelection });
  if (needsInstall) return testWhileInstalling(args);
  if (checks && !isSelection) await checkSource();
  return runJest(files, args, directories, env);
});
