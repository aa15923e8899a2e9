/**
 * Resource options that the engine does not pass on to a dynamic provider. The constructor carries them as hidden
 * inputs: names that begin with `__` are internal to the engine, which neither shows nor compares them.
 */

import { isObject, type JsonObject } from "../api/wire";

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

  /** Whether the options want a replacement when this argument changes. */
  replacesOnChange(inputs: JsonObject, name: string): boolean {
    const paths = inputs[this.replaceOnChanges];
    return Array.isArray(paths) && paths.some((path) => path === "*" || String(path).split(/[.[]/)[0] === name);
  },

  deleteTimeout(values: JsonObject): string | undefined {
    const timeouts = values[this.timeouts];
    return isObject(timeouts) && typeof timeouts.delete === "string" ? timeouts.delete : undefined;
  },

  /** What the state must keep: the engine deletes with the outputs at hand, not the inputs. */
  kept(values: JsonObject): JsonObject {
    const timeout = this.deleteTimeout(values);
    return timeout === undefined ? {} : { [this.timeouts]: { delete: timeout } };
  },
};

/** When an operation must give up, by the resource's `customTimeouts`. */
export function deadlineFor(values: JsonObject, operation: Operation): number | undefined {
  const timeouts = values[hidden.timeouts];
  const text = isObject(timeouts) ? timeouts[operation] : undefined;
  return typeof text === "string" ? Date.now() + milliseconds(text) : undefined;
}

const units: Record<string, number> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Reads a duration as Pulumi writes it: `1h30m`, `90s`. */
function milliseconds(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)];
  return parts.reduce((total, [, amount, unit]) => total + Number(amount) * units[unit!]!, 0);
}
