/** The deployment of a dynamic provider host: each host process serves one configuration. */

import { Clock } from "../../base/clock";
import { printable } from "../../base/redaction";
import { configKey, explicitProvider, readSettings, settingNames } from "../../base/settings";
import { type SharedRegister, unshared } from "../../base/sharedRegister";
import { Deployment } from "../../core/deployment/deployment";
import { warnOfUnknownOwners } from "../../core/execute/unknownOwners";
import { createLog } from "../../core/log";
import { exitWithEngine } from "../../engine/exitWithEngine";
import { log } from "../../engine/log";
import { RegisterFiles } from "../../engine/registerFiles";
import { allValues, type HostConfig } from "./config";
import { hostAddress, hostEngine } from "./hostEngine";

let deployment: Deployment | undefined;

export function hostDeployment(config: HostConfig): Deployment {
  if (!deployment) {
    const clock = new Clock();
    exitWithEngine(hostEngine, clock);
    const { settings, problems } = readSettings(allValues(config, [explicitProvider, ...settingNames.map(configKey)]));
    deployment = new Deployment(settings, problems, hostLog, clock, shareRegister());
  }
  return deployment;
}

/** The register of this process and of the others that have the same engine. There is no engine in tests. */
function shareRegister(): SharedRegister {
  if (!hostAddress) return unshared;
  const files = new RegisterFiles(hostAddress, (problem) => void deployment?.warn(warnOfUnknownOwners(problem)));
  // The engine interrupts a host at the end of a deployment.
  process.once("SIGINT", () => {
    files.close();
    process.kill(process.pid, "SIGINT");
  });
  return files;
}

/** The engine shows the messages of a dynamic provider on the stack's row, so that they name their resource. */
const hostLog = createLog((severity, message, about, isStatus) => {
  const named = about?.resource ? `${about.resource}: ${message}` : message;
  return log(hostEngine, { severity, message: printable(named), isStatus });
});
