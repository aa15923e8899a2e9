// Runs the tests in mocha, which loads the code once for all mutants. Jest loads it for each, which takes most of its time.
// The functions of jest that the tests use are made here of jest's own packages.
const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const { transformSync } = require("@swc/core");
const { expect } = require("expect");
const { bind } = require("jest-each");
const { ModuleMocker } = require("jest-mock");
const Mocha = require("mocha");
const { findAskedTests } = require("./askedTests.js");

/** The copy of the clone that has the mutants. */
const root = process.cwd();
const { name: packageName, exports: packageExports } = require(path.join(root, "package.json"));
const { transform } = require(path.join(root, "jest.config.js"));
const [, options] = Object.values(transform)[0];

Module._extensions[".ts"] = (module, filename) => {
  const { code } = transformSync(fs.readFileSync(filename, "utf8"), { ...options, filename });
  module._compile(code, filename);
};

// What tests load as users do is in dist, of which the tool sees nothing.
const sources = new Map(
  Object.entries(packageExports).map(([name, { default: file = "" }]) => [
    `${packageName}${name.slice(1)}`,
    path.join(root, file.replace("./dist", "src").replace(/js$/, "ts")),
  ]),
);
const resolveFilename = Module._resolveFilename;
Module._resolveFilename = (request, ...rest) => resolveFilename(sources.get(request) ?? request, ...rest);

// StrykerJS chooses tests by a pattern of all their titles, which takes seconds to match.
const { grep } = Mocha.prototype;
Mocha.prototype.grep = function ({ source }) {
  const titles = new Set(source.slice("(^".length, -"$)".length).replace(/\\(.)/g, "$1").split("$)|(^"));
  return grep.call(this, { test: (title) => titles.has(title) });
};

// The tests of each mutant run again in this process. So the first run, without a mutant, shows that they can.
const { run } = Mocha.prototype;
Mocha.prototype.run = function (onEnd) {
  Mocha.prototype.run = run;
  return this.run((failures) => (failures ? onEnd(failures) : this.run(onEnd)));
};

// Only `npm test` compares snapshots.
expect.extend({ toMatchSnapshot: () => ({ pass: true, message: () => "" }) });

const { describe, it: test } = globalThis;
const eachOf = (define, ...rest) => Object.assign(define, { each: bind(define, ...rest) });
eachOf(describe, false);
eachOf(test);
eachOf(test.skip);
const jest = new ModuleMocker(globalThis);
Object.assign(globalThis, { test, expect, jest, beforeAll: globalThis.before, afterAll: globalThis.after });

// Both providers have the same core, and one takes half of the time.
process.env.TESTED_PROVIDERS = "dynamic";

const tests = findAskedTests(root);
// The hooks of what tests share are hooks of them all.
for (const file of tests.flatMap(({ shared }) => shared)) require(file);
for (const { name, file } of tests) {
  describe(name, function () {
    // A mutant can let a test wait for ever.
    this.timeout(60_000);
    require(file);
  });
}
