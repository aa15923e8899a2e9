/** @type {import("jest").Config} */
module.exports = {
  testEnvironment: "node",
  // Pulumi's SDK keeps its state in a global.
  testEnvironmentOptions: { globalsCleanup: "off" },
  transform: {
    "\\.ts$": [
      "@swc/jest",
      { jsc: { target: "es2022", parser: { syntax: "typescript" } }, module: { type: "commonjs" } },
    ],
  },
  // Processes are started and calls are waited for; how long that takes is the machine's affair.
  testTimeout: 120_000,
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  modulePathIgnorePatterns: ["<rootDir>/.work/", "<rootDir>/dist/package.json"],
  watchPathIgnorePatterns: ["<rootDir>/.work/"],
};
