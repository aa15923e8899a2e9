/**
 * The order of the test files: the longest first, so that no worker is idle at the end. jest knows how long a file took
 * in the last run. In a new clone it would start with the largest files, which are not the longest.
 */
const { default: Sequencer } = require("@jest/test-sequencer");

const longest = [
  "cli/java.full",
  "cli/go.full",
  "simulator/simulator.full",
  "plugin/faults.full",
  "faults/unresponsive.full",
  "plugin/resources.full",
  "plugin/unresponsive.full",
  "cli/killedCli.full",
  "cli/copies.full",
  "cli/projects.full",
  "faults/matrix.full",
  "cli/killedHost.full",
  "cli/gitops.full",
  "core/hostportMoves.full",
  "cli/settings.full",
  "cli/plugin.full",
  "cli/installations.full",
  "cli/kept.full",
  "cli/options.full",
  "cli/faults.full",
  "emulator/dashboard.full",
  "simulator/previews.full",
  "dynamic/sdk.full",
  "cli/sdks.full",
  "cli/examples.full",
  "cli/rehearsal.full",
  "cli/secretPlaces.full",
  "cli/pipeline.full",
  "cli/importer.full",
  "cli/offline.full",
  "cli/start.full",
  "cli/inventory.full",
  "cli/policy.full",
  "faults/rateLimit.full",
  "resources/input.full",
  "faults/gateway.full",
  "cli/edgeModules.full",
  "cli/moduleMoves.full",
  "cli/package.full",
  "cli/gateway.full",
  "cli/styles.full",
  "cli/refreshRepairs.full",
  "cli/gitopsYaml.full",
  "cli/command.full",
  "cli/page.full",
  "setup/setup.full",
  "plugin/previews.full",
  "simulator/replay.full",
  "cli/declared.full",
  "cli/processes.full",
  "holes/holes.full",
  "cli/hostports.full",
  "faults/killed.full",
  "cli/migration.full",
  "cli/forcedReplacement.full",
  "cli/killedProgram.full",
  "faults/lostResponses",
  "core/boundary",
  "resources/input",
  "resources/sshCredential",
  "functions/calls",
  "resources/tlsEdge",
  "core/batchReader",
  "core/secrets",
  "resources/tcpEdge",
  "cli/secrets",
  "cli/tcpEdge",
  "api/client",
  "resources/apiKey",
  "cli/settings",
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
