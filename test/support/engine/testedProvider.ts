/** The provider that the tests of a file run with: those of test/plugin/ run the tests of others with the plugin. */
export const testedProvider = () => (process.env["TESTED_PROVIDER"] === "plugin" ? "plugin" : "dynamic");
