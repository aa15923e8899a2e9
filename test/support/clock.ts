/** How tests control time, in this process and in others: see time.js. */
import { mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Clock, type Time } from "../../src/base/clock";
import { preload } from "./preload/preload";

const { SimulatedTime, SharedTime, requestIdHeader } = require("./preload/time.js") as {
  SimulatedTime: new (seed?: number) => Time;
  SharedTime: {
    new (path: string): Time & { stop(): void };
    create(time: number): Float64Array;
    read(file: number): number;
  };
  requestIdHeader: string;
};

export { requestIdHeader };

/** For this process: a time in which waiting takes no time. Each seed has its own random numbers. */
export const createSimulatedTime = (seed?: number) => new SimulatedTime(seed);

export const createSimulatedClock = () => new Clock(createSimulatedTime());

/**
 * For this process, one for all tests of a file: waiting takes no time, but none passes while a request runs. An emulator
 * has the real time, unless it gets this one.
 */
export function createRequestTime(): Time {
  const time = new SharedTime(createSharedClock().env.SHARED_TIME);
  afterAll(time.stop);
  return time;
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
