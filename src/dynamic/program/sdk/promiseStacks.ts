/**
 * While a resource is registered, the SDK formats a stack for every promise it makes, only to name those that never
 * resolve. Without this, creating 400 edges takes a sixth more processor time, in all processes. These stacks stay
 * empty; if the SDK takes them in another way, they are formatted and the program is slower.
 */

/** Leaves the stacks of the SDK's promises empty until the returned function is called. */
export function skipPromiseStacks(): () => void {
  const { prepareStackTrace } = Error;
  // With this variable somebody is looking for a promise that never resolves.
  if (!prepareStackTrace || process.env.PULUMI_DEBUG_PROMISE_LEAKS) return () => {};
  Error.prepareStackTrace = (error, frames) =>
    error.message === "" && Error.stackTraceLimit < Infinity ? "" : prepareStackTrace(error, frames);
  return () => {
    Error.prepareStackTrace = prepareStackTrace;
  };
}
