/** The recorded previews, with the plugin: `npm run test:full -- test/plugin/previews -u` records them again. */
import { testWithPlugin } from "./withPlugin";

testWithPlugin("cli/previews.test");
