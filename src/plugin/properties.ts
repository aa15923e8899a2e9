/**
 * Properties as the protocol writes them: unknown values as certain strings, secrets in envelopes. They are read and
 * written as plain objects. The library would make a message of every value and a map of every object, and then convert
 * them, which takes longer than all that the provider does with them. Its generated code reads and writes properties
 * through two functions, which are replaced here.
 */

import type { BinaryReader, BinaryWriter } from "google-protobuf";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { unknownValue } from "../core/unknown";
import { isObject, type Json, type JsonObject } from "../json";

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

const contents = new WeakMap<Struct, JsonObject>();

/** Properties without envelopes, with one string for everything unknown. */
export const decode = (properties: Struct | undefined): JsonObject => (properties && contents.get(properties)) ?? {};

/** Properties, with these among them as secrets. */
export function encode(properties: JsonObject, secrets: string[] = []): Struct {
  const entries = Object.entries(properties).map(([name, value]): [string, Json] => [
    name,
    secrets.includes(name) && value !== null && value !== undefined ? { [envelopeKey]: secretMark, value } : value,
  ]);
  const struct = new Struct();
  contents.set(struct, Object.fromEntries(entries));
  return struct;
}

Struct.deserializeBinaryFromReader = (struct, reader) => {
  contents.set(struct, readObject(reader));
  return struct;
};

Struct.serializeBinaryToWriter = (struct, writer) => writeObject(contents.get(struct) ?? {}, writer);

/** Calls a function at each field of the message that the reader is in. */
function readFields(reader: BinaryReader, readField: (number: number) => void): void {
  while (reader.nextField() && !reader.isEndGroup()) readField(reader.getFieldNumber());
}

/** The message at the reader's field, which `read` reads. */
function readMessage<T>(reader: BinaryReader, read: (reader: BinaryReader) => T): T {
  let message: T | undefined;
  reader.readMessage({}, () => {
    message = read(reader);
  });
  return message!;
}

function readObject(reader: BinaryReader): JsonObject {
  const object: JsonObject = {};
  readFields(reader, () => {
    const [key, value] = readMessage(reader, readEntry);
    object[key] = value;
  });
  return object;
}

function readEntry(reader: BinaryReader): [string, Json] {
  let [key, value]: [string, Json] = ["", null];
  readFields(reader, (number) => {
    if (number === 1) key = reader.readString();
    else value = readMessage(reader, readValue);
  });
  return [key, value];
}

function readList(reader: BinaryReader): Json[] {
  const list: Json[] = [];
  readFields(reader, () => list.push(readMessage(reader, readValue)));
  return list;
}

/** Reads a value by the number of its field, which is its type. */
const readers: Record<number, (reader: BinaryReader) => Json> = {
  1: (reader) => {
    reader.readEnum();
    return null;
  },
  2: (reader) => reader.readDouble(),
  3: (reader) => {
    const text = reader.readString();
    return unknownStrings.has(text) ? unknownValue : text;
  },
  4: (reader) => reader.readBool(),
  5: (reader) => {
    const object = readMessage(reader, readObject);
    return object[envelopeKey] === secretMark ? (object.value ?? null) : object;
  },
  6: (reader) => readMessage(reader, readList),
};

function readValue(reader: BinaryReader): Json {
  let value: Json = null;
  readFields(reader, (number) => {
    value = readers[number]!(reader);
  });
  return value;
}

function writeObject(object: JsonObject, writer: BinaryWriter): void {
  for (const entry of Object.entries(object)) {
    if (entry[1] !== undefined) writer.writeMessage(1, entry, writeEntry);
  }
}

function writeEntry([key, value]: [string, Json], writer: BinaryWriter): void {
  writer.writeString(1, key);
  writer.writeMessage(2, [value], writeValue);
}

function writeList(list: Json[], writer: BinaryWriter): void {
  for (const value of list) writer.writeMessage(1, [value], writeValue);
}

/** Writes a value, given in a list because the writer skips null. */
function writeValue([value]: [Json], writer: BinaryWriter): void {
  if (typeof value === "string") writer.writeString(3, value);
  else if (typeof value === "boolean") writer.writeBool(4, value);
  else if (typeof value === "number") writer.writeDouble(2, value);
  else if (Array.isArray(value)) writer.writeMessage(6, value, writeList);
  else if (isObject(value)) writer.writeMessage(5, value, writeObject);
  else writer.writeEnum(1, 0 as never);
}
