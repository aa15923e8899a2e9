/** What JSON values are, and when two of them are equal. */
import {
  asList,
  equal,
  equalAsSets,
  isObject,
  isTooDeep,
  isUnset,
  type Json,
  nonJsonType,
  toCamelCase,
  toSnakeCase,
  withoutNull,
} from "../../src/base/json";

test("converts names to snake case and to camel case", () => {
  expect(["ipPolicyIds", "description"].map(toSnakeCase)).toEqual(["ip_policy_ids", "description"]);
  expect(["ip_policy_ids", "description", "a_1"].map(toCamelCase)).toEqual(["ipPolicyIds", "description", "a_1"]);
});

test("neither null nor a list nor a string is an object", () => {
  expect([{}, null, [], "a", undefined].map(isObject)).toEqual([true, false, false, false, false]);
});

describe("values that JSON cannot carry", () => {
  const named = (name: string) => ({ [Symbol.toStringTag]: name });

  test.each<[unknown, string | undefined]>([
    [1n, "a BigInt"],
    [Symbol("a"), "a symbol"],
    [() => 1, "a function"],
    [new Date(), "a Date"],
    [new Error(), "an Error"],
    [new SharedArrayBuffer(1), "a SharedArrayBuffer"],
    [named("a type"), "a special object"],
    [named("[object Date"), "a special object"],
    [named("Date] a"), "a special object"],
    [named(""), "a special object"],
    [{}, undefined],
    [[], undefined],
    [Object.assign([], named("List")), undefined],
    [Object.create(null), undefined],
    [null, undefined],
    ["a", undefined],
    [undefined, undefined],
  ])("%p", (value, type) => {
    expect(nonJsonType(value)).toBe(type);
  });

  test("an object that contains itself, or is in too many others", () => {
    const value = {};
    const others = (count: number) => Array.from({ length: count }, () => ({}));
    expect(nonJsonType(value, [{}, value])).toBe("an object that contains itself");
    expect(nonJsonType(value, others(100))).toBeUndefined();
    expect(nonJsonType(value, others(101))).toBe("nested more than 100 levels deep");
    expect(nonJsonType("a", ["a", ...others(101)])).toBeUndefined();
  });
});

test("a value may be nested 200 levels deep", () => {
  const nest = (levels: number): Json =>
    levels === 0 ? "a" : levels % 2 ? [nest(levels - 1)] : { a: nest(levels - 1) };
  expect([200, 201].map((levels) => isTooDeep(nest(levels)))).toEqual([false, true]);
  expect([undefined, null, "ab", [null, { a: null }]].map(isTooDeep)).toEqual([false, false, false, false]);
});

test("undefined, null, an empty string and an empty list are unset", () => {
  expect([undefined, null, "", []].map(isUnset)).toEqual([true, true, true, true]);
  expect(["a", 0, false, [null], {}].map(isUnset)).toEqual([false, false, false, false, false]);
});

test("reads a single value as a list of one", () => {
  expect([undefined, null, "a", ["a", "b"], []].map(asList)).toStrictEqual([[], [], ["a"], ["a", "b"], []]);
});

test("leaves out null", () => {
  expect(withoutNull({ a: null, b: false, c: "", d: 0 })).toEqual({ b: false, c: "", d: 0 });
});

test.each<[isEqual: boolean, Json | undefined, Json | undefined]>([
  [true, "a", "a"],
  [true, { a: [1, { b: null }], c: "d" }, { c: "d", a: [1, { b: null }] }],
  [true, [], []],
  [true, { port: -0 }, { port: 0 }],
  [false, "a", "b"],
  [false, "1", 1],
  [false, null, undefined],
  [false, null, {}],
  [false, 1, {}],
  [false, [], {}],
  [false, ["a", "b"], ["b", "a"]],
  [false, { a: 1 }, { a: 1, b: 2 }],
  [false, { a: 1, b: 2 }, { a: 1, b: 3 }],
  [false, { a: 1 }, { b: 1 }],
  // An object's prototype is none of its values.
  [false, JSON.parse('{ "__proto__": {} }'), { a: {} }],
])("equal: %s: %j and %j", (isEqual, a, b) => {
  expect([equal(a, b), equal(b, a)]).toEqual([isEqual, isEqual]);
});

test("lists with the same items are equal as sets, in any order and number", () => {
  expect(equalAsSets(["a", "b"], ["b", "a", "a"])).toBe(true);
  expect(equalAsSets(["a", "b"], ["a", "c"])).toBe(false);
  expect(equalAsSets(["a"], ["a", "b"])).toBe(false);
  expect(equalAsSets(["a", "b"], ["a"])).toBe(false);
});
