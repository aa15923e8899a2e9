// The tests that run in the process, as one file: they load the code once for each mutant, and not once for each file.

/** StrykerJS names the tests that reach a mutant, each in parentheses. The files of others need not be loaded. */
const wanted = globalThis.testNamePattern?.replace(/\\(.)/g, "$1") ?? "";
const tests = globalThis.askedTests.filter(({ name }) => wanted === "" || wanted.includes(`(${name} `));

// The hooks of what tests share are hooks of them all.
for (const file of tests.flatMap(({ shared }) => shared)) require(file);
for (const { name, file } of tests) {
  describe(name, () => {
    require(file);
  });
}
