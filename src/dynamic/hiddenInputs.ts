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
  /** Whether the program runs in a preview. */
  preview: "__preview",
  /** Of a module: the edge of the program whose id it has. */
  edge: "__edge",
} as const;

/** Only check needs them, and removes them: they are never in the state. */
export const transientInputs: string[] = [hiddenInputs.preview, hiddenInputs.edge];

/** What identifies a resource in the program. */
export const keyOf = (resource: string, parents: Json | undefined) =>
  typeof parents === "string" ? `${parents} ${resource}` : resource;

/** How messages name a resource. */
export const titleOf = (type: string, name: string) => `${type} ${JSON.stringify(name)}`;

/** The options in a resource's inputs or, as far as the state keeps them, in its outputs. */
export function parseOptions(type: string, properties: JsonObject): Options {
  const { [hiddenInputs.name]: name, [hiddenInputs.parents]: parents, [hiddenInputs.import]: importId } = properties;
  const resource = typeof name === "string" ? titleOf(type, name) : type;
  const edge = properties[hiddenInputs.edge];
  return {
    key: keyOf(resource, parents),
    resource,
    ...(isObject(edge) && { edge: edge as unknown as Options["edge"] }),
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
