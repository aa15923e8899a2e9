/** The environment in which `npm run mutate` tries many mutants in one process: what counts as noticed. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { root } from "../support/root";

const runner = path.join(root, "node_modules/jest/bin/jest.js");
const config = { testEnvironment: path.join(root, "test/support/mutantEnvironment.js"), testRegex: "it.js$" };

/** Runs tests for mutants 1, 2 and 3, each reached by all of them. Returns the outcomes, and the code's last mutant. */
function tryMutants(...tests: string[]) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "mutants-"));
  try {
    const [triedFile, activeFile] = [path.join(folder, "tried"), path.join(folder, "active")];
    const bodies = tests.map(
      (body, index) => `test("${index}", () => { const id = globalThis.activeMutant; ${body} });`,
    );
    fs.writeFileSync(path.join(folder, "it.js"), bodies.join("\n"));
    const names = tests.map((_, index) => String(index));
    fs.writeFileSync(triedFile, JSON.stringify(["1", "2", "3"].map((id) => ({ id, tests: names }))));
    const env = { ...process.env, TRIED_MUTANTS: triedFile, ACTIVE_MUTANT_FILE: activeFile };
    const { stderr } = spawnSync(process.execPath, [runner, "--rootDir", folder, "--config", JSON.stringify(config)], {
      env,
      encoding: "utf8",
    });
    expect(stderr).toContain("Ran all test suites");
    return [fs.readFileSync(`${triedFile}.outcomes`, "utf8"), fs.readFileSync(activeFile, "utf8")];
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

const fail = "throw new Error(id)";

test("a mutant is noticed if one test fails with it, and survives if none does", () => {
  const outcomes = "1 noticed\n3 noticed\n2 survives\n";
  expect(tryMutants(`if (id === "1") ${fail}`, `if (id === "1" || id === "3") ${fail}`)).toEqual([outcomes, ""]);
});

test("a test that then fails without a mutant, too, proves nothing, and neither do those after it", () => {
  const spoiling = `if (id === "1") globalThis.isSpoilt = true; else if (globalThis.isSpoilt) ${fail}`;
  expect(tryMutants(spoiling)).toEqual(["2 unsure\n", ""]);
});
