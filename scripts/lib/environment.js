// The environment of Pulumi's CLI in scripts, benchmarks and tests; tests cannot import an .mjs file.
const path = require("node:path");

/**
 * Isolates a stack from the user's Pulumi login, stacks and service: `home` is the folder of Pulumi's plugins, `state` that
 * of the stack, `searchPath` are the folders of PATH, and `service` has the address and the key of an emulator.
 */
exports.createEnvironment = ({ home, state, stack, searchPath, service, inherited = process.env }) => ({
  ...Object.fromEntries(Object.entries(inherited).filter(([name]) => !/^(PULUMI|TUNNEL_EDGE)_/.test(name))),
  PATH: searchPath.join(path.delimiter),
  PULUMI_HOME: home,
  PULUMI_BACKEND_URL: `file://${state}`,
  PULUMI_CONFIG_PASSPHRASE: "example",
  ...(stack && { PULUMI_STACK: stack }),
  PULUMI_SKIP_UPDATE_CHECK: "true",
  ...(service && { TUNNEL_EDGE_BASE_URL: service.url, TUNNEL_EDGE_API_KEY: service.apiKey }),
});
