// Preloaded into a process (node --require), hides a module from the package: `HIDE_MODULE=@grpc/grpc-js`.
const Module = require("node:module");
const path = require("node:path");

const dist = path.resolve(__dirname, "../../../dist") + path.sep;
const resolve = Module._resolveFilename;
Module._resolveFilename = (request, parent, ...rest) => {
  if (request !== process.env.HIDE_MODULE || !parent?.filename?.startsWith(dist))
    return resolve(request, parent, ...rest);
  throw Object.assign(new Error(`Cannot find module '${request}'`), { code: "MODULE_NOT_FOUND" });
};
