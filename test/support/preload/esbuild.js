// Preloaded into a process (node --require), lets Pulumi's SDK of this clone run TypeScript with esbuild. With ts-node it
// would load the compiler. Types are not checked.
const { readFileSync } = require("node:fs");
const Module = require("node:module");

const transpile = (filename) => {
  const { transformSync } = require("esbuild");
  const options = { loader: "ts", format: "cjs", target: "es2022", sourcefile: filename };
  return transformSync(readFileSync(filename, "utf8"), options).code;
};

/** Replaces both ts-node and the compiler. */
module.exports = {
  version: "0.0.0",
  register() {
    require.extensions[".ts"] = (module, filename) => module._compile(transpile(filename), filename);
  },
};

const filename = require.resolve("@pulumi/pulumi/tsutils.js");
const replacement = {
  loadTypeScriptCompilerOptions: () => ({}),
  typeScriptRequireStrings: () => ({ typescriptRequire: __filename, tsnodeRequire: __filename }),
};
require.cache[filename] = Object.assign(new Module(filename), { filename, exports: replacement, loaded: true });
