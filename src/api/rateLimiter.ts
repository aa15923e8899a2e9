/**
 * Handles the service's rate limit. After a 429 all requests of the process slow down together: they are sent one at a
 * time, with a pause before each that doubles with every 429 and halves with every other response, until the pause is
 * too short to matter and requests run in parallel again.
 */

import type { Clock } from "../clock";

const minPauseMs = 20;
const firstPauseMs = 250;
const maxPauseMs = 2_000;
const maxRetryAfterMs = 120_000;
/** A minute and a second more: a request may take longer to arrive than one that is sent after it. */
const windowMs = 61_000;

export interface RateLimitListener {
  /** Called once, with a message for the user, when the service first returns 429. */
  onRateLimit(message: string): void;
  /** Called with a status for the user when a request has to wait. */
  onWait(status: string): void;
}

export interface RateLimited {
  /** The pause that the service requests, in milliseconds. */
  retryAfter?: number;
}
type Send<T> = () => Promise<T>;
/** Returns undefined for a response that is not a 429. */
type ReadRateLimit<T> = (response: T) => RateLimited | undefined;

/** Thrown when the deadline of a call passes before it can be sent. */
export const deadlineExceeded = new Error("deadline exceeded");

export class RateLimiter {
  /** 0 while requests run in parallel. */
  private pause = 0;
  private notBefore = 0;
  private hasWarned = false;
  /** Settles when every queued request has had its turn. */
  private queue: Promise<void> = Promise.resolve();
  /** When the last requests were sent, or will be; used only if the user set a rate. */
  private readonly sent: number[] = [];
  /** How many requests wait, since when, and how long requests waited before that. */
  private waiting = { count: 0, since: 0, before: 0 };

  constructor(
    private readonly listener: RateLimitListener,
    private readonly clock: Clock,
    private readonly requestsPerMinute?: number,
  ) {}

  /**
   * Sends a request when the rate allows it, again and again while the service returns 429. Throws `deadlineExceeded`
   * if the deadline, in milliseconds since the epoch, comes first.
   */
  async run<T extends object>(
    send: Send<T>,
    readRateLimit: ReadRateLimit<T>,
    deadline = Number.POSITIVE_INFINITY,
  ): Promise<T> {
    const sendBeforeDeadline = async () => {
      if (this.requestsPerMinute) await this.waitForRate(this.requestsPerMinute, deadline);
      // Timers may fire slightly early.
      if (this.clock.now() > deadline - 10) throw deadlineExceeded;
      return send();
    };
    for (;;) {
      const response = await (this.pause === 0
        ? this.sendNow(sendBeforeDeadline, readRateLimit)
        : this.sendInTurn(sendBeforeDeadline, readRateLimit, deadline));
      if (response) return response;
    }
  }

  /** Waits until one more request stays within the rate that the user set, and counts it. */
  private async waitForRate(requestsPerMinute: number, deadline: number): Promise<void> {
    const time = Math.max(this.clock.now(), (this.sent.at(-requestsPerMinute) ?? Number.NEGATIVE_INFINITY) + windowMs);
    // A request that will not be sent does not count.
    if (time < deadline) this.sent.push(time);
    if (this.sent.length > requestsPerMinute) this.sent.shift();
    await this.waitUntil(time, deadline, `because of the setting requestsPerMinute (${requestsPerMinute})`);
  }

  private async sendNow<T>(send: Send<T>, readRateLimit: ReadRateLimit<T>): Promise<T | undefined> {
    const response = await send();
    const rateLimited = readRateLimit(response);
    if (!rateLimited) return response;
    // Parallel requests get a 429 each: only the first of them is news.
    if (this.pause === 0) this.slowDown(rateLimited);
    return undefined;
  }

  /** After a 429 a request goes to the end of the queue, so that one that never succeeds does not block the others. */
  private sendInTurn<T>(send: Send<T>, readRateLimit: ReadRateLimit<T>, deadline: number): Promise<T | undefined> {
    const previous = this.queue;
    const turn = (async () => {
      await this.waitFor(previous, deadline);
      // Requests run in parallel again: everything in the queue is sent.
      if (this.pause === 0) return undefined;
      await this.waitUntil(this.notBefore, deadline, "for the service's rate limit");
      const response = await send();
      const rateLimited = readRateLimit(response);
      if (rateLimited) this.slowDown(rateLimited);
      else this.speedUp();
      return rateLimited ? undefined : response;
    })();
    this.queue = Promise.allSettled([previous, turn]).then(() => undefined);
    return turn;
  }

  private slowDown({ retryAfter = 0 }: RateLimited): void {
    if (!this.hasWarned) {
      this.listener.onRateLimit("The service's rate limit was reached. Requests slow down until it allows more.");
    }
    this.hasWarned = true;
    this.pause = Math.min(Math.max(this.pause * 2, firstPauseMs), maxPauseMs);
    const backoff = this.pause * (0.75 + this.clock.random() / 2);
    this.notBefore = this.clock.now() + Math.max(Math.min(retryAfter, maxRetryAfterMs), backoff);
  }

  private speedUp(): void {
    this.pause = this.pause / 2 < minPauseMs ? 0 : this.pause / 2;
    this.notBefore = this.clock.now() + this.pause;
  }

  private async waitUntil(time: number, deadline: number, reason: string): Promise<void> {
    const wait = Math.min(time, deadline) - this.clock.now();
    if (isNoticeable(wait)) this.listener.onWait(`Waiting ${formatSeconds(wait)} ${reason}…`);
    if (wait > 0) await this.wait(wait);
  }

  /** Waits before a request. */
  async wait(milliseconds: number): Promise<void> {
    const { waiting, clock } = this;
    if (waiting.count++ === 0) waiting.since = clock.now();
    try {
      await clock.sleep(milliseconds);
    } finally {
      if (--waiting.count === 0) waiting.before += clock.now() - waiting.since;
    }
  }

  /** How long requests have waited so far, in milliseconds. Waits at the same time count once. */
  get waitedMs(): number {
    const { count, since, before } = this.waiting;
    return before + (count > 0 ? this.clock.now() - since : 0);
  }

  /** Waits for a promise. Throws `deadlineExceeded` if the deadline comes first. */
  private async waitFor(promise: Promise<void>, deadline: number): Promise<void> {
    const done = new AbortController();
    const timeout = this.clock.sleep(deadline - this.clock.now(), done.signal).then(() => {
      throw deadlineExceeded;
    });
    await Promise.race([promise, timeout]).finally(() => done.abort());
  }
}

/** Whether a wait is long enough to tell the user about it. */
export const isNoticeable = (milliseconds: number) => milliseconds >= 1_000;

export const formatSeconds = (milliseconds: number) => `${Math.ceil(milliseconds / 1000)} s`;
