/** The TypeScript compiler, loaded when it is used. */
module.exports = require("./lazy.js")(() => require("@pulumi/pulumi/typescript-shim.js"));
