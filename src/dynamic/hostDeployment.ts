/** The deployment of a dynamic provider host: each host process serves one configuration. */

import { Deployment } from "../core/deployment";
import { configKey, explicitProvider, readSettings, settingNames } from "../settings";
import { exitWithEngine, log } from "./engine";

/** The configuration that the dynamic provider host gives to `configure`. */
export interface HostConfig {
  get(key: string): unknown;
  /** All of it, which the SDK's types leave out: needed only to find misspelled keys. */
  rawConfig?: Record<string, unknown>;
}

let deployment: Deployment | undefined;

export function hostDeployment(config: HostConfig): Deployment {
  if (!deployment) {
    exitWithEngine();
    const known = [explicitProvider, ...settingNames.map(configKey)].map((key) => [key, config.get(key)]);
    const { settings, problems } = readSettings({ ...config.rawConfig, ...Object.fromEntries(known) });
    deployment = new Deployment(settings, problems, {
      debug: (message) => void log("DEBUG", message),
      info: (message) => log("INFO", message),
      warn: (message) => log("WARNING", message),
      status: (message) => void log("INFO", message, true),
    });
  }
  return deployment;
}
