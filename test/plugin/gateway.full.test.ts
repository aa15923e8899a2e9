/** A service behind a gateway, with the plugin. */
import { testWithPlugin } from "./withPlugin";

testWithPlugin("faults/gateway.full.test");
