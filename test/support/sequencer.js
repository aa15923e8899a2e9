/**
 * The order of the test files: the longest first, so that no worker is idle at the end. jest knows how long a file took
 * in the last run. In a new clone it would start with the largest files, which are not the longest.
 */
const { default: Sequencer } = require("@jest/test-sequencer");

const longest = [
  "faults/unresponsive.full",
  "cli/killedHost.full",
  "faults/matrix.full",
  "cli/examples.full",
  "cli/killedCli.full",
  "cli/options.full",
  "cli/copies.full",
  "cli/installations.full",
  "cli/projects.full",
  "fuzz/fuzz.full",
  "cli/faults.full",
  "faults/rateLimit.full",
  "cli/package.full",
  "cli/start.full",
  "cli/importer.full",
  "dynamic/sdk.full",
  "resources/input.full",
  "cli/settings.full",
  "fuzz/exposure.full",
  "setup/setup.full",
  "cli/gitops.full",
  "faults/lostResponses",
  "cli/previews",
  "cli/tcpEdge",
  "cli/secrets",
  "cli/functions",
  "cli/everything",
  "resources/tlsEdge",
  "resources/tunnelSessionCommand",
  "api/client",
];
const rank = ({ path }) => {
  const index = longest.findIndex((name) => path.endsWith(`/${name}.test.ts`));
  return index < 0 ? longest.length : index;
};

module.exports = class extends Sequencer {
  static longest = longest;

  sort(tests) {
    const sorted = super.sort(tests);
    const isFirstRun = tests.every((test) => test.duration === undefined);
    return isFirstRun ? sorted.sort((a, b) => rank(a) - rank(b)) : sorted;
  }
};
