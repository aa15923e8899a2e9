/**
 * Sends requests within the rate limit that the user set, and within the service's, as far as it is known. While neither
 * is, requests run in parallel. Then they are sent in turn: each waits until there is room for it.
 */

import type { Clock } from "../base/clock";
import { type RateLimitNotice, ServiceLimit } from "./serviceLimit";

/** A minute and a second more: a request may take longer to arrive than one that is sent after it. */
const windowMs = 61_000;

export interface RateLimitListener {
  /** Called once, with a message for the user, when the service first returns 429. */
  onRateLimit(message: string): void;
  /** Called with a status for the user when a request has to wait. */
  onWait(status: string): void;
}

type Send<T> = () => Promise<T>;
type ReadNotice<T> = (response: T) => RateLimitNotice;

/** Thrown when the deadline of a call passes before it can be sent. */
export const deadlineExceeded = new Error("deadline exceeded");

export class RateLimiter {
  private readonly serviceLimit: ServiceLimit;
  private hasWarned = false;
  /** Settles when every queued request has had its turn. */
  private queue: Promise<void> = Promise.resolve();
  /** Ends the wait of the request whose turn it is: there may be room sooner. */
  private wake = new AbortController();
  /** When the last requests were sent; used only if the user set a rate. */
  private readonly sent: number[] = [];

  constructor(
    private readonly listener: RateLimitListener,
    private readonly clock: Clock,
    private readonly requestsPerMinute?: number,
  ) {
    this.serviceLimit = new ServiceLimit(clock.random);
  }

  /**
   * Sends a request when the rate allows it, again and again while the service returns 429. Throws `deadlineExceeded`
   * if the deadline, in milliseconds since the epoch, comes first.
   */
  async run<T>(send: Send<T>, readNotice: ReadNotice<T>, deadline = Number.POSITIVE_INFINITY): Promise<T> {
    for (let isRepeated = false; ; isRepeated = true) {
      const isInTurn = this.requestsPerMinute !== undefined || this.serviceLimit.isKnown;
      const exchange = () => this.exchange(send, readNotice, deadline, isRepeated);
      const { response, isRejected } = await (isInTurn ? this.takeTurn(exchange, deadline) : exchange());
      if (!isRejected) return response;
    }
  }

  /** After a 429 a request goes to the end of the queue, so that one that never succeeds does not block the others. */
  private async takeTurn<R>(exchange: () => Promise<R>, deadline: number): Promise<R> {
    const previous = this.queue;
    const turn = (async () => {
      await this.clock.waitFor(previous, deadline);
      await this.waitForRoom(deadline);
      const result = exchange();
      // The others wait for its response, which shows whether the service accepts more.
      if (this.serviceLimit.isTrying) await result;
      return { result };
    })();
    this.queue = Promise.allSettled([previous, turn]).then(() => undefined);
    return (await turn).result;
  }

  private async exchange<T>(send: Send<T>, readNotice: ReadNotice<T>, deadline: number, isRepeated: boolean) {
    const now = this.clock.now();
    // Timers may fire slightly early.
    if (now > deadline - 10) throw deadlineExceeded;
    this.sent.push(now);
    if (this.sent.length > (this.requestsPerMinute ?? 0)) this.sent.shift();
    const request = this.serviceLimit.addRequest(now, isRepeated);
    const response = await send();
    const notice = readNotice(response);
    this.serviceLimit.learn(request, this.clock.now(), notice);
    // With a reason: without one, every response would cost an exception and its stack.
    this.wake.abort(notice);
    if (notice.isRejected) this.warn();
    return { response, isRejected: notice.isRejected };
  }

  private warn(): void {
    if (!this.hasWarned) {
      this.listener.onRateLimit("The service's rate limit was reached. Requests slow down until it allows more.");
    }
    this.hasWarned = true;
  }

  private async waitForRoom(deadline: number): Promise<void> {
    for (;;) {
      const now = this.clock.now();
      const own = (this.requestsPerMinute && this.sent.at(-this.requestsPerMinute)) || Number.NEGATIVE_INFINITY;
      const rooms = [
        { time: own + windowMs, reason: `because of the setting requestsPerMinute (${this.requestsPerMinute})` },
        { time: this.serviceLimit.findRoom(now), reason: "for the service's rate limit" },
      ];
      const { time, reason } = rooms[0]!.time > rooms[1]!.time ? rooms[0]! : rooms[1]!;
      const wait = Math.min(time, deadline) - now;
      if (wait <= 0) return;
      if (isNoticeable(wait)) this.listener.onWait(`Waiting ${formatSeconds(wait)} ${reason}…`);
      this.wake = new AbortController();
      const { signal } = this.wake;
      await this.clock.sleep(wait, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }
}

/** Whether a wait is long enough to tell the user about it. */
export const isNoticeable = (milliseconds: number) => milliseconds >= 1_000;

export const formatSeconds = (milliseconds: number) => `${Math.ceil(milliseconds / 1000)} s`;
