/** @type {import("jest").Config} */
module.exports = {
  testEnvironment: "node",
  // The Pulumi SDK keeps its state in a global object, and still uses it after a test file has ended.
  testEnvironmentOptions: { globalsCleanup: "off" },
  transform: { "\\.ts$": ["@swc/jest", { jsc: { target: "es2022", parser: { syntax: "typescript" } } }] },
};
