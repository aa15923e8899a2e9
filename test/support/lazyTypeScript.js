/** The TypeScript compiler, loaded when it is used. */
module.exports = new Proxy(
  {},
  { get: (_, name) => name === "__esModule" || require("@pulumi/pulumi/typescript-shim.js")[name] },
);
