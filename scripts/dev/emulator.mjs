// Runs the emulator with the account of an example until it is stopped:
//   node scripts/dev/emulator.mjs [example (default quickstart)] [options of `pulumi-tunnel-edge emulator`]
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure, isMain, main, readIfExists, root, withLock, work } from "../lib/index.mjs";
import { setup } from "./setup.mjs";

/** Fixed, so that URLs stay the same between runs, and Pulumi.yaml can contain it. */
export const port = 20443;

/** Whether a folder has a program for which the set-up installs everything. */
const hasProgram = (folder) =>
  /^runtime: (nodejs|yaml|java|go)$/m.test(readIfExists(path.join(folder, "Pulumi.yaml")) ?? "");

/** Finds an example with a program, and the files of its account and of its stack's state. */
export function findExample(example = "") {
  const examples = path.join(root, "examples");
  const folder = path.resolve(examples, example);
  if (!hasProgram(folder)) {
    const own = [example, path.dirname(example)].find((each) => fs.existsSync(path.join(examples, each, "README.md")));
    if (own) throw new Failure(`The example ${example} has its own steps. See examples/${own}/README.md.`);
    const folders = ["", "languages"].flatMap((group) => {
      const entries = fs.readdirSync(path.join(examples, group), { withFileTypes: true });
      return entries.filter((entry) => entry.isDirectory()).map(({ name }) => path.posix.join(group, name));
    });
    const programs = folders.filter((name) => hasProgram(path.join(examples, name)));
    const problem = example ? `There is no example ${example}.` : "Name an example.";
    throw new Failure(`${problem} Use one of ${programs.join(", ")}.`);
  }
  const isOwn = folder.startsWith(examples + path.sep);
  const name = isOwn ? path.relative(examples, folder).replaceAll(path.sep, "/") : path.basename(folder);
  const home = path.join(work, "examples", name);
  const file = path.join(home, "service.json");
  const seeds = [folder, path.dirname(folder)].map((each) => path.join(each, "account.json"));
  const seed = seeds.find((each) => fs.existsSync(each));
  fs.mkdirSync(path.join(home, "state"), { recursive: true });
  return { name, folder, home, file, seed, lock: path.join(home, "lock") };
}

/** Returns the seed file if the account is new. */
const findSeed = ({ file, seed }) => (fs.existsSync(file) ? undefined : seed);

/** Returns the running emulator of an example, or starts one. `close` closes it only if it was started here. */
export async function openEmulator(example) {
  const { defaultApiKey, startEmulator } = await import("pulumi-tunnel-edge/emulator");
  const { file } = example;
  const seed = findSeed(example);
  for (let nextPort = port, waits = 0; ; ) {
    try {
      const emulator = await startEmulator({ file, port: nextPort });
      if (seed) emulator.seed(JSON.parse(readIfExists(seed)));
      return emulator;
    } catch (error) {
      if (error.code === "EADDRINUSE" && nextPort !== 0) nextPort = 0;
      else if (error.code === "EMULATOR_FILE_IN_USE" && error.url)
        return { url: error.url, apiKey: defaultApiKey, close() {} };
      else if (error.code === "EMULATOR_FILE_IN_USE" && waits++ < 50)
        await sleep(100); // it is starting
      else throw error;
    }
  }
}

if (isMain(import.meta.url)) {
  await main(async (args) => {
    const example = findExample(args[0] && !args[0].startsWith("-") ? args.shift() : "quickstart");
    await setup({ cli: false });
    await withLock(example.lock, async () => {}); // waits for a command that uses the account
    const { main: emulator } = await import("../../dist/emulator/main.js");
    const seed = findSeed(example);
    return emulator(["--port", String(port), "--file", example.file, ...(seed ? ["--seed", seed] : []), ...args]);
  });
}
