/** The settings of a command, which come from the environment only. */

import { savedSettingsHints } from "../../api/callError";
import { toSnakeCase } from "../../base/json";
import { configKey, readSettings, type Settings } from "../../base/settings";

const variableOf = (setting: string) => `TUNNEL_EDGE_${toSnakeCase(setting).toUpperCase()}`;

export function readEnvironment(env: NodeJS.ProcessEnv): Settings {
  const { settings, problems } = readSettings({}, env);
  if (problems.length === 0) return settings;
  const sentences = problems.map(({ setting, reason }) => {
    // Others name a variable already.
    if (!reason.startsWith(configKey(setting))) return reason;
    const variable = variableOf(setting);
    if (!env[variable]?.trim()) return `${variable} is not set. It selects the account.`;
    return reason.replace(/^\S+/, variable);
  });
  throw new Error(sentences.join("\n"));
}

/** A message of the provider for the command, which has neither a stack's configuration nor saved settings. */
export function nameVariables(message: string): string {
  return savedSettingsHints
    .reduce((rest, hint) => rest.replaceAll(` ${hint}`, ""), message)
    .replace(/\(tunnel-edge:apiKey, (\w+) or [^)]*\)/g, "($1)")
    .replace(/tunnel-edge:\w+ or (TUNNEL_EDGE_\w+)/g, "$1")
    .replace(/tunnel-edge:(\w+)/g, (_, setting: string) => variableOf(setting));
}
