/**
 * The engine does not know of functions that run in the program: the SDK's own `rpcKeepAlive` makes it wait for them.
 * Without it, the deployment may end before the program has continued after such a function.
 */

import * as pulumi from "@pulumi/pulumi";

/** Keeps the deployment open until whoever awaits the result has continued. */
export function keepAlive(): () => void {
  const done = pulumi.runtime.rpcKeepAlive?.();
  return () => void setImmediate(() => done?.());
}
