/**
 * Time, and the end of waiting. Waits, pauses before retries and timeouts use the clock of their deployment. Tests can
 * then replace time, and cancelling ends all of them.
 */

/** What a clock runs on. Tests replace it. */
export interface Time {
  /** In milliseconds since the epoch. */
  now(): number;
  /** Calls a function after a time. The returned function prevents that. */
  after(ms: number, work: () => void): () => void;
  /** A number from 0 to 1, without 1. */
  random(): number;
}

const maxTimerMs = 2 ** 31 - 1;

export const systemTime: Time = {
  now: () => Date.now(),
  after(ms, work) {
    const timer = setTimeout(work, Math.min(ms, maxTimerMs));
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

export class Cancelled extends Error {
  constructor() {
    super("The deployment was cancelled.");
    this.name = "Cancelled";
  }
}

export class Clock {
  private isCancelled = false;
  /** What to do when everything is cancelled. */
  private readonly onCancel = new Set<() => void>();
  private readonly running = new Set<Promise<unknown>>();

  constructor(private readonly time: Time = systemTime) {}

  now = () => this.time.now();

  random = () => this.time.random();

  randomUuid = () =>
    "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx".replace(/x/g, () => Math.floor(this.random() * 16).toString(16));

  /** Waits. Rejects as soon as the signal aborts, or everything is cancelled. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.throwIfCancelled();
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const end = (settle: () => void) => {
        stop();
        this.onCancel.delete(cancel);
        signal?.removeEventListener("abort", abort);
        settle();
      };
      const stop = this.time.after(ms, () => end(resolve));
      const cancel = () => end(() => reject(new Cancelled()));
      const abort = () => end(() => reject(signal!.reason));
      this.onCancel.add(cancel);
      signal?.addEventListener("abort", abort);
    });
  }

  /** Waits for a promise, at most until the deadline, in milliseconds since the epoch. Then there is no value. */
  async waitFor<T>(promise: Promise<T>, deadline: number): Promise<T | undefined> {
    const done = new AbortController();
    const timeout = this.sleep(deadline - this.now(), done.signal).then(() => undefined);
    return Promise.race([promise, timeout]).finally(() => done.abort());
  }

  /**
   * Runs work whose signal aborts after a time, with a `TimeoutError`. When everything is cancelled, work that has begun
   * may go on for another time; with 0, it ends at once. Work does not begin after that.
   */
  async limit<T>(ms: number, msAfterCancel: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.throwIfCancelled();
    const controller = new AbortController();
    const timeOut = () => controller.abort(new DOMException("The time is over.", "TimeoutError"));
    const timers = [this.time.after(ms, timeOut)];
    const cancel = () => {
      if (msAfterCancel > 0) timers.push(this.time.after(msAfterCancel, timeOut));
      else controller.abort(new Cancelled());
    };
    this.onCancel.add(cancel);
    const running = work(controller.signal);
    this.running.add(running);
    try {
      return await running;
    } finally {
      for (const stop of timers) stop();
      this.onCancel.delete(cancel);
      this.running.delete(running);
    }
  }

  /** Ends everything that waits. Resolves when what had begun has ended, too. */
  async cancel(): Promise<void> {
    this.isCancelled = true;
    for (const end of [...this.onCancel]) end();
    await Promise.allSettled(this.running);
  }

  private throwIfCancelled(): void {
    if (this.isCancelled) throw new Cancelled();
  }
}
