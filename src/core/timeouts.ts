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
  const duration = parseDuration(timeouts[option] ?? "") ?? 0n;
  // Pulumi reads 0 as no timeout. Timers take whole milliseconds.
  if (duration <= 0n) return undefined;
  const hint = `Timed out after ${timeouts[option]} (customTimeouts.${option}).`;
  return { at: clock.now() + Math.ceil(Number(duration) / 1e6), hint };
}

/** Whether a deadline has passed. Timers may fire a little early. */
export const hasPassed = (deadline: Deadline | undefined, clock: Clock): deadline is Deadline =>
  deadline !== undefined && clock.now() > deadline.at - 10;

const units: Record<string, number> = {
  ns: 1,
  us: 1e3,
  "\u00b5s": 1e3, // micro sign
  "\u03bcs": 1e3, // Greek letter mu
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};
const part = `(?:(\\d+)\\.?(\\d*)|\\.(\\d+))(${Object.keys(units).join("|")})`;
const wholeDuration = new RegExp(`^[+-]?(?:0|(?:${part})+)$`);

/** The nanoseconds of a duration, as Go's `time.ParseDuration` reads it; undefined where that is an error. */
export function parseDuration(duration: string): bigint | undefined {
  if (!wholeDuration.test(duration)) return undefined;
  let total = 0n;
  for (const [, whole = "0", fraction, onlyFraction, unit] of duration.matchAll(new RegExp(part, "g"))) {
    const size = units[unit!]!;
    const digits = (fraction || onlyFraction || "0").slice(0, 19);
    total += BigInt(whole) * BigInt(size) + BigInt(Math.trunc(Number(digits) * (size / 10 ** digits.length)));
  }
  const signed = duration.startsWith("-") ? -total : total;
  return BigInt.asIntN(64, signed) === signed ? signed : undefined;
}

/** Whether a timeout is valid: a duration of 0 or more. */
export const isTimeout = (time: unknown) => (parseDuration(String(time)) ?? -1n) >= 0n;

/** Which of these timeouts is not valid, as a message. */
export function describeInvalidTimeout(resource: string, timeouts: object): string | undefined {
  const invalid = Object.entries(timeouts).find(([, time]) => time !== undefined && !isTimeout(time));
  if (!invalid) return undefined;
  const [operation, time] = invalid;
  return `customTimeouts.${operation} of ${resource} must be a duration such as "1h30m", not ${JSON.stringify(time)}.`;
}
