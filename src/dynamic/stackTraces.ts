/**
 * While a resource is registered, the SDK takes the stack four times for each property, only to name promises that
 * never resolve, and mapping those to source lines is most of the time that a program with many resources takes: they
 * stay empty. It also takes it once for the state, to record the program's line, which it expects right above the
 * class's constructor: the frames of this package, of Node and of the SDK are left out.
 */

import path from "node:path";

/** Trims the stacks that are taken until the returned function is called. */
export function trimStackTraces(): () => void {
  const { prepareStackTrace } = Error;
  if (!prepareStackTrace) return () => {};
  // Somebody is looking for a promise that never resolves.
  const keepsEmptyErrors = Boolean(process.env.PULUMI_DEBUG_PROMISE_LEAKS);
  Error.prepareStackTrace = (error, frames) => {
    if (Error.stackTraceLimit < Infinity) {
      return error.message === "" && !keepsEmptyErrors ? "" : prepareStackTrace(error, frames);
    }
    const first = frames.findIndex(isOwnFrame);
    // A resource that a transformation creates meanwhile may be of any class.
    if (first !== sdkFrameCount) return prepareStackTrace(error, frames);
    const [, ...below] = frames.slice(first).filter((frame) => !isOwnFrame(frame));
    const [title, ...lines] = String(prepareStackTrace(error, below.filter(isProgramFrame))).split("\n");
    // The SDK skips its own frames, and that of the class, by their number.
    return [title, ...Array(sdkFrameCount + 1).fill("    at @pulumi/pulumi"), ...lines].join("\n");
  };
  return () => {
    Error.prepareStackTrace = prepareStackTrace;
  };
}

/** The SDK's frames above those of the resource classes. */
const sdkFrameCount = 4;
const sdkFolder = path.dirname(require.resolve("@pulumi/pulumi")) + path.sep;
const fileOf = (frame: NodeJS.CallSite) => (frame.getFileName() ?? "").replace(/^file:\/\//, "");
const isOwnFrame = (frame: NodeJS.CallSite) => fileOf(frame).startsWith(__dirname + path.sep);
const isProgramFrame = (frame: NodeJS.CallSite) =>
  path.isAbsolute(fileOf(frame)) && !fileOf(frame).startsWith(sdkFolder);
