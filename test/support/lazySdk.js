// Preloaded into a process (node --require), makes Pulumi's SDK start in a third of the time. It loads the TypeScript
// compiler and npm's Arborist for functions that it serializes, which no program here has, and the Automation API: they
// are loaded when they are used.
// The language host does not pass on the project's option `typescript: false`: it is set here.
const Module = require("node:module");
const path = require("node:path");
const lazy = require("./lazy.js");

/** The folder of the SDK: the one that useSdk.js uses, or the one whose script runs. */
const [, script = ""] = process.argv;
const folder = process.env.SDK ?? script.match(/^.*@pulumi[\\/]pulumi(?=[\\/]cmd[\\/])/)?.[0];
if (folder) {
  const requireFromSdk = Module.createRequire(path.join(folder, "package.json"));
  for (const name of ["./typescript-shim", "@npmcli/arborist", "./automation"]) {
    const filename = requireFromSdk.resolve(name);
    const load = () => {
      delete Module._cache[filename];
      return requireFromSdk(filename);
    };
    Module._cache[filename] = Object.assign(new Module(filename), { filename, exports: lazy(load), loaded: true });
  }
  if (process.argv.at(-1).endsWith(".js")) delete process.env.PULUMI_NODEJS_TYPESCRIPT;
}
