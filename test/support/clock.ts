/** How tests control time, in this process and in others: see time.js. */
import type { ChildProcess } from "node:child_process";
import { channel } from "node:diagnostics_channel";
import { Clock, type Time } from "../../src/base/clock";
import { isUnanswered } from "./emulators";
import { preload } from "./preload/preload";

interface UndiciRequest {
  addHeader(name: string, value: string): void;
}

interface Wait {
  end: number;
  work: () => void;
}

const { SimulatedTime } = require("./preload/time.js") as {
  SimulatedTime: new (
    seed?: number,
  ) => Time & { time: number; findNext(): Wait | undefined; passTo(time: number): void; schedule(): void };
};

/** For this process: a time in which waiting takes no time. Each seed has its own random numbers. */
export const createSimulatedTime = (seed?: number) => new SimulatedTime(seed);

export const createSimulatedClock = () => new Clock(createSimulatedTime());

/** The requests of this process that run, each with the id that the service has of it. */
const running = new Map<object, string>();
let requestCount = 0;
const listening: (() => void)[] = [];

function onRequest(event: string, listener: (request: UndiciRequest) => void): void {
  const requests = channel(`undici:request:${event}`);
  const listen = (message: unknown) => listener((message as { request: UndiciRequest }).request);
  requests.subscribe(listen);
  listening.push(() => requests.unsubscribe(listen));
}

function listenToRequests(): void {
  onRequest("create", (request) => {
    const id = `${process.pid}-${++requestCount}`;
    request.addHeader("x-request-id", id);
    running.set(request, id);
  });
  for (const event of ["trailers", "error"]) {
    onRequest(event, (request) => {
      // Until the package has read the response, the timeout of its request is not over.
      setImmediate(() => running.delete(request));
    });
  }
}

// Not when this file is loaded: the tests of a mutant run again in the same process, after `afterAll`.
beforeAll(listenToRequests);

afterAll(() => {
  for (const stopListening of listening.splice(0)) stopListening();
  running.clear();
});

/**
 * A time in which waiting takes no time, but none passes while a request runs that the service will respond to. An
 * emulator has the real time, unless it gets this one.
 */
export class RequestTime extends SimulatedTime {
  private looksAgain = false;
  private readonly remote = new Set<RemoteTime>();

  constructor() {
    super();
    // The deadlines of gRPC are of the real time, which must not be ahead.
    this.time = Date.now() + (process.env["TEST_TRANSPORT"] === "grpc" ? 3_600_000 : 0);
  }

  /** Lets time pass. */
  pass = (ms: number): void => this.passTo(this.time + ms);

  override passTo(time: number): void {
    this.time = time;
    for (const each of this.remote) each.tell({});
  }

  override findNext() {
    const next = super.findNext();
    if (!next) return next;
    if (![...running.values()].every(isUnanswered)) this.lookAgain();
    else if ([...this.remote].every((each) => each.isIdle())) return next;
    return undefined;
  }

  /** The environment of a process that `lend` gives this time. */
  get env() {
    return { ...preload("time.js"), TESTS_TIME: String(this.time) };
  }

  /** Gives this time to a process, which calls are made of. */
  lend(child: ChildProcess, countCalls: () => number): RemoteTime {
    const remote = new RemoteTime(this, child, countCalls);
    this.remote.add(remote);
    child.once("exit", () => {
      this.remote.delete(remote);
      remote.end();
      this.schedule();
    });
    return remote;
  }

  /** Whether a request is never responded to, the service decides later. */
  private lookAgain(): void {
    if (this.looksAgain) return;
    this.looksAgain = true;
    setTimeout(() => {
      this.looksAgain = false;
      this.schedule();
    }, 1);
  }
}

interface Told {
  wait?: number;
  ms?: number;
  stop?: number;
  request?: string;
  response?: string;
  answer?: number;
  /** Its waits and requests. */
  awaits?: number;
}

/** The time of a test in another process (TestsTime in preload/time.js): its waits and requests are the test's, too. */
export class RemoteTime {
  private readonly stops = new Map<number, () => void>();
  private readonly requests = new Map<string, object>();
  private events = 0;
  private asked = -1;
  private idleSince = -1;

  constructor(
    private readonly time: RequestTime,
    private readonly child: ChildProcess,
    private readonly countCalls: () => number,
  ) {
    child.on("message", (told: Told) => this.hear(told));
  }

  /** Something has happened, so that the process may have something to do. */
  wake = (): void => {
    this.events++;
  };

  tell(message: object): void {
    this.wake();
    if (this.child.connected) this.child.send({ ...message, time: this.time.now() }, () => {});
  }

  /** Whether the process only waits. If that is not known, it is asked, and the time looks again when it has answered. */
  isIdle(): boolean {
    if (this.idleSince === this.events) return true;
    if (this.asked !== this.events) {
      this.asked = this.events;
      // Before 0 there is none.
      if (this.child.connected) this.child.send({ ask: this.events + 1, time: this.time.now() }, () => {});
    }
    return false;
  }

  end(): void {
    for (const stop of this.stops.values()) stop();
    for (const request of this.requests.values()) running.delete(request);
  }

  private hear({ wait, ms, stop, request, response, answer, awaits }: Told): void {
    if (answer !== undefined) {
      // A call without a wait or request is one that the process works on.
      if (answer === this.events + 1 && (this.countCalls() === 0 || awaits! > 0)) this.idleSince = this.events;
      else this.asked = -1;
    } else this.wake();
    if (wait !== undefined)
      this.stops.set(
        wait,
        this.time.after(ms!, () => this.finish(wait)),
      );
    if (stop !== undefined) {
      this.stops.get(stop)?.();
      this.stops.delete(stop);
    }
    if (request !== undefined) {
      const key = {};
      this.requests.set(request, key);
      running.set(key, request);
    }
    if (response !== undefined) {
      running.delete(this.requests.get(response)!);
      this.requests.delete(response);
    }
    this.time.schedule();
  }

  private finish(wait: number): void {
    this.stops.delete(wait);
    this.tell({ end: wait });
  }
}

/**
 * The environment of a process whose waits are shorter: with 10, a wait of 10 s lasts 1 s, and then 10 s have passed.
 * Requests have as much time as they need, unless a deadline limits it.
 */
export const fastClock = (factor: number) => ({
  ...preload("time.js"),
  FAST_TIME: String(factor),
  TUNNEL_EDGE_TIMEOUT_SECONDS: "3600",
});
