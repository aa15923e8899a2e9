// The environment of Pulumi's CLI in the scripts.
import path from "node:path";

/** Isolates a stack from the user's Pulumi login, stacks and service. */
export const createEnvironment = (home, stack, searchPath, { url, apiKey }) => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PULUMI|TUNNEL_EDGE)_/.test(name))),
  PATH: searchPath.join(path.delimiter),
  PULUMI_HOME: path.join(home, "pulumi"),
  PULUMI_BACKEND_URL: `file://${path.join(home, "state")}`,
  PULUMI_CONFIG_PASSPHRASE: "example",
  PULUMI_STACK: stack,
  PULUMI_SKIP_UPDATE_CHECK: "true",
  TUNNEL_EDGE_BASE_URL: url,
  TUNNEL_EDGE_API_KEY: apiKey,
});
