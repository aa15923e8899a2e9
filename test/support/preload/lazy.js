// A module that is loaded when one of its exports is used. Its default export is the module itself, as in CommonJS.
module.exports = (load) =>
  new Proxy({}, { get: (_, name) => name === "__esModule" || (name === "default" ? load() : load()[name]) });
