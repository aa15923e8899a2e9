// Times for tests, in place of the package's own (src/base/clock.ts). Preloaded into a process (node --require), this file
// gives it a faster time (FAST_TIME=10), or that of the test (TESTS_TIME=<milliseconds since the epoch>).
const { channel } = require("node:diagnostics_channel");

/**
 * Waits are shorter: with 10, a wait of 10 s lasts 1 s, and then 10 s have passed. Below 1, all time passes
 * more slowly.
 */
function createFastTime(factor) {
  let ahead = 0;
  const began = Date.now();
  const passing = factor < 1 ? () => began + (Date.now() - began) * factor : Date.now;
  const now = () => passing() + ahead;
  return {
    now,
    after(ms, work) {
      const end = now() + ms;
      const wake = () => {
        ahead = Math.max(ahead, end - passing());
        work();
      };
      const timer = setTimeout(wake, Math.min(ms / factor, 2 ** 31 - 1));
      return () => clearTimeout(timer);
    },
  };
}

/**
 * Time passes only while something waits: when nothing else is running, the wait that ends first ends at once. So
 * waiting takes no time, and the speed of the machine has no influence. Its random numbers are always the same.
 */
class SimulatedTime {
  waits = new Set();
  isScheduled = false;
  time = Date.UTC(2026, 0, 1);

  constructor(seed = 1) {
    this.seed = seed;
  }

  now = () => this.time;

  after = (ms, work) => {
    const wait = { end: Math.ceil(this.now() + ms), work };
    this.waits.add(wait);
    this.schedule();
    return () => this.waits.delete(wait) && this.schedule();
  };

  /** The generator mulberry32. */
  random = () => {
    this.seed = (this.seed + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.seed ^ (this.seed >>> 15), 1 | this.seed);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };

  /** The wait that ends first. */
  findNext() {
    return this.waits.size > 0 ? [...this.waits].reduce((a, b) => (b.end < a.end ? b : a)) : undefined;
  }

  passTo(time) {
    this.time = time;
  }

  /** Ends the next wait, but not before the code that runs has done all it can: it may begin to wait, too. */
  schedule(later = (work) => setImmediate(() => setImmediate(work))) {
    if (this.isScheduled) return;
    this.isScheduled = true;
    later(() => {
      this.isScheduled = false;
      const next = this.findNext();
      if (!next) return;
      this.passTo(Math.max(next.end, this.now()));
      this.waits.delete(next);
      next.work();
      this.schedule();
    });
  }
}

/**
 * The time of the test that has started this process, which passes only there. This process tells the test of its waits
 * and requests, and says whether it has anything else to do when the test asks.
 */
class TestsTime {
  waits = new Map();
  requests = new Set();
  count = 0;

  constructor(time) {
    this.time = time;
    process.on("message", ({ time, end, ask }) => {
      this.time = time;
      const work = this.waits.get(end);
      this.waits.delete(end);
      work?.();
      // A call of the engine may be on its way.
      if (ask)
        setTimeout(
          () => setImmediate(() => this.tell({ answer: ask, awaits: this.waits.size + this.requests.size })),
          2,
        );
    });
    process.channel.unref();
    const onRequest = (event, listener) =>
      channel(`undici:request:${event}`).subscribe(({ request }) => listener(request));
    const ids = new WeakMap();
    onRequest("create", (request) => {
      const id = `${process.pid}-${++this.count}`;
      request.addHeader("x-request-id", id);
      ids.set(request, id);
      this.requests.add(id);
      this.tell({ request: id });
    });
    for (const event of ["trailers", "error"]) {
      onRequest(event, (request) => {
        const id = ids.get(request);
        // Until the package has read the response, the timeout of its request is not over.
        setImmediate(() => this.requests.delete(id) && this.tell({ response: id }));
      });
    }
  }

  now = () => this.time;

  after = (ms, work) => {
    const id = ++this.count;
    this.waits.set(id, work);
    this.tell({ wait: id, ms });
    return () => this.waits.delete(id) && this.tell({ stop: id });
  };

  tell(message) {
    if (process.connected) process.send(message, () => {});
  }
}

module.exports = { SimulatedTime };

const { FAST_TIME, TESTS_TIME } = process.env;
const replace = (time) => Object.assign(require("../../../dist/base/clock.js").systemTime, time);
if (FAST_TIME) replace(createFastTime(Number(FAST_TIME)));
if (TESTS_TIME && process.send) replace(new TestsTime(Number(TESTS_TIME)));
