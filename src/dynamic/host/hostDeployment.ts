/**
 * The deployment of a dynamic provider host: each host process serves one configuration. It reaches the engine with the
 * SDK's own protocol stubs and gRPC library, wherever the package manager has put it: the SDK's `log` functions do not
 * work in the host. Its configuration has a property that the SDK's types leave out, with all keys: without it,
 * misspelled keys are ignored.
 */

import { Clock } from "../../base/clock";
import { printable } from "../../base/redaction";
import { configKey, explicitProvider, readSettings, settingNames } from "../../base/settings";
import { Deployment } from "../../core/deployment/deployment";
import { createLog } from "../../core/log";
import { ClaimsFile } from "../../engine/claimsFile";
import { Engine } from "../../engine/engine";
import { exitWithEngine } from "../../engine/exitWithEngine";
import { log } from "../../engine/log";

/** The configuration that the dynamic provider host gives to `configure`. */
export interface HostConfig {
  get(key: string): unknown;
  rawConfig?: Record<string, unknown>;
}

const sdkLibraries = () => ({
  grpc: require(require.resolve("@grpc/grpc-js", { paths: [require.resolve("@pulumi/pulumi")] })),
  ...require("@pulumi/pulumi/proto/engine_grpc_pb"),
  ...require("@pulumi/pulumi/proto/engine_pb"),
});

/** The engine's address is the host's last argument. */
const engineAddress = process.argv.slice(2).at(-1);
const engine = new Engine(engineAddress, sdkLibraries);

let deployment: Deployment | undefined;

export function hostDeployment(config: HostConfig): Deployment {
  if (!deployment) {
    const clock = new Clock();
    exitWithEngine(engine, clock);
    const { settings, problems } = readSettings(allValues(config, [explicitProvider, ...settingNames.map(configKey)]));
    deployment = new Deployment(settings, problems, hostLog, clock, openClaims());
  }
  return deployment;
}

/** The claims of this process and of the others that have the same engine. There is no engine in tests. */
function openClaims(): ClaimsFile | undefined {
  if (!engineAddress) return undefined;
  const file = new ClaimsFile(engineAddress);
  // The engine interrupts a host at the end of a deployment.
  process.once("SIGINT", () => {
    file.end();
    process.kill(process.pid, "SIGINT");
  });
  return file;
}

/** The engine shows the messages of a dynamic provider on the stack's row, so that they name their resource. */
const hostLog = createLog((severity, message, about, isStatus) => {
  const named = about?.resource ? `${about.resource}: ${message}` : message;
  return log(engine, { severity, message: printable(named), isStatus });
});

/** All values, of which at least the known keys are present. */
export function allValues(config: HostConfig, knownKeys: string[]): Record<string, unknown> {
  return { ...config.rawConfig, ...Object.fromEntries(knownKeys.map((key) => [key, config.get(key)])) };
}
