/** The recorded previews, with the plugin: `npm run record` records them. */
process.env["TESTED_PROVIDER"] = "plugin";
require("../cli/previews.test");
