// What mutate.mjs changes, and which tests it asks.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { root } from "../../lib/index.mjs";

/** Folders, and files. */
const mutated = [
  "src/base/",
  "src/api/",
  "src/definitions/",
  "src/core/",
  "src/commands/exposure/",
  "src/plugin/properties.ts",
];
const files = fs
  .readdirSync(path.join(root, "src"), { recursive: true })
  .map((name) => `src/${name}`)
  .filter((file) => file.endsWith(".ts") && mutated.some((start) => file.startsWith(start)))
  .sort();

export default {
  mutate: files,
  mutator: { excludedMutations: ["StringLiteral"] },
  // What a file computes when it is loaded reaches every test, so each such mutant would take as long as all tests.
  ignoreStatic: true,
  testRunner: "mocha",
  // Tests create much garbage.
  testRunnerNodeArgs: ["--max-semi-space-size=64"],
  plugins: ["@stryker-mutator/mocha-runner"],
  coverageAnalysis: "perTest",
  mochaOptions: { spec: ["scripts/test/mutation/jestInMocha.js"], "no-config": true, "no-package": true },
  // So long that only an endless loop takes longer, not a test on a busy machine.
  timeoutMS: 10_000,
  dryRunTimeoutMinutes: 30,
  // Some tests wait.
  concurrency: os.availableParallelism() + 1,
  ignorePatterns: ["dist", ".work", "docs", "bench"],
  tempDirName: ".work/mutation/sandbox",
  reporters: ["progress-append-only", "clear-text", "json"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: ".work/mutation/report.json" },
};
