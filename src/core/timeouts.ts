/** `customTimeouts`, which Pulumi writes as Go durations. */

import type { Clock } from "../base/clock";

export type OperationName = "create" | "read" | "update" | "delete" | "import";
export type Timeouts = { create?: string; read?: string; update?: string; delete?: string };

/** When an operation must end, in milliseconds since the epoch, and where that comes from. */
export interface Deadline {
  at: number;
  /** Why the operation ended. */
  hint: string;
}

/** The deadline of an operation. An import reads. */
export function deadlineFor(timeouts: Timeouts, operation: OperationName, clock: Clock): Deadline | undefined {
  const option = operation === "import" ? "read" : operation;
  const duration = parseDuration(timeouts[option] ?? "") ?? 0;
  // Pulumi reads 0 as no timeout. Timers take whole milliseconds.
  if (duration <= 0) return undefined;
  const hint = `Timed out after ${timeouts[option]} (customTimeouts.${option}).`;
  return { at: clock.now() + Math.ceil(duration), hint };
}

/** Whether a deadline has passed. Timers may fire a little early. */
export const hasPassed = (deadline: Deadline | undefined, clock: Clock): deadline is Deadline =>
  deadline !== undefined && clock.now() > deadline.at - 10;

/** In milliseconds. */
const units: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  "\u00b5s": 1e-3, // micro sign
  "\u03bcs": 1e-3, // Greek letter mu
  ms: 1,
  s: 1e3,
  m: 60e3,
  h: 3600e3,
};
/** What Go reads as a duration: 292 years. */
const longestMs = 2 ** 63 / 1e6;
const part = `(\\d+\\.?\\d*|\\.\\d+)(${Object.keys(units).join("|")})`;
const wholeDuration = new RegExp(`^[+-]?(?:0|(?:${part})+)$`);

/** The milliseconds of a duration, as Go's `time.ParseDuration` reads it; undefined where that is an error. */
export function parseDuration(duration: string): number | undefined {
  if (!wholeDuration.test(duration)) return undefined;
  const parts = [...duration.matchAll(new RegExp(part, "g"))];
  const total = parts.reduce((sum, [, number, unit]) => sum + Number(number) * units[unit!]!, 0);
  if (total > longestMs) return undefined;
  return duration.startsWith("-") ? -total : total;
}

/** Whether a timeout is valid: a duration of 0 or more. */
export const isTimeout = (time: unknown) => (parseDuration(String(time)) ?? -1) >= 0;

/** Which of these timeouts is not valid, as a message. */
export function describeInvalidTimeout(resource: string, timeouts: object): string | undefined {
  const invalid = Object.entries(timeouts).find(([, time]) => time !== undefined && !isTimeout(time));
  if (!invalid) return undefined;
  const [operation, time] = invalid;
  return `customTimeouts.${operation} of ${resource} must be a duration such as "1h30m", not ${JSON.stringify(time)}.`;
}
