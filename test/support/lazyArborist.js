/** npm's Arborist, loaded when it is used. */
module.exports = new Proxy(
  {},
  { get: (_, name) => name === "__esModule" || require("@npmcli/arborist/lib/index.js")[name] },
);
