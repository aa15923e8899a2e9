/**
 * Resource options that the engine does not pass on to a dynamic provider. The constructor carries them as hidden
 * inputs: names that begin with `__` are internal to the engine, which neither shows nor compares them.
 */

import { equal, isObject, type Json, type JsonObject } from "../json";

export type Operation = "create" | "update" | "delete";

export const hidden = {
  /** The text that the dynamic host evaluates to find the provider. */
  provider: "__provider",
  /** `opts.import`: the id of an existing object to take over. */
  import: "__import",
  /** `opts.replaceOnChanges`. */
  replaceOnChanges: "__replaceOnChanges",
  /** `opts.customTimeouts`. */
  timeouts: "__timeouts",
  /** `opts.ignoreChanges`. */
  ignored: "__ignored",
  /** The resource's name in the program, for messages: the engine shows those of a dynamic provider on the stack's row. */
  name: "__resource",
  /** Whether the program runs in a preview. Check takes it out again. */
  preview: "__preview",

  /** How messages name a resource: `TcpEdge "ssh"`. */
  resourceIn(type: string, inputs: JsonObject): string {
    const name = inputs[this.name];
    return typeof name === "string" ? `${type} ${JSON.stringify(name)}` : type;
  },

  /** A read returns the name as it found it: the engine would show one that comes and goes as a change. */
  nameIn: (values: JsonObject): JsonObject =>
    values[hidden.name] === undefined ? {} : { [hidden.name]: values[hidden.name]! },

  withoutPreview(inputs: JsonObject): JsonObject {
    const { [this.preview]: _, ...rest } = inputs;
    return rest;
  },

  /** The arguments whose changes the options ignore. */
  ignoredIn(inputs: JsonObject): string[] {
    const paths = inputs[this.ignored];
    return Array.isArray(paths) ? paths.map(String) : [];
  },

  /** Whether the options want a replacement when the value at this path changes as it does. */
  replacesOnChange(inputs: JsonObject, change: string[], before: JsonObject, now: JsonObject): boolean {
    const wished = inputs[this.replaceOnChanges];
    return Array.isArray(wished) && wished.some((path) => matchesPath(keysOf(String(path)), change, before, now));
  },

  deleteTimeout: (values: JsonObject) => timeoutIn(values, "delete"),

  /** What the state must keep: the engine deletes and reads with the outputs at hand, not the inputs. */
  kept(values: JsonObject, ignored: string[]): JsonObject {
    const timeout = this.deleteTimeout(values);
    return {
      ...this.nameIn(values),
      ...(timeout !== undefined && { [this.timeouts]: { delete: timeout } }),
      ...(ignored.length > 0 && { [this.ignored]: ignored }),
    };
  },
};

const isHidden = (name: string) => name.startsWith("__");

/** What is internal, the engine's and our own. */
export const hiddenIn = (values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([name]) => isHidden(name)));

export const withoutHidden = (values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !isHidden(name)));

/** The keys of a property path as Pulumi writes it: `backend.enabled`, `policy.inbound[0]`, `*`, `["description"]`. */
const keysOf = (path: string) =>
  [...path.matchAll(/\["((?:\\.|[^"\\])*)"\]|[^.[\]]+/g)].map(
    ([key, quoted]) => quoted?.replace(/\\(.)/g, "$1") ?? key,
  );

/** Whether a change is at or below a path of the options, or is one of what holds the value there. */
function matchesPath(keys: string[], change: string[], before: JsonObject, now: JsonObject): boolean {
  const isOnTheWay = change.every((key, index) => [undefined, "*", key].includes(keys[index]));
  return isOnTheWay && differAt([...change, ...keys.slice(change.length)], before, now);
}

/** Whether two values differ at a path, where `*` stands for every key. */
function differAt([key, ...rest]: string[], before: Json | undefined, now: Json | undefined): boolean {
  if (key === undefined) return !equal(before, now);
  const [old, next] = [inside(before), inside(now)];
  const keys = key === "*" ? Object.keys({ ...old, ...next }) : [key];
  return keys.some((each) => differAt(rest, old[each], next[each]));
}

const inside = (value: Json | undefined): Partial<JsonObject> =>
  typeof value === "object" && value !== null ? (value as JsonObject) : {};

/** When an operation must give up, by the resource's `customTimeouts`. */
export function deadlineFor(values: JsonObject, operation: Operation): number | undefined {
  const duration = parseDuration(timeoutIn(values, operation) ?? "") ?? 0n;
  // Pulumi takes 0 for no timeout. Timers take whole milliseconds.
  return duration > 0n ? Date.now() + Math.ceil(Number(duration) / 1e6) : undefined;
}

/** Why an operation gave up; an import takes the place of a create. */
export function timeoutHint(values: JsonObject, operation: Operation | "read" | "import"): string {
  const option = operation === "import" ? "create" : operation;
  return `Timed out after ${timeoutIn(values, option)} (customTimeouts.${option}).`;
}

function timeoutIn(values: JsonObject, operation: string): string | undefined {
  const timeouts = values[hidden.timeouts];
  const text = isObject(timeouts) ? timeouts[operation] : undefined;
  return typeof text === "string" ? text : undefined;
}

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

/** The nanoseconds of a duration, as Go's `time.ParseDuration` reads it: undefined where that is an error. */
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

/** Whether a timeout can be kept: Go reads durations below zero as well, but nothing can be done in one. */
export const isTimeout = (time: unknown) => (parseDuration(String(time)) ?? -1n) >= 0n;
