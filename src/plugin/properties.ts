/**
 * Properties as the protocol writes them: unknown values as certain strings, secrets in envelopes. They are read and
 * written as plain objects, apart from the rest of their message. The library would make a message of every value and a
 * map of every object, and then convert them. That takes a tenth of the time of a refresh of 400 edges.
 */

import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { BinaryReader, BinaryWriter, Message } from "google-protobuf";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { isObject, type Json, type JsonObject } from "../base/json";
import { encloseSecrets, isSecretEnvelope, type Marked, type SecretMarks } from "../core/secrets";
import { unknownStrings, unknownValue } from "../core/unknown";

export type MessageClass = (new () => Message) & { deserializeBinary(bytes: Uint8Array): Message };

/** The numbers of the fields that are properties, in the messages that the plugin reads or writes. */
export const propertyFields = new Map<unknown, number[]>([
  [messages.CheckRequest, [2, 3]],
  [messages.CheckResponse, [1]],
  [messages.DiffRequest, [3, 4, 6]],
  [messages.ConfigureRequest, [2]],
  [messages.InvokeRequest, [2]],
  [messages.InvokeResponse, [1]],
  [messages.ListRequest, [2]],
  [messages.CreateRequest, [2]],
  [messages.CreateResponse, [2]],
  [messages.ReadRequest, [3, 4]],
  [messages.ReadResponse, [2, 3]],
  [messages.UpdateRequest, [3, 4, 8]],
  [messages.UpdateResponse, [1]],
  [messages.DeleteRequest, [3, 5]],
  [messages.ErrorResourceInitFailed, [2]],
]);

/** What stands for properties in a message, and is empty itself. */
const contents = new WeakMap<Struct, Marked>();

/** Properties without envelopes, with one string for everything unknown; and which of them are secret. */
export const decode = (properties: Struct | undefined): Marked =>
  (properties && contents.get(properties)) ?? { values: {} };

/** Properties, with the secrets in envelopes. */
export const encode = (properties: Marked): Struct => hold({ values: encloseSecrets(properties) });

function hold(properties: Marked): Struct {
  const struct = new Struct();
  contents.set(struct, properties);
  return struct;
}

export function deserialize(Class: MessageClass, bytes: Uint8Array): Message {
  const fields = propertyFields.get(Class) ?? [];
  const reader = new BinaryReader(bytes);
  const found: [number, Struct][] = [];
  const others: Uint8Array[] = [];
  for (let start = 0; reader.nextField(); start = reader.getCursor()) {
    const number = reader.getFieldNumber();
    if (fields.includes(number)) {
      found.push([number, hold(readMessage(reader, readObject))]);
    } else {
      reader.skipField();
      others.push(bytes.subarray(start, reader.getCursor()));
    }
  }
  const message = Class.deserializeBinary(Buffer.concat(others));
  for (const [number, properties] of found) Message.setWrapperField(message, number, properties);
  return message;
}

/** Serializes a message once: its properties are taken out of it. */
export function serialize(message: Message): Buffer {
  const writer = new BinaryWriter();
  for (const number of propertyFields.get(message.constructor) ?? []) {
    const properties = Message.getWrapperField(message, Struct, number);
    if (!properties) continue;
    writer.writeMessage(number, decode(properties).values, writeObject);
    Message.setWrapperField(message, number, undefined);
  }
  return Buffer.concat([message.serializeBinary(), writer.getResultBuffer()]);
}

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

/** A value, and what is secret in it. */
type Read = [value: Json, marks?: SecretMarks];

function readObject(reader: BinaryReader): Marked {
  const values: JsonObject = {};
  let marks: { [key: string]: SecretMarks } | undefined;
  readFields(reader, () => {
    const [key, [value, inner]] = readMessage(reader, readEntry);
    values[key] = value;
    if (inner !== undefined) marks = { ...marks, [key]: inner };
  });
  return { values, marks };
}

function readEntry(reader: BinaryReader): [string, Read] {
  let key = "";
  let read: Read = [null];
  readFields(reader, (number) => {
    if (number === 1) key = reader.readString();
    else read = readMessage(reader, readValue);
  });
  return [key, read];
}

function readList(reader: BinaryReader): Read {
  const list: Json[] = [];
  let hasSecret = false;
  readFields(reader, () => {
    const [value, marks] = readMessage(reader, readValue);
    list.push(value);
    hasSecret ||= marks !== undefined;
  });
  return [list, hasSecret || undefined];
}

/** Reads a value by the number of its field, which is its type. */
const readers: Record<number, (reader: BinaryReader) => Read> = {
  1: (reader) => {
    reader.readEnum();
    return [null];
  },
  2: (reader) => [reader.readDouble()],
  3: (reader) => {
    const text = reader.readString();
    return [unknownStrings.has(text) ? unknownValue : text];
  },
  4: (reader) => [reader.readBool()],
  5: (reader) => {
    const { values, marks } = readMessage(reader, readObject);
    return isSecretEnvelope(values) ? [values.value ?? null, true] : [values, marks];
  },
  6: (reader) => readMessage(reader, readList),
};

function readValue(reader: BinaryReader): Read {
  let read: Read = [null];
  readFields(reader, (number) => {
    read = readers[number]!(reader);
  });
  return read;
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
