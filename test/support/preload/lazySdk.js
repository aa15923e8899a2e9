// Preloaded into a process (node --require), makes Pulumi's SDK start faster. What it loads at its start and the programs
// here do not use is loaded on first use: TypeScript, Arborist and normalize-package-data (to serialize functions), the
// Automation API and OpenTelemetry. Stack traces have no source maps.
// The language host does not pass on the project's option `typescript: false`: it is set here.
const Module = require("node:module");
const path = require("node:path");
const lazy = require("./lazy.js");

const lazyModules = [
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
  /** The file of a module, unless this SDK does not have it. */
  const findModule = (name) => {
    try {
      return requireFromSdk.resolve(name);
    } catch {
      return undefined;
    }
  };
  const replace = (filename, exports) => {
    Module._cache[filename] = Object.assign(new Module(filename), { filename, exports, loaded: true });
  };
  for (const name of lazyModules) {
    const filename = findModule(name);
    if (!filename) continue;
    const load = () => {
      delete Module._cache[filename];
      return requireFromSdk(filename);
    };
    replace(filename, lazy(load));
  }
  const sourceMaps = findModule("source-map-support/register");
  if (sourceMaps) replace(sourceMaps, {});
  if (process.argv.at(-1).endsWith(".js")) delete process.env.PULUMI_NODEJS_TYPESCRIPT;
}
