/**
 * The service's rate limit as normal life. On a 429 all calls of the process slow down together: one call at a
 * time goes out, with a pause before it that doubles with every refusal and shrinks with every success, until the
 * pause is too short to matter and calls run freely again.
 */

const shortestPause = 20;
const firstPause = 250;
const longestPause = 2_000;
const longestRetryAfter = 120_000;
const minute = 60_000;

export interface RateWatcher {
  /** The limit was met: told once for each time that calls had been running freely. */
  limited(): void;
  /** Calls are waiting, for about this long. */
  waiting(milliseconds: number): void;
}

/** A refusal, with the pause that the service asked for, in milliseconds. */
export interface Refusal {
  retryAfter?: number;
}
type Send<T> = () => Promise<T>;
type Refused<T> = (answer: T) => Refusal | undefined;

export class Rate {
  /** 0 while calls run freely. */
  private pause = 0;
  private notBefore = 0;
  private turn: Promise<void> = Promise.resolve();
  private readonly sent: number[] = [];

  constructor(
    private readonly watcher: RateWatcher,
    private readonly perMinute?: number,
  ) {}

  /** Sends when it is this call's turn; the answer decides how fast the others go on. */
  async run<T>(send: Send<T>, refused: Refused<T>): Promise<T> {
    if (this.perMinute) await this.paced(this.perMinute);
    return this.pause === 0 ? this.freely(send, refused) : this.alone(send, refused);
  }

  /** Keeps to a rate the user set, in a rolling minute. */
  private async paced(most: number): Promise<void> {
    const now = Date.now();
    const earlier = this.sent.length >= most ? this.sent[this.sent.length - most]! : Number.NEGATIVE_INFINITY;
    const at = Math.max(now, earlier + minute);
    this.sent.push(at);
    if (this.sent.length > most) this.sent.shift();
    if (at > now) await this.wait(at - now);
  }

  private async freely<T>(send: Send<T>, refused: Refused<T>): Promise<T> {
    const answer = await send();
    const refusal = refused(answer);
    // Calls that went out side by side are refused side by side: only the first of them tells something new.
    if (refusal && this.pause === 0) {
      this.watcher.limited();
      this.slowDown(refusal);
    }
    return answer;
  }

  private alone<T>(send: Send<T>, refused: Refused<T>): Promise<T> {
    const mine = this.turn.then(async () => {
      const delay = this.notBefore - Date.now();
      if (delay > 0) await this.wait(delay);
      const answer = await send();
      const refusal = refused(answer);
      if (refusal) this.slowDown(refusal);
      else this.speedUp();
      return answer;
    });
    this.turn = mine.then(
      () => undefined,
      () => undefined,
    );
    return mine;
  }

  private slowDown({ retryAfter = 0 }: Refusal): void {
    this.pause = Math.min(Math.max(this.pause * 2, firstPause), longestPause);
    const asked = Math.min(retryAfter, longestRetryAfter);
    this.notBefore = Date.now() + Math.max(asked, this.pause * (0.75 + Math.random() / 2));
  }

  private speedUp(): void {
    this.pause = this.pause * 0.7 < shortestPause ? 0 : this.pause * 0.7;
    this.notBefore = Date.now() + this.pause;
  }

  private async wait(milliseconds: number): Promise<void> {
    if (milliseconds >= 1_000) this.watcher.waiting(milliseconds);
    await sleep(milliseconds);
  }
}

export const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
