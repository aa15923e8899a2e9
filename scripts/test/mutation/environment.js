/** The environment of the tests for mutants. */
const { TestEnvironment } = require("jest-environment-node");
const { findAskedTests } = require("./askedTests.js");

/** Once for all mutants. */
let askedTests;

module.exports = class extends TestEnvironment {
  hasFailed = false;

  constructor(config, context) {
    super(config, context);
    this.global.testNamePattern = config.globalConfig.testNamePattern;
    // Of the copy of the clone that has the mutants.
    askedTests ??= findAskedTests(config.projectConfig.rootDir);
    this.global.askedTests = askedTests;
    // Both have the same core, and one takes half of the time.
    this.global.process.env.TESTED_PROVIDERS = "dynamic";
  }

  /** Skips what follows a test that fails: one is enough to notice a mutant. */
  handleTestEvent({ name, test }) {
    if (name === "test_done") this.hasFailed ||= test.errors.length > 0;
    if (name === "test_start" && this.hasFailed) test.mode = "skip";
  }
};
