/** What scripts/test/mutate.mjs makes of StrykerJS's report. */
import { spawnSync } from "node:child_process";
import { root } from "../support/root";

/** What an expression is that calls functions of the script. */
function evaluate(expression: string) {
  const program = `import * as script from "./scripts/test/mutate.mjs"; console.log(JSON.stringify(${expression}));`;
  const options = { cwd: root, encoding: "utf8" } as const;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], options);
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

const mutants = (counts: Record<string, number>) => ({
  mutants: Object.entries(counts).flatMap(([status, count]) => Array(count).fill({ status })),
});

test("a file needs the score that the table has for it, or 90 %", () => {
  const files = {
    "src/enough.ts": mutants({ Killed: 8, Timeout: 1, NoCoverage: 1, Ignored: 5, RuntimeError: 5 }),
    "src/low.ts": mutants({ Killed: 17, Survived: 2 }),
    "src/listed.ts": mutants({ Killed: 2, Survived: 1 }),
    "src/listedAndLow.ts": mutants({ Killed: 2, Survived: 1 }),
    "src/types.ts": mutants({}),
  };
  const thresholds = { "src/listed.ts": 66, "src/listedAndLow.ts": 67 };
  expect(evaluate(`script.findLowScores(${JSON.stringify({ files })}, ${JSON.stringify(thresholds)})`)).toEqual([
    "src/low.ts has a score of 89.47 %, and needs 90 %.",
    "src/listedAndLow.ts has a score of 66.67 %, and needs 67 %.",
  ]);
});
