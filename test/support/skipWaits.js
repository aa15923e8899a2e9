// Preloaded into a process (node --require), shortens the package's waits: with `SKIP_WAITS=10`, a wait of 10 s lasts
// 1 s, and the clock then shows that 10 s have passed. The timers of others, such as HTTP clients, are left alone.
const { setNow, setTimer } = require("./packageClock.js");

const factor = Number(process.env.SKIP_WAITS ?? 1);
let ahead = 0;
const RealDate = setNow(() => RealDate.now() + ahead);
/** For another run in the same process. */
globalThis.resetClock = () => {
  ahead = 0;
};
const realTimeout = setTimer((work, ms) => {
  const end = Date.now() + ms;
  const wake = () => {
    ahead = Math.max(ahead, end - RealDate.now());
    work();
  };
  return realTimeout(wake, ms / factor);
});
