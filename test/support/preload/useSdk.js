// Preloaded into a process (node --require), makes `@pulumi/pulumi` the SDK in the folder `SDK`, whoever requires it.
const Module = require("node:module");
const path = require("node:path");

const name = "@pulumi/pulumi";
const resolve = Module._resolveFilename;
Module._resolveFilename = (request, ...rest) => {
  if (request !== name && !request.startsWith(`${name}/`)) return resolve(request, ...rest);
  return resolve(path.join(process.env.SDK, request.slice(name.length)), ...rest);
};
