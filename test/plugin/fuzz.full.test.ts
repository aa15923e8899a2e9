/** Random programs, and the property that no edge is unprotected between two requests, with the plugin. */
import { testWithPlugin } from "./withPlugin";

testWithPlugin("fuzz/fuzz.full.test", "fuzz/exposure.full.test");
