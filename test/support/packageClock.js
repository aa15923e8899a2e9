// For the scripts that give a process another clock. Only the package's timers are replaced, not those of HTTP clients.
const path = require("node:path");

const dist = path.resolve(__dirname, "../../dist") + path.sep;

/** Sets the clock, and returns the real Date. */
exports.setNow = (now) => {
  const RealDate = globalThis.Date;
  globalThis.Date = class extends RealDate {
    static now = now;

    constructor(...args) {
      super(...(args.length > 0 ? args : [now()]));
    }
  };
  return RealDate;
};

/** The file of the code that called this function's caller. Formatting the whole stack would take most of the time. */
function findCallerFile() {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = 3;
  Error.prepareStackTrace = (_, [, , caller]) => caller?.getFileName() ?? "";
  const { stack } = new Error();
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return stack;
}

/** Sets what starts the package's timers, and returns the real setTimeout. */
exports.setTimer = (start) => {
  const { setTimeout: realTimeout } = globalThis;
  globalThis.setTimeout = Object.assign((work, ms = 0, ...args) => {
    return findCallerFile().startsWith(dist) ? start(() => work(...args), ms) : realTimeout(work, ms, ...args);
  }, realTimeout);
  return realTimeout;
};
