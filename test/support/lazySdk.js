// Preloaded into a process (node --require), makes Pulumi's SDK start in a third of the time. It loads the TypeScript
// compiler and npm's Arborist for functions that it serializes, which no program here has, the Automation API, and
// OpenTelemetry: they are loaded when they are used. Its stack traces are those of its JavaScript, without source maps.
// The language host does not pass on the project's option `typescript: false`: it is set here.
const Module = require("node:module");
const path = require("node:path");
const lazy = require("./lazy.js");

const unusedModules = [
  "./typescript-shim",
  "@npmcli/arborist",
  "normalize-package-data",
  "./automation",
  "@opentelemetry/exporter-zipkin",
  "@opentelemetry/instrumentation",
  "@opentelemetry/instrumentation-grpc",
  "@opentelemetry/resources",
  "@opentelemetry/sdk-trace-base",
  "@opentelemetry/sdk-trace-node",
];

/** The folder of the SDK: the one that useSdk.js uses, or the one whose script runs. */
const [, script = ""] = process.argv;
const folder = process.env.SDK ?? script.match(/^.*@pulumi[\\/]pulumi(?=[\\/]cmd[\\/])/)?.[0];
if (folder) {
  const requireFromSdk = Module.createRequire(path.join(folder, "package.json"));
  const replace = (filename, exports) => {
    Module._cache[filename] = Object.assign(new Module(filename), { filename, exports, loaded: true });
  };
  for (const name of unusedModules) {
    const filename = requireFromSdk.resolve(name);
    const load = () => {
      delete Module._cache[filename];
      return requireFromSdk(filename);
    };
    replace(filename, lazy(load));
  }
  replace(requireFromSdk.resolve("source-map-support/register"), {});
  if (process.argv.at(-1).endsWith(".js")) delete process.env.PULUMI_NODEJS_TYPESCRIPT;
}
