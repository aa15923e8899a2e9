/** A service that does not respond, with the plugin. */
import { testWithPlugin } from "./withPlugin";

testWithPlugin("faults/unresponsive.nightly.test");
