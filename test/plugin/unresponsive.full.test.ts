/** A service that does not respond, has a rate limit or is behind a gateway, with the plugin. */
import { testWithPlugin } from "./withPlugin";

testWithPlugin("faults/unresponsive.full.test", "faults/gateway.full.test", "faults/rateLimit.full.test");
