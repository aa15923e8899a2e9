// Sets up the clone and runs the tests:
//   node scripts/test/test.mjs [--full | --nightly | --grpc | --offline | --replay] [arguments for jest]
import { mkdirSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { ensureCli, isCliInstalled } from "../dev/cli.mjs";
import { setup } from "../dev/setup.mjs";
import { main, manifest, root, run, runInTerminal, work } from "../lib/index.mjs";
import { checkSource } from "./check.mjs";

const all = "**/test/**/*.test.ts";
const long = "**/test/**/*.full.test.ts";
const nightly = "**/test/**/*.nightly.test.ts";
const withCli = "**/test/cli/**/*.test.ts";

const exceptLong = [`!${long}`, `!${nightly}`];
const short = [all, ...exceptLong];
const offline = [...short, `!${withCli}`];

/** Tests that need the process of the provider to be that of the test, by a part of their titles, and why. */
const notOverGrpc = {
  "while the file of claims cannot be written": "a file of claims that only this deployment cannot write",
  "claims of others cannot be read": "a file of claims that only this deployment cannot read",
  "after the deployment was cancelled": "Pulumi tells the dynamic provider nothing of Ctrl-C",
  "before the engine has come to the other edge": "time passes before the engine's next call arrives",
  "while another process removes it": "the other process starts when it is called, which takes longer than the removal",
  "fails only the reads that wait for it": "two calls at once do not arrive at once",
  "without the id of its edge is not sent":
    "the dynamic provider's code is in inputs that were checked, which these are not",
  "if the deployment is cancelled": "Pulumi tells the dynamic provider nothing of Ctrl-C",
};

const suites = {
  default: { cli: true, checks: true, files: short },
  "--offline": { cli: false, checks: true, files: offline },
  "--full": { cli: true, packs: true, files: [long] },
  "--nightly": { cli: true, packs: true, files: [nightly], andThen: "--grpc" },
  "--grpc": {
    // Each case of the matrix would start several processes.
    files: [
      "**/test/core/**/*.test.ts",
      "**/test/faults/**/*.test.ts",
      "**/test/dynamic/options.test.ts",
      "!**/test/faults/matrix.test.ts",
      ...exceptLong,
    ],
    env: { TEST_TRANSPORT: "grpc" },
    options: [`--testNamePattern=^(?!.*(${Object.keys(notOverGrpc).join("|")}))`],
  },
  "--replay": { cli: true, files: ["**/test/simulator/replay.nightly.test.ts"], env: { REPLAYS: "50" } },
};

const workers = os.availableParallelism() + 1;

const jest = path.join(root, "node_modules/jest/bin/jest.js");

const isSelection = (arg) => !arg.startsWith("-") || /^--(watch|listTests)/.test(arg);

/** Packs what was built, once for all test files. */
async function pack() {
  const folder = path.join(work, "packed");
  mkdirSync(folder, { recursive: true });
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], { cwd: root });
  return { PULUMI_TUNNEL_EDGE_PACKED: path.join(folder, `${manifest.name}-${manifest.version}.tgz`) };
}

function runJest(files, args, directories, settings = {}) {
  const env = {
    ...process.env,
    ...settings,
    PATH: [...directories, process.env.PATH].join(path.delimiter),
    PULUMI_TUNNEL_EDGE_PATH: directories.join(path.delimiter),
  };
  const globs = files.map((glob) => `--testMatch=${glob}`);
  // What follows --testMatch would be more globs.
  const selection = [...globs, `--maxWorkers=${workers}`, ...args];
  // Tests create much garbage. With more room for it, they use an eighth less CPU.
  return runInTerminal(process.execPath, ["--max-semi-space-size=64", jest, ...selection], { cwd: root, env });
}

/** Installing the CLI leaves a core idle for half of the time, so the tests that need no CLI run meanwhile. */
async function testWhileInstalling(args) {
  const installing = ensureCli({ needs: ["yaml"] });
  const checking = checkSource();
  // What cannot be installed is reported at once.
  await Promise.race([installing, checking]);
  installing.catch(() => {}); // reported below
  await checking;
  const failed = await runJest(offline, args, []);
  return (await runJest([withCli, ...exceptLong], args, await installing)) || failed;
}

await main(async (args) => {
  const suite = suites[args[0]] ? suites[args.shift()] : suites.default;
  const { cli, checks, packs, files, env, options = [], andThen } = suite;
  // Whoever runs one file again and again wants its result at once.
  const selected = args.some(isSelection);
  const needsInstall = suite === suites.default && !selected && !(await isCliInstalled());
  // A selected test that needs the YAML language host installs it.
  const installs = { cli: cli && !needsInstall, needs: cli && !needsInstall && !selected ? ["yaml"] : [] };
  const directories = await setup({ ...installs, types: !selected });
  if (needsInstall) return testWhileInstalling(args);
  if (checks && !selected) await checkSource();
  const settings = { ...env, ...(packs && !selected && (await pack())) };
  const failed = await runJest(files, [...options, ...args], directories, settings);
  if (!andThen || selected) return failed;
  const then = suites[andThen];
  return (await runJest(then.files, then.options, directories, then.env)) || failed;
});
