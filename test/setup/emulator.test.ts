/** `npm run emulator`, on copies of the quickstart, and the commands that use it. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { copyExample } from "../support/cli/example";
import { root } from "../support/root";
import { waitUntil } from "../support/waitUntil";

let folder: string;
let home: string;
const running: ChildProcessWithoutNullStreams[] = [];

beforeEach(() => {
  folder = copyExample("quickstart");
  home = join(root, ".work/examples", basename(folder));
});

afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")) await once(child, "exit");
  }
  rmSync(home, { recursive: true, force: true });
});

function start(...args: string[]) {
  const child = spawn(process.execPath, args, { cwd: root });
  running.push(child);
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text) => {
      printed[name] += text;
    });
  }
  return { child, printed, ended: once(child, "close") };
}

const startEmulator = (...args: string[]) => start("scripts/dev/emulator.mjs", folder, "--port=0", ...args);
const waitForUrl = async ({ printed }: ReturnType<typeof start>) => {
  await waitUntil(() => printed.stdout.includes("Ctrl-C"));
  return /http:\/\/\S+/.exec(printed.stdout)![0];
};
/** What a command does first: finds its emulator's address, while `then` runs. */
const command = (then = "") =>
  start(
    "--input-type=module",
    "-e",
    `import { findExample, openEmulator } from "./scripts/dev/emulator.mjs";
     import { withLock } from "./scripts/lib/index.mjs";
     const example = findExample("${folder}");
     await withLock(example.lock, async () => {
       const service = await openEmulator(example);
       console.log(JSON.stringify({ url: service.url, apiKey: service.apiKey }));
       ${then}
       await service.close();
     });`,
  );

test("runs with the quickstart's account until Ctrl-C, and accepts the emulator's options", async () => {
  const emulator = startEmulator("--fault", '{"path":"/tunnels","status":503}');
  const url = await waitForUrl(emulator);
  expect(emulator.printed.stdout).toContain(`export TUNNEL_EDGE_BASE_URL=${url}\n`);
  expect(await (await fetch(url)).text()).toContain("Tunnel edge emulator");
  expect(await (await fetch(`${url}/_emulator/account`)).json()).toMatchObject({ tunnels: [{}, {}], sessions: [{}] });
  expect(await (await fetch(`${url}/_emulator/faults`)).json()).toHaveLength(1);
  emulator.child.kill("SIGINT");
  expect(await emulator.ended).toEqual([0, null]);
  // A run of selected tests does not build the types first.
  expect(emulator.printed.stderr.replace(/^Building .*\n/gm, "")).toBe("");
  expect(readdirSync(home).sort()).toEqual(["service.json", "state"]);
});

test("commands use the running emulator, or start their own", async () => {
  const emulator = startEmulator();
  const url = await waitForUrl(emulator);
  const meanwhile = command();
  expect([await meanwhile.ended, meanwhile.printed]).toEqual([
    [0, null],
    { stdout: `${JSON.stringify({ url, apiKey: "emulator-api-key" })}\n`, stderr: "" },
  ]);
  emulator.child.kill("SIGKILL");
  await emulator.ended;
  expect(existsSync(join(home, "service.json.lock"))).toBe(true);
  const afterwards = command();
  expect(await afterwards.ended).toEqual([0, null]);
  expect(afterwards.printed.stdout).not.toContain(url);
  expect(readdirSync(home).sort()).toEqual(["service.json", "state"]);
});

test("a second emulator fails, and names the first", async () => {
  const first = startEmulator();
  const url = await waitForUrl(first);
  const second = startEmulator();
  expect(await second.ended).toEqual([1, null]);
  expect(second.printed.stderr).toBe(
    `The data file ${join(home, "service.json")} is in use by the emulator on ${url} (process ${first.child.pid}). ` +
      "Use that one, stop it, or choose another file. " +
      `If it is not running, delete ${join(home, "service.json.lock")}.\n`,
  );
});

test("waits for a command that is running", async () => {
  const running = command('process.stdin.resume(); await new Promise((done) => process.stdin.once("end", done));');
  await waitUntil(() => running.printed.stdout !== "");
  const emulator = startEmulator();
  await waitUntil(() => emulator.printed.stderr.includes("Waiting for another run"));
  running.child.stdin.end();
  expect(await running.ended).toEqual([0, null]);
  await waitForUrl(emulator);
  expect(JSON.parse(readFileSync(join(home, "service.json"), "utf8")).tunnels).toHaveLength(2);
});
