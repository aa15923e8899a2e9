/** The fault matrix, lost responses and killed processes, with the plugin. */
import { testWithPlugin } from "./withPlugin";

testWithPlugin(
  "faults/matrix.full.test",
  "faults/unresponsive.full.test",
  "faults/lostResponses.test",
  "faults/retries.test",
  "faults/consecutiveFaults.test",
  "faults/killed.test",
  "faults/killed.full.test",
);
