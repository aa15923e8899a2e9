/** npm's Arborist, loaded when it is used. */
module.exports = require("./lazy.js")(() => require("@npmcli/arborist/lib/index.js"));
