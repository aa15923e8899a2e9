/** Properties are on the wire what the library would write, and are read as the library would read them. */
import fc from "fast-check";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { JsonObject } from "../../src/base/json";
import { PartialFailure } from "../../src/core/errors";
import { encloseSecrets } from "../../src/core/secrets";

const { ErrorResourceInitFailed } = require("@pulumi/pulumi/proto/provider_pb");
const { Status } = require("@pulumi/pulumi/proto/status_pb");

const { deserializeBinaryFromReader, serializeBinaryToWriter } = Struct;
const library = { deserializeBinaryFromReader, serializeBinaryToWriter };
const { decode, encode } = require("../../src/plugin/properties") as typeof import("../../src/plugin/properties");
const { toServiceError } = require("../../src/plugin/server") as typeof import("../../src/plugin/server");
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

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const seed = Number(process.env["SEED"] ?? 1115);

test(`what the library writes is read, and the library reads what is written (SEED=${seed})`, () => {
  fc.assert(
    fc.property(objects, (object) => {
      expect(decode(readWith(own, writeWith(library, Struct.fromJavaScript(object as never))))).toEqual({
        values: object,
      });
      expect(readWith(library, writeWith(own, encode({ values: object }))).toJavaScript()).toEqual(object);
    }),
    { seed, numRuns: 500 },
  );
});

test("what is secret in the outputs of a failure is marked", () => {
  const outputs = { values: { token: "t", description: "d" }, marks: { token: true as const } };
  Object.assign(Struct, own);
  const { metadata } = toServiceError(new PartialFailure("It failed.", "ak_1", encloseSecrets(outputs)));
  const [details] = metadata.get("grpc-status-details-bin") as Buffer[];
  const [detail] = Status.deserializeBinary(details!).getDetailsList();
  const failure = ErrorResourceInitFailed.deserializeBinary(detail!.getValue_asU8());
  expect(decode(failure.getProperties())).toEqual(outputs);
});

test("secrets are put into envelopes and taken out, at any depth; whatever is not set is left out, and unknown values are one", () => {
  const bytes = writeWith(
    own,
    encode({
      values: { token: "t", none: null, unset: undefined as never, open: ["o"], map: { a: "a", b: ["b"] } },
      marks: { token: true, none: true, unset: true, map: { b: true } },
    }),
  );
  const envelope = (value: string | string[]) => ({
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    value,
  });
  expect(readWith(library, bytes).toJavaScript()).toEqual({
    token: envelope("t"),
    none: null,
    open: ["o"],
    map: { a: "a", b: envelope(["b"]) },
  });
  const sent = {
    settings: { key: envelope("k"), tags: [envelope("a"), "3eeb2bf0-c639-47a8-9e75-3b44932eb421"], tag: "a" },
    name: "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
    after: { plain: "p" },
  };
  expect(decode(readWith(own, writeWith(library, Struct.fromJavaScript(sent))))).toEqual({
    values: { settings: { key: "k", tags: ["a", unknown], tag: "a" }, name: unknown, after: { plain: "p" } },
    marks: { settings: { key: true, tags: true } },
  });
});

test("what is not set is empty", () => {
  expect([decode(undefined), decode(new Struct())]).toEqual([{ values: {} }, { values: {} }]);
  expect(writeWith(own, new Struct())).toEqual(new Uint8Array());
  const entryWithoutKeyAndValue = Uint8Array.of(0x0a, 0x00);
  expect(decode(readWith(own, entryWithoutKeyAndValue))).toEqual({ values: { "": null } });
});

/** From Pulumi's sdk/go/common/resource/plugin/rpc.go. */
test.each(
  Object.entries({
    boolean: "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
    number: "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
    string: unknown,
    list: "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
    asset: "030794c1-ac77-496b-92df-f27374a8bd58",
    archive: "e48ece36-62e2-4504-bad9-02848725956a",
    object: "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
  }),
)("an unknown %s is unknown", (_, sent) => {
  expect(decode(readWith(own, writeWith(library, Struct.fromJavaScript({ sent })))).values).toEqual({ sent: unknown });
});
