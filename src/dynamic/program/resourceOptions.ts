/** What a class passes on of the options: as hidden inputs, and as options that a definition needs. */

import type * as pulumi from "@pulumi/pulumi";
import type { Definition } from "../../definitions/definition";
import { hiddenInputs } from "../hiddenInputs";

/**
 * What the dynamic provider host evaluates to find the provider. Every state file contains this text: it names the
 * package, and nothing that could change with a version of the package, of Node or of Pulumi.
 */
export const providerText = (type: string) =>
  `exports.handler=()=>require("pulumi-tunnel-edge/host").provider("${type}")`;

/** The type of the resource whose provider this is. */
export const parseType = (text: unknown): string | undefined =>
  /require\("pulumi-tunnel-edge\/host"\)\.provider\("(\w+)"\)/.exec(String(text))?.[1];

type PassedOn = Pick<pulumi.CustomResourceOptions, "replaceOnChanges" | "customTimeouts" | "ignoreChanges">;

/** The hidden inputs that pass on the options of a resource. */
export const optionInputs = ({ replaceOnChanges, customTimeouts, ignoreChanges }: PassedOn): pulumi.Inputs => ({
  ...(replaceOnChanges && { [hiddenInputs.replaceOnChanges]: replaceOnChanges }),
  ...(customTimeouts && { [hiddenInputs.timeouts]: customTimeouts }),
  ...(ignoreChanges && { [hiddenInputs.ignoreChanges]: ignoreChanges }),
});

/** The outputs that are always secret. */
export function secretOutputs({ fields, computed }: Pick<Definition, "fields" | "computed">): string[] {
  const properties: Record<string, { secret?: boolean }> = { ...fields, ...computed };
  return Object.keys(properties).filter((name) => properties[name]!.secret);
}
