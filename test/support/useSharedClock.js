// Preloaded into a process (node --require), gives it a clock that it shares with other processes. Time passes only
// while the package waits: when no process has a request running, the wait that ends first ends at once, and the clock
// shows the time of its end. So waiting takes no time, and the speed of the machine has no influence.
const { channel } = require("node:diagnostics_channel");
const { openSync } = require("node:fs");
const { readSlots, readTime, takeSlot, writeSlot } = require("./clockFile.js");
const { setNow, setTimer } = require("./packageClock.js");

const file = openSync(process.env.SHARED_CLOCK, "r+");
/** Taken with the first request or wait: most processes of the CLI have none. */
let own;
const { clearTimeout: clear } = globalThis;
setNow(() => readTime(file));

let requests = 0;
const waits = new Set();
let isScheduled = false;

channel("undici:request:create").subscribe(() => {
  requests++;
  publish();
});
for (const end of ["trailers", "error"]) {
  channel(`undici:request:${end}`).subscribe(() => {
    requests--;
    schedule();
  });
}

/** The wait that ends first, if no request is running. */
const findNext = () =>
  requests === 0 && waits.size > 0 ? [...waits].reduce((a, b) => (b.end < a.end ? b : a)) : undefined;

function publish(time = Date.now()) {
  own ??= takeSlot(process.env.SHARED_CLOCK);
  writeSlot(file, own, { time, until: requests > 0 ? 0 : (findNext()?.end ?? Number.POSITIVE_INFINITY) });
}

/**
 * Ends the next wait when no other process is before its end, and not before the code that handles the last response has
 * done all it can: it may wait, too, from the time that the clock shows now.
 */
function schedule(later = (work) => setImmediate(() => setImmediate(work))) {
  if (isScheduled) return;
  isScheduled = true;
  later(() => {
    isScheduled = false;
    publish();
    const next = findNext();
    if (!next) return;
    if (readSlots(file).some(({ until }, slot) => slot !== own && until < next.end))
      return schedule((work) => realTimeout(work, 1));
    waits.delete(next);
    publish(Math.max(next.end, Date.now()));
    next.work();
    schedule();
  });
}

const realTimeout = setTimer((work, ms) => {
  const wait = { end: Math.ceil(Date.now() + ms), work, ref: () => wait, unref: () => wait };
  waits.add(wait);
  schedule();
  return wait;
});

globalThis.clearTimeout = (wait) => {
  if (!waits.delete(wait)) return clear(wait);
  schedule();
};
