/** What is ignored is not managed, with the plugin. */
import { testWithPlugin } from "./withPlugin";

testWithPlugin("dynamic/ignoreChanges.test");
