/**
 * A function that is cancelled with its inline run fails, perhaps after the SDK has stopped listening for rejections:
 * if nobody awaits it, Node would end the user's process. Other rejections end it as before.
 */

/** One set and one listener for all copies of this package in a process. */
const key = Symbol.for("pulumi-tunnel-edge.cancelledCalls");

/** Keeps Node from ending the process if nobody handles this error. */
export function allowUnhandled<E extends Error>(error: E): E {
  const shared = globalThis as { [key]?: WeakSet<object> };
  if (!shared[key]) {
    shared[key] = new WeakSet();
    process.on("unhandledRejection", throwOthers);
  }
  shared[key].add(error);
  return error;
}

function throwOthers(reason: unknown): void {
  const isCancelled = reason instanceof Error && (globalThis as { [key]?: WeakSet<object> })[key]?.has(reason);
  // Node throws what nobody listens for.
  if (!isCancelled && process.listenerCount("unhandledRejection") === 1) throw reason;
}
