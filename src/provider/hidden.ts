/**
 * Resource options that the engine does not pass on to a dynamic provider. The constructor carries them as hidden
 * inputs: names that begin with `__` are internal to the engine, which neither shows nor compares them.
 */

import { isObject, type Json, type JsonObject } from "../api/wire";
import { equal } from "./equal";

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

  /** The arguments whose changes the options ignore. */
  ignoredIn(inputs: JsonObject): string[] {
    const paths = inputs[this.ignored];
    return Array.isArray(paths) ? paths.map(String) : [];
  },

  /** Whether the options want a replacement when the value at this path changes as it does. */
  replacesOnChange(inputs: JsonObject, change: string[], before: JsonObject, now: JsonObject): boolean {
    const wished = inputs[this.replaceOnChanges];
    return Array.isArray(wished) && wished.some((path) => covers(keysOf(String(path)), change, before, now));
  },

  deleteTimeout: (values: JsonObject) => timeoutIn(values, "delete"),

  /** What the state must keep: the engine deletes and reads with the outputs at hand, not the inputs. */
  kept(values: JsonObject, ignored: string[]): JsonObject {
    const timeout = this.deleteTimeout(values);
    return {
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
function covers(keys: string[], change: string[], before: JsonObject, now: JsonObject): boolean {
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
  const text = timeoutIn(values, operation);
  // Pulumi takes 0 for no timeout.
  const time = text === undefined ? 0 : milliseconds(text);
  return time > 0 ? Date.now() + time : undefined;
}

/** What to tell the user of an operation that gave up. */
export const ranOut = (values: JsonObject, operation: string) =>
  `The resource's customTimeouts give ${operation} ${timeoutIn(values, operation)}: raise it if the service needs longer.`;

function timeoutIn(values: JsonObject, operation: string): string | undefined {
  const timeouts = values[hidden.timeouts];
  const text = isObject(timeouts) ? timeouts[operation] : undefined;
  return typeof text === "string" ? text : undefined;
}

const units: Record<string, number> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

export const isDuration = (time: unknown) => /^(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:[nuµm]?s|m|h))+)$/.test(String(time));

/** Reads a duration as Pulumi writes it, `1h30m` or `1.5s`, in whole milliseconds: timers take no others. */
function milliseconds(text: string): number {
  const parts = [...text.matchAll(/(\d*\.?\d+)(ns|us|µs|ms|s|m|h)/g)];
  return Math.ceil(parts.reduce((total, [, amount, unit]) => total + Number(amount) * units[unit!]!, 0));
}
