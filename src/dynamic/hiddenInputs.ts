/**
 * Resource options that the engine does not pass on to a dynamic provider. The constructor adds them as hidden inputs:
 * names that begin with `__` are internal, and the engine neither shows nor compares them.
 */

import type { Options } from "../core/options";
import type { Timeouts } from "../core/timeouts";
import { isObject, type Json, type JsonObject } from "../json";

export const hiddenInputs = {
  /** The text that the dynamic provider host evaluates to find the provider. */
  provider: "__provider",
  /** `opts.import`. */
  import: "__import",
  /** `opts.replaceOnChanges`. */
  replaceOnChanges: "__replaceOnChanges",
  /** `opts.customTimeouts`. */
  timeouts: "__timeouts",
  /** `opts.ignoreChanges`. */
  ignoreChanges: "__ignored",
  /** The resource's name, for messages: the engine shows those of a dynamic provider on the stack's row. */
  name: "__resource",
  /** The resource's parents, if it has any other than the stack: with its name, they identify it. */
  parents: "__parents",
  /** Whether the program runs in a preview. Check removes it. */
  preview: "__preview",
} as const;

/** The options in a resource's inputs or, as far as the state keeps them, in its outputs. */
export function parseOptions(type: string, properties: JsonObject): Options {
  const { [hiddenInputs.name]: name, [hiddenInputs.parents]: parents, [hiddenInputs.import]: importId } = properties;
  const resource = typeof name === "string" ? `${type} ${JSON.stringify(name)}` : type;
  return {
    key: typeof parents === "string" ? `${parents} ${resource}` : resource,
    resource,
    ...(typeof importId === "string" && { importId }),
    ignoreChanges: strings(properties[hiddenInputs.ignoreChanges]),
    replaceOnChanges: strings(properties[hiddenInputs.replaceOnChanges]),
    timeouts: parseTimeouts(properties[hiddenInputs.timeouts]),
  };
}

/** What the state keeps of the hidden inputs: the engine reads and deletes with the outputs, without the inputs. */
export function persistedInputs(properties: JsonObject, ignored: string[]): JsonObject {
  const { delete: deleteTimeout } = parseTimeouts(properties[hiddenInputs.timeouts]);
  return {
    ...nameInput(properties),
    ...(deleteTimeout !== undefined && { [hiddenInputs.timeouts]: { delete: deleteTimeout } }),
    ...(ignored.length > 0 && { [hiddenInputs.ignoreChanges]: ignored }),
  };
}

/** The name as it is in the properties: the engine would show one that comes and goes as a change. */
export const nameInput = (properties: JsonObject): JsonObject =>
  properties[hiddenInputs.name] === undefined ? {} : { [hiddenInputs.name]: properties[hiddenInputs.name]! };

function parseTimeouts(timeouts: Json | undefined): Timeouts {
  if (!isObject(timeouts)) return {};
  return Object.fromEntries(Object.entries(timeouts).filter(([, time]) => typeof time === "string"));
}

const strings = (paths: Json | undefined) => (Array.isArray(paths) ? paths.map(String) : []);
