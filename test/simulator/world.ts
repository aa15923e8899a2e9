/**
 * The simulated world: one time for everybody, which passes only when nobody has anything left to do. So waiting takes
 * no time, and the speed of the machine has no influence.
 */
import { Clock } from "../../src/base/clock";
import { Violation } from "../support/engine/provider";
import { Random } from "./random";

interface Event {
  at: number;
  order: number;
  work: () => void;
}

const start = Date.UTC(2026, 0, 1);

export class World {
  private time = start;
  private readonly events: Event[] = [];
  private count = 0;
  readonly log: string[] = [];
  readonly random: Random;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  get now(): number {
    return this.time;
  }

  /** Adds a line to the log, with the time in seconds. */
  note(line: string): void {
    this.log.push(`${((this.now - start) / 1000).toFixed(3)} ${line}`);
  }

  after(ms: number, work: () => void): () => void {
    const event = { at: this.now + Math.max(0, Math.ceil(ms)), order: this.count++, work };
    const { events } = this;
    let [low, high] = [0, events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (events[middle]!.at > event.at) low = middle + 1;
      else high = middle;
    }
    events.splice(low, 0, event);
    return () => {
      const index = events.indexOf(event);
      if (index >= 0) events.splice(index, 1);
    };
  }

  /** Lets time pass until a promise settles. */
  async settle<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const mark = () => {
      isSettled = true;
    };
    promise.then(mark, mark);
    for (;;) {
      await nothingRuns();
      if (isSettled) return promise;
      if (!this.passToNext()) throw new Violation("nothing happens any more, and the run has not ended");
    }
  }

  /** Lets a time pass. */
  pass = (ms: number): Promise<void> => this.settle(new Promise((done) => void this.after(ms, done)));

  private passToNext(): boolean {
    const next = this.events.pop();
    if (!next) return false;
    this.time = Math.max(this.time, next.at);
    next.work();
    return true;
  }
}

const nothingRuns = () => new Promise<void>((done) => setImmediate(done));

/** A process. Once it is killed, its clock, network and log never answer again. */
export class Process {
  isDead = false;
  readonly clock: Clock;

  constructor(
    readonly world: World,
    readonly name: string,
    /** How far its clock is ahead. */
    skewMs: number,
  ) {
    const random = new Random(world.random.int(0, 2 ** 31));
    this.clock = new Clock({
      now: () => world.now + skewMs,
      after: (ms, work) => world.after(ms, () => this.isDead || work()),
      random: random.next,
    });
  }

  kill(): void {
    this.isDead = true;
  }

  /** What a call of this process returns to others: nothing, once it is killed. */
  answer<T>(result: Promise<T>): Promise<T> {
    return new Promise((done, fail) => {
      result.then(
        (value) => this.isDead || done(value),
        (error) => this.isDead || fail(error),
      );
    });
  }
}
