/**
 * What is unset is not in the state, and in a preview the SDK takes a missing output for an unknown one. Where the
 * state is known, which says what is managed, a missing output is unset: a list is empty, and all else is undefined.
 */

import * as pulumi from "@pulumi/pulumi";
import { managedKey } from "../core/state";
import type { Fields, Value } from "../definitions/fields";
import { isKnown } from "./knownOutputs";

export function resolveUnsetOutputs(resource: object, names: string[], fields: Fields): void {
  const { [managedKey]: state, ...outputs } = resource as Record<string, pulumi.Output<Value>>;
  delete (resource as Record<string, unknown>)[managedKey];
  for (const name of names) {
    const output = outputs[name]!;
    const { toOutput = (value: Value) => value ?? undefined } = fields[name] ?? {};
    let resolved: pulumi.Output<unknown> | undefined;
    const resolve = async () => {
      if (await isKnown(output)) return output.apply(toOutput);
      return (await isKnown(state!)) ? toOutput(undefined) : output;
    };
    // Most outputs are never used, and each costs the program a handful of promises.
    const get = () => {
      resolved ??= pulumi.output(resolve());
      return resolved;
    };
    Object.defineProperty(resource, name, { get, enumerable: true, configurable: true });
  }
}
