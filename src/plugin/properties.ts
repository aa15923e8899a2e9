/** Properties as the protocol writes them: unknown values as certain strings, secrets in envelopes. */

import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { unknownValue } from "../core/unknown";
import { isObject, type Json, type JsonObject, withoutUndefined } from "../json";

/** The strings that stand for an unknown boolean, number, string, list, asset, archive and object. */
const unknownStrings = new Set([
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  unknownValue,
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** The key that marks an envelope, and its value where the envelope contains a secret. */
const envelopeKey = "4dabf18193072939515e22adb298388d";
const secretMark = "1b47061264138c4ac30d75fd1eb44270";

/** Properties without envelopes, with one string for everything unknown. */
export const decode = (properties: Struct | undefined): JsonObject =>
  decodeValue((properties?.toJavaScript() ?? {}) as JsonObject) as JsonObject;

function decodeValue(value: Json): Json {
  if (typeof value === "string") return unknownStrings.has(value) ? unknownValue : value;
  if (Array.isArray(value)) return value.map(decodeValue);
  if (!isObject(value)) return value;
  if (value[envelopeKey] === secretMark) return decodeValue(value.value ?? null);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, decodeValue(inner)]));
}

/** Properties, with these among them as secrets. */
export function encode(properties: JsonObject, secrets: string[] = []): Struct {
  const entries = Object.entries(withoutUndefined(properties)).map(([name, value]): [string, Json] => [
    name,
    secrets.includes(name) && value !== null ? { [envelopeKey]: secretMark, value } : value,
  ]);
  return Struct.fromJavaScript(Object.fromEntries(entries));
}
