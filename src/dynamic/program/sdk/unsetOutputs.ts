/**
 * Unset values are not in the state, and in a preview the SDK takes a missing output for an unknown one. If the state is
 * known, a missing output is unset: a list is empty, and any other is undefined.
 * The engine marks secrets, but mocks do not, so they are marked here too.
 */

import * as pulumi from "@pulumi/pulumi";
import { managedKey } from "../../../core/state";
import type { Field, Value } from "../../../definitions/fields/field";
import { isKnown } from "./knownOutputs";

/** What an output needs to know of its field. */
export type OutputField = Pick<Field, "toOutput" | "secret">;

export function resolveUnsetOutputs(resource: object, properties: Record<string, OutputField>): void {
  const { [managedKey]: state, ...outputs } = resource as Record<string, pulumi.Output<Value>>;
  delete (resource as Record<string, unknown>)[managedKey];
  for (const [name, { secret, toOutput = (value: Value) => value ?? undefined }] of Object.entries(properties)) {
    const output = outputs[name]!;
    const convert = (value: Value) => {
      const converted = toOutput(value);
      return secret && converted !== undefined ? pulumi.secret(converted) : converted;
    };
    let resolved: pulumi.Output<unknown> | undefined;
    const resolve = async () => {
      if (await isKnown(output)) return output.apply(convert);
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
