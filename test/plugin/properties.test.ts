/** Properties are on the wire what the library would write, and are read as the library would read them. */
import fc from "fast-check";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { JsonObject } from "../../src/json";

const { deserializeBinaryFromReader, serializeBinaryToWriter } = Struct;
const library = { deserializeBinaryFromReader, serializeBinaryToWriter };
const { decode, encode } = require("../../src/plugin/properties") as typeof import("../../src/plugin/properties");
const own = {
  deserializeBinaryFromReader: Struct.deserializeBinaryFromReader,
  serializeBinaryToWriter: Struct.serializeBinaryToWriter,
};

const writeWith = (functions: typeof own, struct: Struct) =>
  Object.assign(Struct, functions) && struct.serializeBinary();
const readWith = (functions: typeof own, bytes: Uint8Array) =>
  Object.assign(Struct, functions) && Struct.deserializeBinary(bytes);

const objects = fc.object({
  key: fc.string({ unit: "grapheme" }).filter((key) => key !== "__proto__"),
  values: [fc.string({ unit: "grapheme" }), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)],
  maxDepth: 3,
  maxKeys: 4,
}) as fc.Arbitrary<JsonObject>;

const seed = Number(process.env["SEED"] ?? 1115);

test(`what the library writes is read, and the library reads what is written (SEED=${seed})`, () => {
  fc.assert(
    fc.property(objects, (object) => {
      expect(decode(readWith(own, writeWith(library, Struct.fromJavaScript(object as never))))).toEqual(object);
      expect(readWith(library, writeWith(own, encode(object))).toJavaScript()).toEqual(object);
    }),
    { seed, numRuns: 500 },
  );
});

test("secrets are put into envelopes and taken out, whatever is not set is left out, and unknown values are one", () => {
  const bytes = writeWith(
    own,
    encode({ token: "t", none: null, unset: undefined as never, open: ["o"] }, ["token", "none", "unset"]),
  );
  const envelope = (value: string) => ({
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    value,
  });
  expect(readWith(library, bytes).toJavaScript()).toEqual({ token: envelope("t"), none: null, open: ["o"] });
  const sent = {
    settings: { key: envelope("k"), tags: [envelope("a"), "3eeb2bf0-c639-47a8-9e75-3b44932eb421"] },
    name: "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  };
  const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
  expect(decode(readWith(own, writeWith(library, Struct.fromJavaScript(sent))))).toEqual({
    settings: { key: "k", tags: ["a", unknown] },
    name: unknown,
  });
});
