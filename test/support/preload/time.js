// Times for tests, in place of the package's own (src/base/clock.ts). Preloaded into a process (node --require), this file
// gives it a faster time (FAST_TIME=10), or one that it shares with other processes (SHARED_TIME=<file>). If the CLI runs
// it (SHARED_WITH_CLI=1), the CLI is at work while the process has nothing to do, so no time passes.
const { channel } = require("node:diagnostics_channel");
const { mkdirSync, openSync, readSync, writeSync } = require("node:fs");

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
    /** For another run in the same process. */
    reset: () => {
      ahead = 0;
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
    return true;
  }

  /** Ends the next wait, but not before the code that runs has done all it can: it may begin to wait, too. */
  schedule(later = (work) => setImmediate(() => setImmediate(work))) {
    if (this.isScheduled) return;
    this.isScheduled = true;
    later(() => {
      this.isScheduled = false;
      const next = this.findNext();
      if (!next) return;
      if (!this.passTo(Math.max(next.end, this.now()))) return this.schedule((work) => setTimeout(work, 1));
      this.waits.delete(next);
      next.work();
      this.schedule();
    });
  }
}

const slots = 32;

/**
 * A simulated time that several processes share, in a file. Each has a slot with the time that it has reached, and the
 * time until which it waits: 0 while it has a request running, and infinity, or 0 with the CLI, while it has nothing to
 * do. The time is the largest of the slots'. A slot also has the process's id: the engine may kill a process at any time,
 * and nobody must wait for it then.
 */
class SharedTime extends SimulatedTime {
  /** The requests that run. */
  requests = new Set();

  constructor(path, untilWhenIdle = Number.POSITIVE_INFINITY) {
    super();
    this.path = path;
    this.untilWhenIdle = untilWhenIdle;
    this.file = openSync(path, "r+");
    this.onRequest("create", (request) => {
      this.requests.add(request);
      this.publish();
    });
    for (const event of ["trailers", "error"]) {
      // Until the package has read the response, the timeout of its request is not over.
      this.onRequest(event, (request) => setTimeout(this.end, 10, request));
    }
  }

  onRequest(event, listener) {
    const requests = channel(`undici:request:${event}`);
    const listen = ({ request }) => listener(request);
    requests.subscribe(listen);
  }

  end = (request) => {
    this.requests.delete(request);
    this.schedule();
  };

  random = Math.random;

  now = () => SharedTime.read(this.file);

  findNext() {
    const next = this.requests.size === 0 ? super.findNext() : undefined;
    this.publish(this.now(), next?.end);
    return next;
  }

  /** Time passes when no other process is before it. */
  passTo(time) {
    const others = readSlots(this.file).filter((_, slot) => slot !== this.slot);
    if (others.some(({ until, pid }) => until < time && isRunning(pid))) return false;
    this.publish(time, time);
    return true;
  }

  publish(time = this.now(), until = this.untilWhenIdle) {
    // Taken with the first request or wait: most processes of the CLI have none.
    this.slot ??= takeSlot(this.path);
    const numbers = Float64Array.of(time, this.requests.size > 0 ? 0 : until, process.pid);
    writeSync(this.file, numbers, 0, numbers.byteLength, this.slot * numbers.byteLength);
  }

  /** The content of the file. */
  static create = (time) => Float64Array.from(Array.from({ length: slots }, () => [time, Infinity, 0]).flat());

  static read = (file) => Math.max(...readSlots(file).map(({ time }) => time));
}

function readSlots(file) {
  const numbers = new Float64Array(3 * slots);
  readSync(file, numbers, 0, numbers.byteLength, 0);
  return Array.from({ length: slots }, (_, slot) => {
    const [time, until, pid] = numbers.subarray(3 * slot);
    return { time, until, pid };
  });
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Returns a slot that no other process has. */
function takeSlot(path) {
  for (let slot = 0; slot < slots; slot++) {
    try {
      mkdirSync(`${path}-${slot}`);
      return slot;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
  }
  throw new Error(`More than ${slots} processes share a clock.`);
}

module.exports = { SimulatedTime, SharedTime };

const { FAST_TIME, SHARED_TIME, SHARED_WITH_CLI } = process.env;
const replace = (time) => Object.assign(require("../../../dist/base/clock.js").systemTime, time);
if (FAST_TIME) replace(createFastTime(Number(FAST_TIME)));
if (SHARED_TIME) {
  replace(new SharedTime(SHARED_TIME, SHARED_WITH_CLI ? 0 : undefined));
}
