// A module that is loaded when something of it is used.
module.exports = (load) =>
  new Proxy({}, { get: (_, name) => name === "__esModule" || (name === "default" ? load() : load()[name]) });
