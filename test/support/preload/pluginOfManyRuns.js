/** The plugin, in a process that serves one run of the CLI after another: it is configured again for each. */
const { PluginProvider } = require("../../../dist/plugin/pluginProvider");

const { configure } = PluginProvider.prototype;
PluginProvider.prototype.configure = function configureAgain(...args) {
  this.acceptsSettings = true;
  configure.apply(this, args);
};
require("../../../dist/plugin/main");
