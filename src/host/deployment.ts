/** The deployment of a dynamic provider host: each host process serves one configuration. */

import { Clock } from "../clock";
import { Deployment } from "../core/deployment/deployment";
import type { Log, Subject } from "../core/log";
import { exitWithEngine } from "../engine/exitWithEngine";
import { type Entry, log } from "../engine/log";
import { printable } from "../redaction";
import { configKey, explicitProvider, readSettings, settingNames } from "../settings";
import { allValues, type HostConfig } from "./config";
import { hostEngine } from "./engine";

let deployment: Deployment | undefined;

export function hostDeployment(config: HostConfig): Deployment {
  if (!deployment) {
    const clock = new Clock();
    exitWithEngine(hostEngine, clock);
    const { settings, problems } = readSettings(allValues(config, [explicitProvider, ...settingNames.map(configKey)]));
    const hostLog: Log = {
      debug: (message, about) => void send("DEBUG", message, about),
      info: (message, about) => send("INFO", message, about),
      warn: (message, about) => send("WARNING", message, about),
      status: (message) => void log(hostEngine, { severity: "INFO", message, isStatus: true }),
    };
    deployment = new Deployment(settings, problems, hostLog, clock);
  }
  return deployment;
}

/** The engine shows the messages of a dynamic provider on the stack's row, so that they name their resource. */
function send(severity: Entry["severity"], message: string, about?: Subject): Promise<void> {
  const named = about?.resource ? `${about.resource}: ${message}` : message;
  return log(hostEngine, { severity, message: printable(named) });
}
