/** The fault matrix and killed processes, with the plugin. */
import { testWithPlugin } from "./withPlugin";

testWithPlugin(
  "faults/matrix.full.test",
  "faults/unresponsive.full.test",
  "faults/killed.test",
  "faults/killed.full.test",
);
