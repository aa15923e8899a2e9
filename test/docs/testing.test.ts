/** Runs the tests on the page on testing that need no CLI. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { root } from "../support/root";
import { read } from "./pages";

/** In the package's folder, where the code finds the package by its name. */
const work = join(root, ".work");
mkdirSync(work, { recursive: true });
const folder = mkdtempSync(join(work, "testing-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The first example of a section. */
function exampleIn(section: string): string {
  const [, text = ""] = read("docs/testing.md").split(`\n## ${section}\n`);
  return /^```ts\n([\s\S]*?)^```/m.exec(text)![1]!;
}

async function run(code: string): Promise<string> {
  const file = join(folder, "example.test.cjs");
  const options = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true };
  writeFileSync(file, ts.transpileModule(code, { compilerOptions: options }).outputText);
  const env = { ...process.env, NODE_OPTIONS: "", NODE_TEST_CONTEXT: undefined };
  const { stdout } = await promisify(execFile)(process.execPath, ["--test", file], { cwd: folder, env });
  return stdout;
}

test.each([
  ["With mocks", 2],
  ["Test a policy pack", 1],
])("%s: the test passes", async (section, count) => {
  expect(await run(exampleIn(section))).toMatch(new RegExp(`^. pass ${count}$`, "m"));
});

test("a test that fails is found", async () => {
  const wrong = exampleIn("Test a policy pack").replace('["Declare ipRestriction."]', "[]");
  await expect(run(wrong)).rejects.toThrow();
});
