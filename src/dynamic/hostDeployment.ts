/** The deployment of a dynamic provider host: each host process serves one configuration. */

import { Deployment } from "../core/deployment";
import { configKey, explicitProvider, readSettings, settingNames } from "../settings";
import { log } from "./engineLog";
import { exitWithEngine } from "./exitWithEngine";
import { allValues, type HostConfig } from "./hostConfig";

let deployment: Deployment | undefined;

export function hostDeployment(config: HostConfig): Deployment {
  if (!deployment) {
    exitWithEngine();
    const { settings, problems } = readSettings(allValues(config, [explicitProvider, ...settingNames.map(configKey)]));
    deployment = new Deployment(settings, problems, {
      debug: (message) => void log("DEBUG", message),
      info: (message) => log("INFO", message),
      warn: (message) => log("WARNING", message),
      status: (message) => void log("INFO", message, true),
    });
  }
  return deployment;
}
