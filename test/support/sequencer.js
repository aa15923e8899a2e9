/**
 * The order of the test files: the longest first, so that no worker is idle at the end. jest knows how long a file took
 * in the last run. In a new clone it would start with the largest files, which are not the longest.
 */
const { default: Sequencer } = require("@jest/test-sequencer");

const longest = [
  "cli/java.full",
  "cli/go.full",
  "simulator/simulator.full",
  "cli/copies.full",
  "plugin/resources.full",
  "faults/matrix.full",
  "plugin/faults.full",
  "cli/gitops.full",
  "cli/projects.full",
  "cli/secretPlaces.full",
  "plugin/unresponsive.full",
  "cli/offline.full",
  "cli/examples.full",
  "cli/importer.full",
  "cli/options.full",
  "cli/installations.full",
  "faults/unresponsive.full",
  "cli/killedCli.full",
  "simulator/replay.full",
  "cli/pipeline.full",
  "core/hostportMoves.full",
  "cli/package.full",
  "cli/faults.full",
  "cli/killedHost.full",
  "cli/declared.full",
  "simulator/previews.full",
  "resources/input.full",
  "cli/start.full",
  "faults/gateway.full",
  "cli/gitopsYaml.full",
  "faults/rateLimit.full",
  "cli/sdks.full",
  "setup/setup.full",
  "cli/settings.full",
  "cli/plugin.full",
  "cli/kept.full",
  "emulator/dashboard.full",
  "dynamic/sdk.full",
  "cli/rehearsal.full",
  "cli/inventory.full",
  "cli/policy.full",
  "cli/edgeModules.full",
  "cli/moduleMoves.full",
  "cli/gateway.full",
  "cli/styles.full",
  "cli/refreshRepairs.full",
  "cli/command.full",
  "cli/page.full",
  "plugin/previews.full",
  "cli/processes.full",
  "holes/holes.full",
  "cli/hostports.full",
  "faults/killed.full",
  "cli/migration.full",
  "cli/forcedReplacement.full",
  "cli/killedProgram.full",
  "cli/secrets",
  "simulator/simulator",
  "cli/exposure",
  "resources/tunnelSessionCommand",
  "faults/lostResponses",
  "cli/tcpEdge",
  "cli/previews",
  "api/rate",
  "cli/settings",
  "simulator/exposure",
  "core/writes",
  "resources/httpsEdgeRouteOidc",
  "resources/tcpEdge",
  "plugin/differences",
  "cli/functions",
  "core/boundary",
  "resources/tlsEdge",
  "resources/tcpEdgeIpRestriction",
  "dynamic/sdk",
  "importer/import",
  "core/batchReader",
  "dynamic/engine",
  "dynamic/options",
  "core/conflicts",
  "api/client",
  "resources/input",
  "resources/sshCredential",
  "functions/calls",
  "core/secrets",
  "resources/apiKey",
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
