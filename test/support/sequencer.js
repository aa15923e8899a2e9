/**
 * The longest test files first, so that no worker is idle at the end. jest's cache has how long each took. Without it,
 * jest takes a short file for a quick one, which these are not.
 */
const { default: Sequencer } = require("@jest/test-sequencer");

const longest = ["cli/java.nightly", "cli/go.nightly", "simulator/simulator.full"];
const isLongest = ({ path }) => longest.some((name) => path.endsWith(`/${name}.test.ts`));

module.exports = class extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => isLongest(b) - isLongest(a));
  }
};
