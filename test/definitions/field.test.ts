/** What a table of fields does with values: those of responses, of outputs and of requests. */
import { readFields, toOutputs, writeFields } from "../../src/definitions/fields/field";
import { keepers, module, string, stringSet } from "../../src/definitions/fields/fieldTypes";

const fields = {
  displayName: string(),
  ownTags: stringSet(),
  keepers: keepers(),
  backend: module<{ tags?: string[] }>({ tags: stringSet() }),
};

test("a response is read by the API's names, without values that are not set or never sent", () => {
  const response = { display_name: "a", own_tags: [], keepers: { a: "1" }, backend: null, other: 1 };
  expect(readFields(fields, response)).toStrictEqual({ displayName: "a" });
});

test("outputs have an empty list for one that is not set, at any depth, and other values unchanged", () => {
  expect(toOutputs(fields, { displayName: "a", id: "1" })).toStrictEqual({ displayName: "a", id: "1", ownTags: [] });
  expect(toOutputs(fields, { backend: {} })).toStrictEqual({ backend: { tags: [] }, ownTags: [] });
});

test("a request has the values that are set, by the API's names, without those that are never sent", () => {
  expect(writeFields(fields, { displayName: "a", keepers: { a: "1" }, backend: { tags: ["b"] } })).toStrictEqual({
    display_name: "a",
    backend: { tags: ["b"] },
  });
});
