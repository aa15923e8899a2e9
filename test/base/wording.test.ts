/** Values, lists and names in messages. */

import type { Json } from "../../src/base/json";
import { alternatives, joinWithAnd, nameOf, nearest, quote } from "../../src/base/quote";

test.each<[Json, string]>([
  ["a", '"a"'],
  [["a", 1, [null]], '["a", 1, [null]]'],
  [{ a: true }, '{"a":true}'],
  ["a".repeat(80), `"${"a".repeat(80)}"`],
  ["a".repeat(81), `"${"a".repeat(80)}…"`],
  ['a"\n', '"a\\"\\n"'],
  ["\u{1b}[31m", '"\\u001b[31m"'],
  ["a\u{9b}b\u{202e}", '"a\\u{9b}b\\u{202e}"'],
])("%j is quoted", (value, quoted) => {
  expect(quote(value)).toBe(quoted);
});

test("joins lists with words", () => {
  expect([["a"], ["a", "b"], ["a", "b", "c"]].map(alternatives)).toEqual(['"a"', '"a" or "b"', '"a", "b" or "c"']);
  expect([[], ["a"], ["a", "b"], ["a", "b", "c"]].map(joinWithAnd)).toEqual(["", "a", "a and b", "a, b and c"]);
});

test.each<[path: PropertyKey[], string]>([
  [["policy", "inbound", 0, "name"], "policy.inbound[0].name"],
  [["$a-b_1"], "$a-b_1"],
  [["metadata", "a b"], 'metadata["a b"]'],
  [[" a"], '[" a"]'],
  [["a "], '["a "]'],
  [[""], '[""]'],
  [["a".repeat(80)], "a".repeat(80)],
  [["a".repeat(81)], `["${"a".repeat(80)}…"]`],
])("the name of %j", (path, name) => {
  expect(nameOf(path)).toBe(name);
});

describe("the name that was meant", () => {
  test.each<[misspelled: string, known: string[], meant: string | undefined]>([
    ["description", ["metadata", "description"], "description"],
    ["HOSTPORTS", ["hostports"], "hostports"],
    ["hostports", ["HOSTPORTS"], "HOSTPORTS"],
    ["hostprots", ["hostports"], "hostports"],
    ["ip_policy_ids", ["certificateAuthorityIds", "ipPolicyIds"], "ipPolicyIds"],
    ["ipPolicyId", ["ipPolicies", "ipPolicyIds"], "ipPolicyIds"],
    ["ipPolicyId", ["ipPolicyIds", "ipPolicies"], "ipPolicyIds"],
    // Two letters of a short name, and a third of a long one.
    ["allow", ["acl", "al"], undefined],
    ["acl_s", ["acl"], "acl"],
    ["certAuthorityIds", ["certificateAuthorityIds"], "certificateAuthorityIds"],
    // The name that is closer is not close enough.
    ["policyIds", ["policy", "denyPolicyIds"], "denyPolicyIds"],
    ["metadata", ["policy", "backend"], undefined],
    ["x", [], undefined],
  ])("%s of %j: %s", (misspelled, known, meant) => {
    expect(nearest(misspelled, known)).toBe(meant);
  });

  test.each<[distance: number, ...near: string[]]>([
    [0, "enabled", "ENABLED"],
    [1, "enabld", "enableed", "nabled", "enabledx", "enabked", "enabeld", "neabled", "enablde"],
    [2, "enabl", "enabledxy", "xnabledx", "neabeld", "enxaled", "enbxled"],
    [3, "enab", "enabledxyz", "neablxy", "enxaley", "enbxley"],
  ])("one that is %d letters away from enabled", (distance, ...near) => {
    const meant = near.map((each) => nearest(each, ["enabled"]));
    expect(meant).toStrictEqual(near.map(() => (distance <= 2 ? "enabled" : undefined)));
  });
});
