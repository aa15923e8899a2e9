/** The command line, as npm installs it. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { root } from "../support/root";

const { bin, version } = require("../../package.json");
const file = resolve(root, bin["pulumi-tunnel-edge"]);

function run(...args: string[]) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("TUNNEL_EDGE_")));
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], { encoding: "utf8", env });
  return { status, stdout, stderr };
}

test("the command is a Node script", () => {
  expect(readFileSync(file, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
});

test("the command prints its version and its commands", () => {
  expect(run("--version")).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
  const help = run("--help");
  expect(help).toMatchObject({ status: 0, stderr: "" });
  expect(help.stdout).toMatch(/^ {2}emulator .*\n {2}exposure .*\n {2}import /m);
});

test.each(["emulator", "exposure", "import"])("%s has its own help", (command) => {
  const help = run(command, "--help");
  expect(help).toMatchObject({ status: 0, stderr: "" });
  expect(help.stdout).toMatch(new RegExp(`^Usage: pulumi-tunnel-edge ${command} `));
});

test.each([
  [[], "Missing command: use emulator, exposure or import; see --help.\n"],
  [["improt"], 'Unknown command "improt": use emulator, exposure or import; see --help.\n'],
  [["constructor"], 'Unknown command "constructor": use emulator, exposure or import; see --help.\n'],
])("%j is rejected with a message of one line", (args, stderr) => {
  expect(run(...args)).toEqual({ status: 2, stdout: "", stderr });
});

test("the exit code is that of the command", () => {
  expect(run("import")).toEqual({
    status: 1,
    stdout: "",
    stderr:
      "TUNNEL_EDGE_API_KEY is not set. It selects the account to import.\n" +
      "TUNNEL_EDGE_BASE_URL is not set. It selects the account to import.\n",
  });
});
