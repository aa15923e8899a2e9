/**
 * Properties as the protocol writes them: unknown values as certain strings, secrets in envelopes. They are read and
 * written as plain objects. The library would make a message of every value and a map of every object, and then convert
 * them, which takes longer than all that the provider does with them. Its generated code reads and writes properties
 * through two functions, which are replaced here.
 */

import type { BinaryReader, BinaryWriter } from "google-protobuf";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { isObject, type Json, type JsonObject } from "../base/json";
import { encloseSecrets, isSecretEnvelope, type Marked, type SecretMarks } from "../core/secrets";
import { unknownStrings, unknownValue } from "../core/unknown";

const contents = new WeakMap<Struct, Marked>();

/** Properties without envelopes, with one string for everything unknown; and which of them are secret. */
export const decode = (properties: Struct | undefined): Marked =>
  (properties && contents.get(properties)) ?? { values: {} };

/** Properties, with the secrets in envelopes. */
export function encode(properties: Marked): Struct {
  const struct = new Struct();
  contents.set(struct, { values: encloseSecrets(properties) });
  return struct;
}

Struct.deserializeBinaryFromReader = (struct, reader) => {
  marksOfLast = undefined;
  const values = readObject(reader);
  contents.set(struct, { values, marks: marksOfLast });
  return struct;
};

Struct.serializeBinaryToWriter = (struct, writer) => writeObject(contents.get(struct)?.values ?? {}, writer);

/** What is secret in the value that was read last. */
let marksOfLast: SecretMarks | undefined;

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
  let marks: { [key: string]: SecretMarks } | undefined;
  readFields(reader, () => {
    const [key, value] = readMessage(reader, readEntry);
    object[key] = value;
    if (marksOfLast !== undefined) marks = { ...marks, [key]: marksOfLast };
  });
  marksOfLast = marks;
  return object;
}

function readEntry(reader: BinaryReader): [string, Json] {
  let [key, value]: [string, Json] = ["", null];
  marksOfLast = undefined;
  readFields(reader, (number) => {
    if (number === 1) key = reader.readString();
    else value = readMessage(reader, readValue);
  });
  return [key, value];
}

function readList(reader: BinaryReader): Json[] {
  const list: Json[] = [];
  let hasSecret = false;
  readFields(reader, () => {
    list.push(readMessage(reader, readValue));
    hasSecret ||= marksOfLast !== undefined;
  });
  marksOfLast = hasSecret || undefined;
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
    if (!isSecretEnvelope(object)) return object;
    marksOfLast = true;
    return object.value ?? null;
  },
  6: (reader) => readMessage(reader, readList),
};

function readValue(reader: BinaryReader): Json {
  let value: Json = null;
  marksOfLast = undefined;
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
