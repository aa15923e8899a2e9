/**
 * The service's rate limit as normal life. On a 429 all calls of the process slow down together: one call at a time
 * goes out, with a pause before it that doubles with every refusal and halves with every success, until the pause is
 * too short to matter and calls run freely again.
 */

const shortestPause = 20;
const firstPause = 250;
const longestPause = 2_000;
const longestRetryAfter = 120_000;
/** A rolling minute, and a second more: a request may take longer to arrive than one that is sent after it. */
const minute = 61_000;
const longestTimer = 2 ** 31 - 1;

export interface RateWatcher {
  /** The limit was met: told once, with the words for it. */
  limited(words: string): void;
  /** What is being waited for, worth showing while it is. */
  waiting(status: string): void;
}

/** A refusal, with the pause that the service asked for, in milliseconds. */
export interface RateLimited {
  retryAfter?: number;
}
type Send<T> = () => Promise<T>;
type Refused<T> = (response: T) => RateLimited | undefined;

/** The time of a call was over before it could be sent. */
export const deadlineExceeded = new Error("late");

export class Rate {
  /** 0 while calls run freely. */
  private pause = 0;
  private notBefore = 0;
  private hasWarned = false;
  /** Settles when every call of the row has had its turn. */
  private queue: Promise<void> = Promise.resolve();
  /** When the last requests were sent, or will be, where the user set a rate. */
  private readonly sent: number[] = [];

  constructor(
    private readonly watcher: RateWatcher,
    private readonly perMinute?: number,
  ) {}

  /**
   * Sends when it is this call's turn, until it is let through; the answers decide how fast the others go on. Throws
   * `late` where the deadline, in milliseconds since the epoch, comes first.
   */
  async run<T extends object>(send: Send<T>, refused: Refused<T>, deadline = Number.POSITIVE_INFINITY): Promise<T> {
    const inTime = async () => {
      if (this.perMinute) await this.waitForRate(this.perMinute, deadline);
      // Timers may ring a little early.
      if (Date.now() > deadline - 10) throw deadlineExceeded;
      return send();
    };
    for (;;) {
      const response = await (this.pause === 0
        ? this.sendNow(inTime, refused)
        : this.sendInTurn(inTime, refused, deadline));
      if (response) return response;
    }
  }

  /** Waits until one more request stays within the rate that the user set, and counts it. */
  private async waitForRate(most: number, deadline: number): Promise<void> {
    const at = Math.max(Date.now(), (this.sent.at(-most) ?? Number.NEGATIVE_INFINITY) + minute);
    // What will not be sent does not count.
    if (at < deadline) this.sent.push(at);
    if (this.sent.length > most) this.sent.shift();
    await this.waitUntil(at, deadline, `to stay at ${most} requests a minute`);
  }

  private async sendNow<T>(send: Send<T>, refused: Refused<T>): Promise<T | undefined> {
    const response = await send();
    const refusal = refused(response);
    if (!refusal) return response;
    // Calls that went out side by side are refused side by side: only the first of them tells something new.
    if (this.pause === 0) this.slowDown(refusal);
    return undefined;
  }

  /** One after the other. Who is refused goes to the end of the row, lest one call that is never let through stop all. */
  private sendInTurn<T>(send: Send<T>, refused: Refused<T>, deadline: number): Promise<T | undefined> {
    const before = this.queue;
    const mine = (async () => {
      await settledBefore(before, deadline);
      // Freely again: the whole row goes.
      if (this.pause === 0) return undefined;
      await this.waitUntil(this.notBefore, deadline, "for the service's rate limit");
      const response = await send();
      const refusal = refused(response);
      if (refusal) this.slowDown(refusal);
      else this.speedUp();
      return refusal ? undefined : response;
    })();
    this.queue = Promise.allSettled([before, mine]).then(() => undefined);
    return mine;
  }

  private slowDown({ retryAfter = 0 }: RateLimited): void {
    if (!this.hasWarned) {
      this.watcher.limited(
        "The service's rate limit is reached: all calls slow down until it lets them through again.",
      );
    }
    this.hasWarned = true;
    this.pause = Math.min(Math.max(this.pause * 2, firstPause), longestPause);
    const asked = Math.min(retryAfter, longestRetryAfter);
    this.notBefore = Date.now() + Math.max(asked, this.pause * (0.75 + Math.random() / 2));
  }

  private speedUp(): void {
    this.pause = this.pause / 2 < shortestPause ? 0 : this.pause / 2;
    this.notBefore = Date.now() + this.pause;
  }

  private async waitUntil(time: number, deadline: number, reason: string): Promise<void> {
    const wait = Math.min(time, deadline) - Date.now();
    if (isNoticeable(wait)) this.watcher.waiting(`Waiting ${formatSeconds(wait)} ${reason}…`);
    if (wait > 0) await sleep(wait);
  }
}

/** Waits for what is promised, or until the deadline, where it throws `late`. */
async function settledBefore(promise: Promise<void>, deadline: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(deadlineExceeded), Math.min(deadline - Date.now(), longestTimer));
  });
  await Promise.race([promise, over]).finally(() => clearTimeout(timer));
}

/** Whether a person would notice a wait, and wonder. */
export const isNoticeable = (milliseconds: number) => milliseconds >= 1_000;

export const formatSeconds = (milliseconds: number) => `${Math.ceil(milliseconds / 1000)} s`;

export const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
