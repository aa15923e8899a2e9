// The emulator with the account of an example. As a script it keeps one open, with its page, until it is stopped:
//   node scripts/emulator.mjs [example, by default quickstart] [options of `pulumi-tunnel-edge emulator`]
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { exclusively, Failure, isMain, main, read, root, work } from "./lib.mjs";
import { setup } from "./setup.mjs";

/** Fixed, so that the objects' addresses stay the same from run to run, and so that Pulumi.yaml can name it. */
export const port = 20443;

/** An example with a program, and where its account and its stack's state are kept. */
export function exampleOf(example = "") {
  const examples = path.join(root, "examples");
  const folder = path.resolve(examples, example);
  if (!fs.existsSync(path.join(folder, "Pulumi.yaml"))) {
    if (example && fs.existsSync(path.join(folder, "README.md")))
      throw new Failure(`${example} is run in steps of its own: see examples/${example}/README.md.`);
    const programs = fs.readdirSync(examples).filter((name) => fs.existsSync(path.join(examples, name, "Pulumi.yaml")));
    throw new Failure(`Which example? One of ${programs.join(", ")}.`);
  }
  const name = path.basename(folder);
  const home = path.join(work, "examples", name);
  const [file, seed] = [path.join(home, "service.json"), path.join(folder, "account.json")];
  fs.mkdirSync(path.join(home, "state"), { recursive: true });
  return { name, folder, home, file, seed, lock: path.join(home, "lock") };
}

/** What a new account begins with: a file, or undefined. */
const seedOf = ({ file, seed }) => (!fs.existsSync(file) && fs.existsSync(seed) ? seed : undefined);

/** The emulator with an example's account: the one that is open already, else one to be closed after use. */
export async function openEmulator(example) {
  const { defaultApiKey, startEmulator } = await import("pulumi-tunnel-edge/emulator");
  const { file } = example;
  const seed = seedOf(example);
  for (let wanted = port; ; ) {
    try {
      const emulator = await startEmulator({ file, port: wanted });
      if (seed) emulator.seed(JSON.parse(read(seed)));
      return emulator;
    } catch (error) {
      if (error.code === "EADDRINUSE" && wanted !== 0) wanted = 0;
      else if (error.code !== "EMULATOR_FILE_IN_USE") throw error;
      else if (error.url) return { url: error.url, apiKey: defaultApiKey, close() {} };
      else await sleep(100); // it is starting
    }
  }
}

if (isMain(import.meta.url)) {
  await main(async (args) => {
    const example = exampleOf(args[0] && !args[0].startsWith("-") ? args.shift() : "quickstart");
    await setup({ cli: false });
    await exclusively(example.lock, async () => {}); // a command that is running has the account until it ends
    const { main: emulator } = await import("../dist/emulator/main.js");
    const seed = seedOf(example);
    return emulator(["--port", String(port), "--file", example.file, ...(seed ? ["--seed", seed] : []), ...args]);
  });
}
