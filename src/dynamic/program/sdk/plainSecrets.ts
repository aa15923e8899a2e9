/**
 * Warns of secret settings that are in plain text in the stack's configuration. Which ones are encrypted is known from
 * `isConfigSecret`, which the SDK's types leave out. Without it there is no warning.
 */

import * as pulumi from "@pulumi/pulumi";
import { configKey, isSecretSetting, settingNames } from "../../../base/settings";
import { isMocked } from "./mocks";

let isChecked = false;

/** Warns once, in a preview. */
export function warnOfPlainSecrets(): void {
  if (isChecked || !pulumi.runtime.isDryRun() || isMocked()) return;
  isChecked = true;
  const { isConfigSecret = () => true } = pulumi.runtime as { isConfigSecret?(key: string): boolean };
  const config = pulumi.runtime.allConfig();
  for (const key of settingNames.filter(isSecretSetting).map(configKey)) {
    if (!config[key] || isConfigSecret(key)) continue;
    void pulumi.log.warn(
      `${key} is set without --secret, so it is in plain text in the stack's configuration and in the state. Run ` +
        `\`pulumi config set --secret ${key}\`.`,
    );
  }
}
