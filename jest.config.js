/** @type {import("jest").Config} */
module.exports = {
  // Pulumi's SDK keeps its state in a global.
  testEnvironmentOptions: { globalsCleanup: "off" },
  transform: {
    "\\.ts$": [
      "@swc/jest",
      { jsc: { target: "es2022", parser: { syntax: "typescript" } }, module: { type: "commonjs" } },
    ],
  },
  // Pulumi's SDK loads the TypeScript compiler and npm's Arborist for functions that it serializes. No test has any, so
  // they are loaded when they are used, which halves the time in which a test file loads the SDK.
  moduleNameMapper: {
    "/typescript-shim$": "<rootDir>/test/support/preload/lazyTypeScript.js",
    "^@npmcli/arborist$": "<rootDir>/test/support/preload/lazyArborist.js",
  },
  reporters: ["default", "<rootDir>/test/support/skipReporter.js"],
  testSequencer: "<rootDir>/test/support/sequencer.js",
  // Processes are started and calls are waited for; how long that takes is the machine's affair.
  testTimeout: 120_000,
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  modulePathIgnorePatterns: ["<rootDir>/.work/", "<rootDir>/dist/package.json"],
  watchPathIgnorePatterns: ["<rootDir>/.work/"],
};
