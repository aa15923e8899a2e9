/**
 * Node warns of a failed promise that is handled only after it was reported, as where a resource uses the Output of a
 * function that has failed. The error has ended the program by then, and the warning would only hide it.
 */

const reported = new WeakSet<object>();

/** Keeps Node from warning of promises that fail with this error; of all others it warns as before. */
export function skipLateWarning<E extends Error>(error: E): E {
  if (!process.listeners("rejectionHandled").includes(warnOfOthers)) process.on("rejectionHandled", warnOfOthers);
  reported.add(error);
  return error;
}

function warnOfOthers(promise: Promise<unknown>): void {
  promise.catch((error: unknown) => {
    if (error instanceof Error && reported.has(error)) return;
    process.emitWarning("Promise rejection was handled asynchronously", "PromiseRejectionHandledWarning");
  });
}
