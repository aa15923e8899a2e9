/** Properties are on the wire what the library would write, and are read as the library would read them. */
import { readFileSync } from "node:fs";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import fc from "fast-check";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { JsonObject } from "../../src/base/json";
import type { Marked } from "../../src/core/secrets";
import { decode, deserialize, encode, propertyFields, serialize } from "../../src/plugin/properties";
import { secret as envelope } from "../support/engine/secrets";

const { CheckRequest, CreateResponse, ReadRequest } = messages;

/** What is read of properties that the library writes. */
function read(properties: object): Marked {
  const request = new CheckRequest();
  request.setNews(Struct.fromJavaScript(properties as never));
  return decode((deserialize(CheckRequest, request.serializeBinary()) as typeof request).getNews());
}

/** What the library reads of properties that are written here. */
function write(properties: Marked): object {
  const response = new CreateResponse();
  response.setProperties(encode(properties));
  return CreateResponse.deserializeBinary(serialize(response)).getProperties()!.toJavaScript();
}

const objects = fc.object({
  key: fc.string({ unit: "grapheme" }).filter((key) => key !== "__proto__"),
  values: [fc.string({ unit: "grapheme" }), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)],
  maxDepth: 3,
  maxKeys: 4,
}) as fc.Arbitrary<JsonObject>;

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const seed = Number(process.env["SEED"] ?? 1115);

test(`reads what the library writes, and writes what the library reads (SEED=${seed})`, () => {
  fc.assert(
    fc.property(objects, (object) => {
      expect(read(object)).toEqual({ values: object });
      expect(write({ values: object })).toEqual(object);
    }),
    { seed, numRuns: 500 },
  );
});

test("puts secrets into envelopes and takes them out, at any depth, leaves out unset values, and reads all unknown values as one", () => {
  const written = write({
    values: { token: "t", none: null, unset: undefined as never, open: ["o"], map: { a: "a", b: ["b"] } },
    marks: { token: true, none: true, unset: true, map: { b: true } },
  });
  expect(written).toEqual({
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
  expect(read(sent)).toEqual({
    values: { settings: { key: "k", tags: ["a", unknown], tag: "a" }, name: unknown, after: { plain: "p" } },
    marks: { settings: { key: true, tags: true } },
  });
});

test("reads and writes unset properties as empty", () => {
  expect([decode(undefined), decode(new Struct())]).toEqual([{ values: {} }, { values: {} }]);
  expect(write({ values: {} })).toEqual({});
  const newsWithEntryWithoutKeyAndValue = Uint8Array.of(0x1a, 0x02, 0x0a, 0x00);
  const request = deserialize(CheckRequest, newsWithEntryWithoutKeyAndValue) as InstanceType<typeof CheckRequest>;
  expect(decode(request.getNews())).toEqual({ values: { "": null } });
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
  expect(read({ sent }).values).toEqual({ sent: unknown });
});

test("all other fields are those of the library, and properties that are not sent stay so", () => {
  const request = new ReadRequest();
  request.setId("ak_1");
  request.setUrn("urn");
  request.setProperties(Struct.fromJavaScript({ a: 1 }));
  const read = deserialize(ReadRequest, request.serializeBinary()) as typeof request;
  expect([read.getId(), read.getUrn(), decode(read.getProperties())]).toEqual(["ak_1", "urn", { values: { a: 1 } }]);
  expect([read.hasInputs(), read.hasProperties()]).toEqual([false, true]);
});

/** The fields that the library's code gets as a Struct, by their messages. */
function structFields(): Record<string, number[]> {
  const source = readFileSync(require.resolve("@pulumi/pulumi/proto/provider_pb"), "utf8");
  const getter =
    /proto\.pulumirpc\.(\w+)\.prototype\.get\w+ = function\(\) \{\s+return [^;]*?getWrapperField\(this, google_protobuf_struct_pb\.Struct, (\d+)\)/g;
  const fields: Record<string, number[]> = {};
  for (const [, name, number] of source.matchAll(getter)) fields[name!] = [...(fields[name!] ?? []), Number(number)];
  return fields;
}

test("the properties of each message are known, as the library has them", () => {
  const all = structFields();
  const known = [...propertyFields].map(([Class, numbers]) => [
    Object.entries(messages).find(([, each]) => each === Class)![0],
    numbers,
  ]);
  // What is failed has inputs, too, which the plugin does not send; of the others the plugin has no method.
  const { CallRequest, CallResponse, ConstructRequest, ConstructResponse, View, ...used } = all;
  expect(Object.fromEntries(known)).toEqual({ ...used, ErrorResourceInitFailed: [2] });
});
