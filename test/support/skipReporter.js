// A jest reporter that prints, after the results, why tests were skipped.

/** Comes before the reason in the title of a skipped test. */
const skipMark = ", skipped: ";

module.exports = class {
  static skipMark = skipMark;

  onRunComplete(_, { testResults }) {
    const counts = new Map();
    for (const { status, title } of testResults.flatMap((file) => file.testResults)) {
      const [, reason] = status === "pending" ? title.split(skipMark) : [];
      if (reason) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
    for (const [reason, count] of counts) {
      process.stderr.write(`Skipped ${count} ${count === 1 ? "test" : "tests"}: ${reason}\n`);
    }
  }
};
