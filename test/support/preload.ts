/** The environment of a process that loads a script of this folder before its own code. */
import { resolve } from "node:path";

const preload = (script: string) => ({ NODE_OPTIONS: `--require ${resolve(__dirname, script)}` });

/** Time passes faster: with 10, a second lasts 100 ms. All processes with this environment have the same time. */
export const fastClock = (factor: number) => ({
  ...preload("fastClock.js"),
  FAST_CLOCK: String(factor),
  FAST_CLOCK_SINCE: String(Date.now()),
});

/** The time of the processes with such an environment. */
export function fastNow({ FAST_CLOCK, FAST_CLOCK_SINCE }: ReturnType<typeof fastClock>): number {
  const since = Number(FAST_CLOCK_SINCE);
  return since + (Date.now() - since) * Number(FAST_CLOCK);
}

/** A package cannot be loaded. */
export const hideModule = (name: string) => ({ ...preload("hideModule.js"), HIDE_MODULE: name });
