/**
 * The simulated world: one time for everybody, which passes only when nobody has anything left to do. So waiting takes
 * no time, and the speed of the machine has no influence.
 */
import { Clock } from "../../src/base/clock";
import { Violation } from "../support/engine/provider";
import { Random } from "./random";

interface Event {
  at: number;
  work: () => void;
}

const start = Date.UTC(2026, 0, 1);

export class World {
  private time = start;
  /** In the order in which they were planned: of two at the same time, the first comes first. */
  private readonly events = new Set<Event>();
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
    const event = { at: this.now + Math.max(0, Math.ceil(ms)), work };
    this.events.add(event);
    return () => void this.events.delete(event);
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
    let next: Event | undefined;
    for (const event of this.events) if (!next || event.at < next.at) next = event;
    if (!next) return false;
    this.events.delete(next);
    this.time = Math.max(this.time, next.at);
    next.work();
    return true;
  }
}

const nothingRuns = () => new Promise<void>((done) => setImmediate(done));

/** A process. Once it is killed, its clock, network and log never answer again. */
export class Process {
  isDead = false;
  private fail!: (error: Error) => void;
  private readonly failure = new Promise<never>((_, fail) => {
    this.fail = fail;
  });
  readonly clock: Clock;

  constructor(
    readonly world: World,
    readonly name: string,
  ) {
    this.failure.catch(() => {});
    const random = new Random(world.random.int(0, 2 ** 31));
    this.clock = new Clock({
      now: () => world.now,
      after: (ms, work) => world.after(ms, () => this.isDead || work()),
      random: random.next,
    });
  }

  /** With this error, every call fails. Without one, nobody waits for it any more. */
  kill(error?: Error): void {
    this.isDead = true;
    if (error) this.fail(error);
  }

  /** Makes a call for another process. */
  answer<T>(call: () => Promise<T>): Promise<T> {
    const answer = new Promise<T>((done, fail) => {
      if (this.isDead) return;
      call().then(
        (value) => this.isDead || done(value),
        (error) => this.isDead || fail(error),
      );
    });
    return Promise.race([this.failure, answer]);
  }
}
