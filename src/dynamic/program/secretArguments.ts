/**
 * Which arguments the engine encrypts. It encrypts an output where the input has a secret at the same path, which a
 * response may not have: header names come back in other case. So an argument that contains a secret is passed as a
 * secret as a whole.
 */

import * as pulumi from "@pulumi/pulumi";
import type { Fields } from "../../definitions/fields/field";
import { isKnown } from "./sdk/knownOutputs";

export function markSecrets(args: pulumi.Inputs, fields: Fields): pulumi.Inputs {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      if (fields[name]?.secret && value !== undefined) return [name, pulumi.secret(value)];
      return [name, hasOutput(value) ? markWhole(value) : value];
    }),
  );
}

/** The names of the arguments that contain secrets, which the dynamic provider host cannot see. */
export function secretNames(args: pulumi.Inputs, fields: Fields): pulumi.Input<string | undefined> {
  const possible = Object.keys(args).filter((name) => fields[name] && !fields[name].secret && hasOutput(args[name]));
  if (possible.length === 0) return undefined;
  const secret = possible.map(async (name) => ((await pulumi.isSecret(pulumi.output(args[name]))) ? [name] : []));
  return Promise.all(secret).then((names) => names.flat().join(" ") || undefined);
}

/** A value of which a part is unknown stays as it is, or all of it would be unknown: a preview saves nothing. */
async function markWhole(value: unknown): Promise<unknown> {
  const whole = pulumi.output(value);
  return (await pulumi.isSecret(whole)) && (await isKnown(whole)) ? whole : value;
}

function hasOutput(value: unknown): boolean {
  if (typeof value !== "object" || value === null || pulumi.Resource.isInstance(value)) return false;
  return pulumi.Output.isInstance(value) || value instanceof Promise || Object.values(value).some(hasOutput);
}
