// What mutate.mjs changes, and which tests it asks.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import jestConfig from "../../../jest.config.js";
import { manifest, root } from "../../lib/index.mjs";

/** What tests load as users do is in dist, of which the tool sees nothing. */
const sources = Object.entries(manifest.exports)
  .filter(([, { default: file }]) => file)
  .map(([name, { default: file }]) => [
    `^${manifest.name}${name.slice(1)}$`,
    file.replace("./dist", "<rootDir>/src").replace(/js$/, "ts"),
  ]);

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
  testRunner: "jest",
  // Tests create much garbage.
  testRunnerNodeArgs: ["--max-semi-space-size=64"],
  plugins: ["@stryker-mutator/jest-runner"],
  coverageAnalysis: "perTest",
  jest: {
    enableFindRelatedTests: false,
    config: {
      roots: ["src", "test", "scripts/test/mutation"].map((folder) => `<rootDir>/${folder}`),
      testMatch: ["<rootDir>/scripts/test/mutation/inProcess.js"],
      // The tool does not know <rootDir> there.
      testEnvironment: path.join(root, "scripts/test/mutation/environment.js"),
      moduleNameMapper: { ...jestConfig.moduleNameMapper, ...Object.fromEntries(sources) },
    },
  },
  // So long that only an endless loop takes longer, not a test on a busy machine.
  timeoutMS: 30_000,
  dryRunTimeoutMinutes: 30,
  // Some tests wait.
  concurrency: os.availableParallelism() + 1,
  ignorePatterns: ["dist", ".work", "docs", "bench"],
  tempDirName: ".work/mutation/sandbox",
  reporters: ["progress-append-only", "clear-text", "json"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: ".work/mutation/report.json" },
};
