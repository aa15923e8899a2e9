/** Random programs, with the plugin. */
import { testWithPlugin } from "./withPlugin";

testWithPlugin("fuzz/fuzz.full.test");
