/**
 * Whether an Output is known, and its value, from `isKnown` and `promise()`, which the SDK's types leave out. Without
 * them an Output counts as known, and its value is waited for with `apply`.
 */

import type * as pulumi from "@pulumi/pulumi";

interface InnerOutput<T> {
  isKnown?: Promise<boolean>;
  promise?(): Promise<T>;
}

export const isKnown = async (output: pulumi.Output<unknown>): Promise<boolean> =>
  (await (output as InnerOutput<unknown>).isKnown) ?? true;

export function promiseOf<T>(output: pulumi.Output<T>): Promise<T> {
  const { promise } = output as InnerOutput<T>;
  return promise ? promise.call(output) : new Promise((resolve) => output.apply(resolve as never));
}
