/**
 * The SDK records in the state which line of the program created a resource, and expects it one frame above the SDK's
 * own, where this package has its base classes. Their frames are left out, with those of Node and of the SDK; if the
 * SDK takes its stack in another way, the state names a line of this package.
 */

import path from "node:path";

/** Lets the SDK find the program's line until the returned function is called. */
export function recordProgramLine(): () => void {
  const { prepareStackTrace } = Error;
  if (!prepareStackTrace) return () => {};
  Error.prepareStackTrace = (error, frames) => {
    if (Error.stackTraceLimit < Infinity) return prepareStackTrace(error, frames);
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
const ownFolder = path.dirname(__dirname) + path.sep;
const isOwnFrame = (frame: NodeJS.CallSite) => fileOf(frame).startsWith(ownFolder);
const isProgramFrame = (frame: NodeJS.CallSite) =>
  path.isAbsolute(fileOf(frame)) && !fileOf(frame).startsWith(sdkFolder);
