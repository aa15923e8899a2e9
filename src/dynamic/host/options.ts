/** The options of a resource, from its hidden inputs. */

import { isObject, type Json, type JsonObject } from "../../base/json";
import { type Options, titleOf } from "../../core/options";
import type { Timeouts } from "../../core/timeouts";
import { hiddenInputs, keyOf } from "../hiddenInputs";

/** The options in a resource's inputs or, as far as the state keeps them, in its outputs. */
export function parseOptions(type: string, properties: JsonObject): Options {
  const { [hiddenInputs.name]: name, [hiddenInputs.parents]: parents, [hiddenInputs.import]: importId } = properties;
  const resource = typeof name === "string" ? titleOf(type, name) : type;
  const edgeKey = properties[hiddenInputs.edgeKey];
  return {
    key: keyOf(resource, parents),
    resource,
    ...(typeof edgeKey === "string" && { edgeKey }),
    ...(typeof importId === "string" && { importId }),
    ignoreChanges: strings(properties[hiddenInputs.ignoreChanges]),
    replaceOnChanges: strings(properties[hiddenInputs.replaceOnChanges]),
    timeouts: parseTimeouts(properties[hiddenInputs.timeouts]),
  };
}

/** What the state keeps of the hidden inputs: the engine reads and deletes with the outputs, without the inputs. */
export function persistedInputs(properties: JsonObject): JsonObject {
  const timeouts = persistedTimeouts(properties);
  return { ...nameInput(properties), ...(Object.keys(timeouts).length > 0 && { [hiddenInputs.timeouts]: timeouts }) };
}

/** The timeouts that the state keeps. */
export function persistedTimeouts(properties: JsonObject): JsonObject {
  const { read, delete: remove } = parseTimeouts(properties[hiddenInputs.timeouts]);
  return { ...(read !== undefined && { read }), ...(remove !== undefined && { delete: remove }) };
}

/** The name as it is in the properties: the engine would show one that comes and goes as a change. */
export const nameInput = (properties: JsonObject): JsonObject =>
  properties[hiddenInputs.name] === undefined ? {} : { [hiddenInputs.name]: properties[hiddenInputs.name]! };

function parseTimeouts(timeouts: Json | undefined): Timeouts {
  if (!isObject(timeouts)) return {};
  return Object.fromEntries(Object.entries(timeouts).filter(([, time]) => typeof time === "string"));
}

const strings = (paths: Json | undefined) => (Array.isArray(paths) ? paths.map(String) : []);
