/** The environment of the tests for mutants. */
const Environment = require("../../../test/support/environment.js");
const { askedTests } = require("./askedTests.js");

module.exports = class extends Environment {
  hasFailed = false;

  constructor(config, context) {
    super(config, context);
    this.global.testNamePattern = config.globalConfig.testNamePattern;
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
