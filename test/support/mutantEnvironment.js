// The environment of tests while mutants are tried (scripts/simulatedMutants.mjs). After a failure it runs no other test.
// With REACHED_MUTANTS it says which test the code is reached by. With TRIED_MUTANTS it runs, for each mutant, the tests that
// reach it, until one fails: all in one process, so that what is loaded and started for one mutant serves the next.
const { appendFileSync, readFileSync, writeFileSync } = require("node:fs");
const Environment = require("./environment.js");

const { REACHED_MUTANTS: reachedFile, TRIED_MUTANTS: triedFile, ACTIVE_MUTANT_FILE: activeFile } = process.env;

const nameOf = ({ name, parent }) => (parent ? `${nameOf(parent)} ${name}`.trim() : "");

module.exports = class extends Environment {
  tried = triedFile ? JSON.parse(readFileSync(triedFile, "utf8")) : undefined;
  /** The mutant that each copy of a test tries. */
  mutantOf = new Map();
  /** The mutant that a test has failed with, by its next copies: one must pass without it, and one fail with it again. */
  failedWith = new Map();
  done = new Set();

  constructor(...args) {
    super(...args);
    if (activeFile) this.activate("");
  }

  async handleTestEvent({ name: event, test }, { rootDescribeBlock }) {
    if (event === "run_start" && this.tried) this.copyTests(rootDescribeBlock);
    if (event === "test_start") this.begin(test);
    if (event === "test_done") this.end(test);
    if (event === "run_finish" && this.tried) this.finish();
  }

  /** In place of each test, one for each mutant that it reaches. */
  copyTests(block) {
    block.children = block.children.flatMap((child) => {
      if (child.type === "describeBlock") {
        this.copyTests(child);
        return [child];
      }
      const reaching = this.tried.filter(({ tests }) => tests.includes(nameOf(child)));
      return reaching.map(({ id }) => {
        const copy = copyOf(child);
        this.mutantOf.set(copy, id);
        return copy;
      });
    });
  }

  begin(test) {
    this.nameReaching(nameOf(test));
    const id = this.mutantOf.get(test);
    // Something has failed before the test began.
    this.isOver ||= test.errors.length > 0;
    if (this.isOver || (this.done.has(id) && !this.failedWith.has(test))) test.mode = "skip";
    else if (this.tried) this.activate(id ?? "");
  }

  end(test) {
    this.nameReaching(null);
    const hasFailed = test.errors.length > 0;
    if (!this.tried) {
      this.isOver ||= hasFailed;
      return;
    }
    this.activate("");
    const [id, failedWith] = [this.mutantOf.get(test), this.failedWith.get(test)];
    if (failedWith !== undefined) {
      const isControl = id === undefined;
      // Otherwise an earlier mutant has left something behind.
      this.isOver = hasFailed === isControl;
      if (this.isOver) this.say(failedWith, "unsure");
      else if (!isControl) this.say(failedWith, "noticed");
    } else if (hasFailed) {
      this.done.add(id);
      const [control, again] = [copyOf(test), copyOf(test)];
      for (const copy of [control, again]) this.failedWith.set(copy, id);
      this.mutantOf.set(again, id);
      const { children } = test.parent;
      children.splice(children.indexOf(test) + 1, 0, control, again);
    }
  }

  /** Says which test is running, also to the processes that it starts. */
  nameReaching(name) {
    this.global.reachedBy = name;
    if (reachedFile) writeFileSync(`${reachedFile}.by`, JSON.stringify(name));
  }

  finish() {
    if (this.isOver) return;
    for (const { id } of this.tried) if (!this.done.has(id)) this.say(id, "survives");
  }

  say = (id, outcome) => appendFileSync(`${triedFile}.outcomes`, `${id} ${outcome}\n`);

  activate(id) {
    this.global.activeMutant = id;
    writeFileSync(activeFile, id);
  }
};

const copyOf = (test) => ({
  ...test,
  errors: [],
  invocations: 0,
  retryReasons: [],
  seenDone: false,
  startedAt: null,
  status: null,
  unhandledRejectionErrorByPromise: new Map(),
});
