/** @type {import("jest").Config} */
module.exports = {
  testEnvironment: "node",
  transform: { "\\.ts$": ["@swc/jest", { jsc: { target: "es2022", parser: { syntax: "typescript" } }, module: { type: "commonjs" } }] },
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  modulePathIgnorePatterns: ["<rootDir>/.work/", "<rootDir>/dist/package.json"],
  watchPathIgnorePatterns: ["<rootDir>/.work/"],
};
