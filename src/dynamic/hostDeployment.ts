/** The deployment of a dynamic provider host: each host process serves one configuration. */

import { Deployment } from "../core/deployment";
import type { Subject } from "../core/log";
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
      debug: (message, about) => void log("DEBUG", withName(message, about)),
      info: (message, about) => log("INFO", withName(message, about)),
      warn: (message, about) => log("WARNING", withName(message, about)),
      status: (message) => void log("INFO", message, true),
    });
  }
  return deployment;
}

/** The engine shows the messages of a dynamic provider on the stack's row, so that they name their resource. */
const withName = (message: string, about: Subject | undefined) => (about ? `${about.resource}: ${message}` : message);
