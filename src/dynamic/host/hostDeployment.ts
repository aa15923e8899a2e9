/** The deployment of a dynamic provider host: each host process serves one configuration. */

import { Clock } from "../../base/clock";
import { printable } from "../../base/redaction";
import { configKey, explicitProvider, readSettings, settingNames } from "../../base/settings";
import { Deployment } from "../../core/deployment/deployment";
import { createLog } from "../../core/log";
import { ClaimsFile } from "../../engine/claimsFile";
import { exitWithEngine } from "../../engine/exitWithEngine";
import { log } from "../../engine/log";
import { allValues, type HostConfig } from "./config";
import { hostAddress, hostEngine } from "./hostEngine";

let deployment: Deployment | undefined;

export function hostDeployment(config: HostConfig): Deployment {
  if (!deployment) {
    const clock = new Clock();
    exitWithEngine(hostEngine, clock);
    const { settings, problems } = readSettings(allValues(config, [explicitProvider, ...settingNames.map(configKey)]));
    deployment = new Deployment(settings, problems, hostLog, clock, openClaims());
  }
  return deployment;
}

/** The claims of this process and of the others that have the same engine. There is no engine in tests. */
function openClaims(): ClaimsFile | undefined {
  if (!hostAddress) return undefined;
  const file = new ClaimsFile(hostAddress);
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
  return log(hostEngine, { severity, message: printable(named), isStatus });
});
