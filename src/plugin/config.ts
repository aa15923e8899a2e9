/** The provider's settings: from its inputs, then from the environment. */

import { equal, type JsonObject } from "../base/json";
import { Redaction } from "../base/redaction";
import {
  configKey,
  describeUnknownArgument,
  explicitMark,
  explicitProvider,
  isOwnAddress,
  isSecretSetting,
  readSettings,
  settingNames,
} from "../base/settings";
import { hasUnknown } from "../core/unknown";
import { parseUrn } from "./urn";

/** What the engine adds to the inputs of every provider. */
const engineInputs = new Set(["version", "pluginDownloadURL", "pluginChecksums"]);

/**
 * The engine's own providers are named `default`, or `default_` and a version, and that of `pulumi do` has no name. All
 * others are the program's, and so is one without a URN, as older engines configure it.
 */
const isExplicit = (urn: string) => urn === "" || !/^(default(_|$)|$)/.test(parseUrn(urn).name);

export const secretSettings: string[] = settingNames.filter(isSecretSetting);

/** The settings of the provider with these inputs, and what is wrong with them. */
export function readConfig(urn: string, inputs: JsonObject) {
  const names = isExplicit(urn) ? settingNames : Object.keys(inputs);
  const config = Object.fromEntries(names.map((name) => [configKey(name), inputs[name]]));
  if (!isExplicit(urn)) return readSettings(config);
  const { baseUrl } = inputs;
  const hasOwnAddress = typeof baseUrl === "string" && baseUrl !== "" && isOwnAddress(baseUrl, undefined);
  return readSettings({ ...config, [explicitProvider]: explicitMark(hasOwnAddress) });
}

/** What is wrong with a provider's inputs, as far as they are known. */
export function findConfigProblems(urn: string, inputs: JsonObject): string[] {
  const { settings, problems } = readConfig(urn, inputs);
  const unknown = Object.keys(inputs).filter((name) => hasUnknown(inputs[name]));
  const reasons = problems.filter(({ setting }) => !unknown.includes(setting)).map(({ reason }) => reason);
  const all = isExplicit(urn) ? [...unknownArguments(inputs), ...reasons] : reasons;
  return all.map(new Redaction(settings).format);
}

/** An explicit provider's inputs are its arguments; those of a default provider may be a project's own configuration. */
function unknownArguments(inputs: JsonObject): string[] {
  const names: string[] = settingNames;
  return Object.keys(inputs)
    .filter((name) => !names.includes(name) && !engineInputs.has(name) && !name.startsWith("__"))
    .map(describeUnknownArgument);
}

/** The settings that differ. */
export const changedSettings = (olds: JsonObject, news: JsonObject): string[] =>
  settingNames.filter((name) => hasUnknown(news[name]) || !equal(olds[name], news[name]));
