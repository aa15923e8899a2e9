/**
 * The options and the secret marks in the properties of a class. The options are hidden inputs. The secret marks are
 * names of arguments, each of which is secret as a whole. The class passes the names of those that contain secrets, and
 * the outputs have the names of earlier secrets, too.
 */

import { isObject, type Json, type JsonObject } from "../../base/json";
import { type Options, titleOf } from "../../core/options";
import { type Marked, markedNames, markNames, namedSecrets, secretsKey } from "../../core/secrets";
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

/** What the state keeps of the options: the engine reads and deletes with the outputs, without the inputs. */
export function persistedInputs(properties: JsonObject): JsonObject {
  const { read, delete: remove } = parseTimeouts(properties[hiddenInputs.timeouts]);
  const timeouts = { ...(read !== undefined && { read }), ...(remove !== undefined && { delete: remove }) };
  return { ...nameInput(properties), ...(Object.keys(timeouts).length > 0 && { [hiddenInputs.timeouts]: timeouts }) };
}

/** The name as it is in the properties: the engine would show one that comes and goes as a change. */
export const nameInput = (properties: JsonObject): JsonObject =>
  properties[hiddenInputs.name] === undefined ? {} : { [hiddenInputs.name]: properties[hiddenInputs.name]! };

function parseTimeouts(timeouts: Json | undefined): Timeouts {
  if (!isObject(timeouts)) return {};
  return Object.fromEntries(Object.entries(timeouts).filter(([, time]) => typeof time === "string"));
}

const strings = (paths: Json | undefined) => (Array.isArray(paths) ? paths.map(String) : []);

/** What the program declares with these arguments. An argument that it ignores has its value from the state. */
export function declaredIn(args: JsonObject, inputs: JsonObject, { ignoreChanges }: Options): Marked {
  const ignored = ignoreChanges.map((path) => /[^."[\]]+/.exec(path)?.[0]);
  const isDeclared = (name: string) => !ignored.includes(name) && !ignored.includes("*");
  return {
    values: Object.fromEntries(Object.entries(args).filter(([name]) => isDeclared(name))),
    marks: namedSecrets(inputs),
  };
}

/** What the state has in plain text, because the program declared it so. A read gets no inputs. */
export function recordedPlain(outputs: JsonObject): Marked {
  const secret = markedNames(namedSecrets(outputs));
  return { values: Object.fromEntries(Object.entries(outputs).filter(([name]) => !secret.includes(name))) };
}

/** The names in the outputs as the class gives them: the engine would show those that come and go as a change. */
export function secretsInput({ [secretsKey]: names }: JsonObject, inputs: JsonObject): JsonObject {
  const among = typeof names === "string" ? names.split(" ").filter((name) => name in inputs) : [];
  return among.length > 0 ? { [secretsKey]: among.join(" ") } : {};
}

/** The same values, whose secrets are as the engine reads them of a dynamic provider: each property as a whole. */
export const markWhole = ({ values, marks }: Marked): Marked => ({ values, marks: markNames(markedNames(marks)) });
