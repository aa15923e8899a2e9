/** The types of values: what is wrong with a value, and what the JSON Schemas and the reference say of it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { agentCommands, definitions } from "../../src/definitions";
import {
  acls,
  any,
  enums,
  headerMaps,
  headerNames,
  hostportLists,
  lists,
  nonEmptyLists,
  otherIds,
  ownerIds,
  strings,
  uint32s,
  type ValueType,
} from "../../src/definitions/fields/valueTypes";
import type { Properties } from "../support/engine/provider";
import { root } from "../support/root";

const noNumber = "must be a whole number from 0 to 4294967295";
const noOwner = 'must be the id of a user or bot (such as "usr_…")';

test.each<[string, ValueType, ...values: [value: unknown, problem?: unknown][]]>([
  ["strings", strings(), ["a".repeat(10_000)]],
  [
    "strings of at most 4 bytes",
    strings(4),
    ["abcd"],
    ["äö"],
    ["abcde", "must be at most 4 bytes, not 5"],
    ["äöü", "must be at most 4 bytes, not 6"],
  ],
  ["numbers", uint32s, [0], [0xffffffff], [-1, noNumber], [0.5, noNumber], [0x100000000, noNumber]],
  [
    "owners",
    ownerIds,
    ["usr_a"],
    ["bot_a"],
    ["a", noOwner],
    ["ak_a", "is the id of an API key; use the id of a user or bot"],
  ],
  ["header names", headerNames, ["X-A"], ["a b", "must be a header name (letters, digits and hyphens)"]],
  ["lists of at least one", nonEmptyLists(otherIds("a backend")), [["a"]], [[], "must contain at least one id"]],
  [
    "hostports",
    hostportLists,
    [["a:1", "b:1"]],
    [[undefined, undefined]],
    [["a:1", undefined, "b:1", "B:1", "A:1"], { index: 3, message: "is listed twice" }],
  ],
  ["rules", acls, [["*"]], [["bind:a", "bind:b"]], [["bind:a", "*"], 'must not combine "*" with other rules']],
  [
    "headers",
    headerMaps,
    [{ a: "1", b: "2" }],
    [{ a: "1", "b c": "2" }, "has an invalid header name; use letters, digits and hyphens"],
    [{ a: "1", A: "2" }, "has the same header twice; header names are case-insensitive"],
  ],
])("accepts and rejects the right %s", (_, { problem }: { problem?(value: never): unknown }, ...values) => {
  for (const [value, expected] of values) expect([value, problem?.(value as never)]).toEqual([value, expected]);
});

test("the rule of a list is that of its items, if they have one", () => {
  expect(lists(strings(4)).rule).toBe("each at most 4 bytes");
  expect(lists(any)).toStrictEqual({ base: "list", items: { base: "any" } });
  expect(strings()).toStrictEqual({ base: "string" });
  expect(enums(["a", "b", "c"]).rule).toBe('`"a"`, `"b"` or `"c"`');
});

/** What a schema has of the property, and of the base type. */
const structure = new Set([
  "default",
  "examples",
  "type",
  "enum",
  "items",
  "additionalProperties",
  "required",
  "properties",
]);
const jsonTypes: Record<string, string> = {
  string: "string",
  enum: "string",
  boolean: "boolean",
  list: "array",
  map: "object",
  object: "object",
};

function expectRules(accepts: ValueType, schema: Properties) {
  const said = Object.entries(schema).filter(([keyword]) => !structure.has(keyword));
  const { type = jsonTypes[accepts.base], ...rules } = accepts.schema ?? {};
  expect({ ...Object.fromEntries(said), type: [schema["type"]].flat()[0] }).toEqual({ ...rules, type });
  if (accepts.base === "enum") expect(schema["enum"].slice(0, accepts.values.length)).toEqual(accepts.values);
  if (accepts.base === "list") expectRules(accepts.items, schema["items"]);
  if (accepts.base === "map") expectRules(accepts.values, schema["additionalProperties"]);
  if (accepts.base !== "object") return;
  expect(Object.keys(schema["properties"])).toEqual(Object.keys(accepts.fields));
  expectAllRules(accepts.fields, schema["properties"]);
}

function expectAllRules(fields: Record<string, { accepts: ValueType }>, schemas: Properties) {
  for (const [name, { accepts }] of Object.entries(fields)) {
    const { description, ...schema } = schemas[name];
    const [, checked] = /Checked at preview: (.+?)\.(?:\n\n|$)/s.exec(description) ?? [];
    if (checked === undefined) expect(description).toContain(accepts.rule ?? "");
    else expect(accepts.rule).toBe(checked);
    expectRules(accepts, schema);
  }
}

test.each([...definitions, ...agentCommands])(
  "the JSON Schema of $type has the rules of each value's type",
  (definition) => {
    const file = join(root, "schemas", `${definition.type}.json`);
    expectAllRules(definition.fields, JSON.parse(readFileSync(file, "utf8")).properties);
  },
);
