/** The commands, as npm installs them and as the plugin has them. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { runCommand } from "../../src/commands";
import { manifest } from "../support/data/manifest";
import { root } from "../support/root";

const names = ["emulator", "exposure", "import", "inventory"];
const listed = "use emulator, exposure, import or inventory; see --help.\n";
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("TUNNEL_EDGE_")));

/** Runs a command in this process. */
async function run(...args: string[]) {
  const printed = { stdout: "", stderr: "" };
  jest.spyOn(process.stdout, "on").mockReturnThis();
  for (const name of ["stdout", "stderr"] as const)
    jest.spyOn(process[name], "write").mockImplementation((text) => {
      printed[name] += text;
      return true;
    });
  const status = await runCommand(args);
  jest.restoreAllMocks();
  return { status, ...printed };
}

test("prints the commands", async () => {
  const help = await run("--help");
  expect(help).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: /), stderr: "" });
  expect([...help.stdout.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name)).toEqual(names);
});

test.each(names)("%s has its own help", async (command) => {
  const help = await run(command, "--help");
  expect(help).toMatchObject({ status: 0, stderr: "" });
  expect(help.stdout).toMatch(new RegExp(`^Usage: pulumi-tunnel-edge ${command} `));
});

test.each([
  [[], "Missing command"],
  [["improt"], 'Unknown command "improt"'],
  [["constructor"], 'Unknown command "constructor"'],
])("rejects %j", async (args, problem) => {
  expect(await run(...args)).toEqual({ status: 2, stdout: "", stderr: `${problem}: ${listed}` });
});

const file = resolve(root, manifest.bin["pulumi-tunnel-edge"]!);
const plugin = join(root, "plugin/pulumi-resource-tunnel-edge");

describe.each([
  { entry: "npx", command: [process.execPath, file] },
  { entry: "the plugin", command: [plugin] },
])("$entry", ({ command: [program = "", ...first] }) => {
  const start = (...args: string[]) => {
    // A plugin that takes the arguments for the engine's would never end.
    const { status, stdout, stderr } = spawnSync(program, [...first, ...args], {
      encoding: "utf8",
      env,
      timeout: 60_000,
    });
    return { status, stdout, stderr };
  };

  test("prints the version", () => {
    expect(start("--version")).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: "" });
  });

  test("exits with the command's code", () => {
    expect(start("import")).toEqual({
      status: 1,
      stdout: "",
      stderr:
        "TUNNEL_EDGE_API_KEY is not set. It selects the account.\n" +
        "TUNNEL_EDGE_BASE_URL is not set. It selects the account.\n",
    });
  });

  test("rejects an unknown command with an address, which is not the engine's", () => {
    const stderr = `Unknown command "improt": ${listed}`;
    expect(start("improt", "--host", "127.0.0.1:80")).toEqual({ status: 2, stdout: "", stderr });
  });
});

test("npx finds a Node script", () => {
  expect(readFileSync(file, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
});

test.each([
  [],
  ["127.0.0.1:1"],
  ["--logtostderr", "-v=9", "127.0.0.1:1"],
  ["--tracing", "file:./trace", "127.0.0.1:1"],
])("the plugin serves the engine if its arguments are %j", async (...args) => {
  const child = spawn(plugin, args, { env });
  const [printed] = await once(child.stdout, "data");
  child.kill("SIGKILL");
  expect(String(printed)).toMatch(/^\d+\n$/);
});
