// Preloaded into a process (node --require), shortens its waits: with `SKIP_WAITS=10`, a wait of 10 s lasts 1 s, and the
// clock then shows that 10 s have passed. Waits under a second, such as the timers of HTTP clients, are left alone.
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
  if (ms < 900) return set(work, ms, ...args);
  const end = Date.now() + ms;
  const wake = () => {
    ahead = Math.max(ahead, end - RealDate.now());
    work(...args);
  };
  return set(wake, ms / factor);
}, set);
