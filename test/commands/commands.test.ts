/** The commands, as npm installs them and as the plugin has them. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { manifest } from "../support/data/manifest";
import { root } from "../support/root";

const file = resolve(root, manifest.bin["pulumi-tunnel-edge"]!);
const plugin = join(root, "plugin/pulumi-resource-tunnel-edge");

const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("TUNNEL_EDGE_")));

const runEntry =
  (command: string, ...first: string[]) =>
  (...args: string[]) => {
    // A plugin that takes the arguments for the engine's would never end.
    const options = { encoding: "utf8", env, timeout: 60_000 } as const;
    const { status, stdout, stderr } = spawnSync(command, [...first, ...args], options);
    return { status, stdout, stderr };
  };

const names = ["emulator", "exposure", "import", "inventory"];
const listed = "use emulator, exposure, import or inventory; see --help.\n";

describe.each([
  { entry: "npx", run: runEntry(process.execPath, file) },
  { entry: "the plugin", run: runEntry(plugin) },
])("$entry", ({ run }) => {
  test("prints the version, and the commands", () => {
    expect(run("--version")).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: "" });
    const help = run("--help");
    expect(help).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: /), stderr: "" });
    expect([...help.stdout.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name)).toEqual(names);
  });

  test.each(names)("%s has its own help", (command) => {
    const help = run(command, "--help");
    expect(help).toMatchObject({ status: 0, stderr: "" });
    expect(help.stdout).toMatch(new RegExp(`^Usage: pulumi-tunnel-edge ${command} `));
  });

  test.each([["improt"], ["constructor"], ["improt", "--host", "127.0.0.1:80"]])("%s is unknown", (...args) => {
    const stderr = `Unknown command "${args[0]}": ${listed}`;
    expect(run(...args)).toEqual({ status: 2, stdout: "", stderr });
  });

  test("exits with the command's code", () => {
    expect(run("import")).toEqual({
      status: 1,
      stdout: "",
      stderr:
        "TUNNEL_EDGE_API_KEY is not set. It selects the account.\n" +
        "TUNNEL_EDGE_BASE_URL is not set. It selects the account.\n",
    });
  });
});

test("npx needs a command, and finds a Node script", () => {
  expect(runEntry(process.execPath, file)()).toEqual({ status: 2, stdout: "", stderr: `Missing command: ${listed}` });
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
