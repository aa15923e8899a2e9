/** Runs the tests on the page on testing that need no CLI. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { startEmulator } from "pulumi-tunnel-edge/emulator";
import { createFolder, runBash } from "../support/cli/example";
import { transpile } from "../support/compile";
import { testIf } from "../support/testIf";
import { codeIn, commandsIn, examples, read } from "./pages";

/** In the package's folder, where the code finds the package by its name. */
const folder = createFolder("testing");

const tests = examples().filter(
  ({ place, code }) =>
    place.startsWith("docs/testing.md:") && code.includes('"node:test"') && !code.includes("/automation/"),
);

async function run(code: string): Promise<string> {
  const file = join(folder, "example.test.cjs");
  writeFileSync(file, transpile(code));
  const env = { ...process.env, NODE_OPTIONS: "", NODE_TEST_CONTEXT: undefined };
  const { stdout } = await promisify(execFile)(process.execPath, ["--test", file], { cwd: folder, env });
  return stdout;
}

test.each(tests)("$place passes", async ({ code }) => {
  expect(await run(code)).toMatch(/^. pass [1-9]/m);
});

testIf(process.platform !== "win32", "the command is for a shell of Unix")(
  "the emulator accepts the page's seed file, and its request creates an edge",
  async () => {
    const emulator = await startEmulator({
      apiKey: "emulator-api-key",
      seed: JSON.parse(codeIn("docs/testing.md", "json")),
    });
    const command = commandsIn(read("docs/testing.md")).find((each) => each.startsWith("curl "))!;
    try {
      await runBash(command.replace("http://127.0.0.1:8790", emulator.url), folder, { PATH: process.env["PATH"] });
      expect(emulator.account).toMatchObject({
        tcpEdges: [{ hostports: ["1.tcp.example.com:20022"] }, { description: "by hand" }],
        httpsEdges: [{ routes: [{ id: "edghtsrt_login" }] }],
        tunnels: [{ id: "tn_builders" }],
      });
    } finally {
      await emulator.close();
    }
  },
);

test("a test that fails is found", async () => {
  const wrong = `${tests[0]!.code}\ntest("fails", () => assert.fail());\n`;
  await expect(run(wrong)).rejects.toThrow();
});
