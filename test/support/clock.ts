/** How tests control time, in this process and in others: see time.js. */
import { channel } from "node:diagnostics_channel";
import { mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

const { SimulatedTime, SharedTime } = require("./preload/time.js") as {
  SimulatedTime: new (seed?: number) => Time & { time: number; findNext(): Wait | undefined; schedule(): void };
  SharedTime: {
    create(time: number): Float64Array;
    read(file: number): number;
  };
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

afterAll(() => {
  for (const stopListening of listening.splice(0)) stopListening();
});

/** A time in which waiting takes no time, but none passes while a request runs that the service will respond to. */
export class RequestTime extends SimulatedTime {
  private looksAgain = false;

  constructor() {
    super();
    this.time = Date.now();
  }

  /** Lets time pass. */
  pass = (ms: number): void => {
    this.time += ms;
  };

  override findNext() {
    const next = super.findNext();
    if (!next || [...running.values()].every(isUnanswered)) return next;
    this.lookAgain();
    return undefined;
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

/** A time for this process. An emulator has the real time, unless it gets this one. */
export function createRequestTime(): RequestTime {
  if (listening.length === 0) listenToRequests();
  return new RequestTime();
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

export type SharedClock = ReturnType<typeof createSharedClock>;

let folder: string | undefined;
let count = 0;
afterAll(() => folder && rmSync(folder, { recursive: true, force: true }));

/** A clock that several processes share, on which waiting takes no time. */
export function createSharedClock() {
  folder ??= mkdtempSync(join(tmpdir(), "clock-"));
  const path = join(folder, String(++count));
  const set = (time: number) => writeFileSync(path, SharedTime.create(time));
  set(Date.now());
  const file = openSync(path, "r");
  const now = () => SharedTime.read(file);
  const env = { ...preload("time.js"), SHARED_TIME: path };
  return {
    now,
    /** Lets time pass while no process uses the clock. */
    pass: (ms: number) => set(now() + ms),
    /** The environment of a process that uses the clock. */
    env,
    /** The same for the CLI: no time passes while its engine works. */
    cliEnv: { ...env, SHARED_WITH_CLI: "1" },
  };
}
