/** What all tests promise. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "../support/root";

const SkipReporter = require("../support/skipReporter");

const folder = join(__dirname, "..");
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));

/** The titles of the tests in a source that call neither `expect` nor a function of the source that does. */
function findTestsWithoutExpect(source: string): string[] {
  const calls: ts.CallExpression[] = [];
  const helpers: { name: string; text: string }[] = [];
  const file = ts.createSourceFile("test.ts", source, ts.ScriptTarget.Latest);
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) calls.push(node);
    const isHelper = ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node);
    if (isHelper && node.name) helpers.push({ name: node.name.getText(file), text: node.getText(file) });
    node.forEachChild(visit);
  };
  visit(file);
  const expecting = helpers.filter(({ text }) => /\bexpect/.test(text)).map(({ name }) => name);
  const isExpecting = (text: string) => /\bexpect/.test(text) || expecting.some((name) => text.includes(`${name}(`));
  return calls.flatMap(({ expression, arguments: [title, body] }) => {
    const isTest = /^((globalThis\.)?test(Dynamic|Plugin|If)?\b|\([^)]*\btest\b)|\.testOf\(/.test(
      expression.getText(file),
    );
    const isFunction = body && (ts.isArrowFunction(body) || ts.isIdentifier(body));
    const isTitle =
      title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title) || ts.isIdentifier(title));
    return isTest && isTitle && isFunction && !isExpecting(body.getText(file)) ? [title.getText(file)] : [];
  });
}

test("every test expects something", () => {
  const found = files.map((file) => [file, findTestsWithoutExpect(readFileSync(join(folder, file), "utf8"))] as const);
  expect(found.filter(([, titles]) => titles.length > 0)).toEqual([]);
});

test("no test is skipped without a reason", () => {
  const found = files.filter((file) =>
    /\.skip\b|\bx(?:it|test|describe)\(/.test(readFileSync(join(folder, file), "utf8")),
  );
  expect(found.sort()).toEqual(["setup/tests.test.ts", "support/testIf.ts"]);
});

test("a run prints at its end how many tests were skipped, by reason", () => {
  const write = jest.spyOn(process.stderr, "write").mockReturnValue(true);
  const skipped = (title: string, reason = "") => ({
    status: "pending",
    title: reason && `${title}${SkipReporter.skipMark}${reason}`,
  });
  const passed = { status: "passed", title: `a${SkipReporter.skipMark}b` };
  new SkipReporter().onRunComplete(undefined, {
    testResults: [
      { testResults: [skipped("one", "no browser."), skipped("two", "no browser."), skipped("by -t"), passed] },
      { testResults: [skipped("three", "no Go.")] },
    ],
  });
  const printed = write.mock.calls.map(([text]) => text);
  write.mockRestore();
  expect(printed).toEqual(["Skipped 2 tests: no browser.\n", "Skipped 1 test: no Go.\n"]);
});

test("a test that expects nothing is found", () => {
  const source = `
    const check = () => expect(1).toBe(1);
    test("one", () => check());
    test.each([1])("two", async () => run());
    (tool ? test : test.skip)("three", record);`;
  expect(findTestsWithoutExpect(source)).toEqual(['"two"', '"three"']);
});

test("a check that takes too long is ended with the processes that it has started", () => {
  const endless = "setInterval(() => {}, 1_000)";
  const check = `require("node:child_process").spawn(process.execPath, ["-e", "${endless}"], { stdio: "inherit" })`;
  const script = `
    import { run } from "./scripts/lib/index.mjs";
    await run(process.execPath, ["-e", ${JSON.stringify(check)}], { timeout: 2_000 }).catch(({ message }) =>
      console.log(/was ended by SIGKILL/.exec(message)?.[0]),
    );`;
  const args = ["--input-type=module", "-e", script];
  const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", timeout: 60_000 });
  expect(stdout).toBe("was ended by SIGKILL\n");
}, 90_000);
