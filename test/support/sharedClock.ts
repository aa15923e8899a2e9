/** A clock that several processes share, which does not depend on how fast they are: see useSharedClock.js. */
import { mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { preload } from "./preload";

const { createSlots, readTime } = require("./clockFile.js") as {
  createSlots(time: number): Float64Array;
  readTime(file: number): number;
};

const folder = mkdtempSync(join(tmpdir(), "clock-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

export function createSharedClock() {
  const path = join(folder, String(++count));
  const set = (time: number) => writeFileSync(path, createSlots(time));
  set(Date.now());
  const file = openSync(path, "r");
  const now = () => readTime(file);
  return {
    now,
    /** Lets time pass while no process uses the clock. */
    pass: (ms: number) => set(now() + ms),
    /** The environment of a process that uses the clock. */
    env: { ...preload("useSharedClock.js"), SHARED_CLOCK: path },
  };
}
