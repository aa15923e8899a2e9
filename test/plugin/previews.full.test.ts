/** The recorded previews, with the plugin: `npm run record` records them. */
import { testWithPlugin } from "./withPlugin";

testWithPlugin("cli/previews.test");
