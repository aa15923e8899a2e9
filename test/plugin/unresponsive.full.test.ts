/** A service that does not respond, or is behind a gateway, with the plugin. */
import { testWithPlugin } from "./withPlugin";

testWithPlugin("faults/unresponsive.full.test", "faults/gateway.full.test");
