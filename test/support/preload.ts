/** The environment of a process that loads a script of this folder before its own code. */
import { resolve } from "node:path";

const preload = (script: string) => ({ NODE_OPTIONS: `--require ${resolve(__dirname, script)}` });

/** Time passes faster: with 10, a second lasts 100 ms. All processes with this environment have the same time. */
export const fastClock = (factor: number) => ({
  ...preload("fastClock.js"),
  FAST_CLOCK: String(factor),
  FAST_CLOCK_SINCE: String(Date.now()),
});

/** A package cannot be loaded. */
export const hideModule = (name: string) => ({ ...preload("hideModule.js"), HIDE_MODULE: name });
