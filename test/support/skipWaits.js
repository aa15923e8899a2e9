// Preloaded into a process (node --require), shortens the package's waits: with `SKIP_WAITS=10`, a wait of 10 s lasts
// 1 s, and the clock then shows that 10 s have passed. The timers of others, such as HTTP clients, are left alone.
const path = require("node:path");

const dist = path.resolve(__dirname, "../../dist") + path.sep;
const factor = Number(process.env.SKIP_WAITS ?? 1);
const { Date: RealDate, setTimeout: set } = globalThis;
let ahead = 0;
globalThis.Date = class SkippingDate extends RealDate {
  constructor(...args) {
    super(...(args.length > 0 ? args : [SkippingDate.now()]));
  }

  static now() {
    return RealDate.now() + ahead;
  }
};
/** For another run in the same process. */
globalThis.resetClock = () => {
  ahead = 0;
};
globalThis.setTimeout = Object.assign((work, ms = 0, ...args) => {
  const [, , caller] = new Error().stack.split("\n");
  if (!caller.includes(dist)) return set(work, ms, ...args);
  const end = Date.now() + ms;
  const wake = () => {
    ahead = Math.max(ahead, end - RealDate.now());
    work(...args);
  };
  return set(wake, ms / factor);
}, set);
