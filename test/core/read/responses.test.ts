/** What a response must have to be the service's, and what messages say it returned instead. */
import type { Json } from "../../../src/base/json";
import { expectFrom, expectNewObject, expectNothing } from "../../../src/core/read/responses";
import { apiKey } from "../../../src/definitions/apiKey";
import { tcpEdgeIpRestriction } from "../../../src/definitions/tcpEdgeIpRestriction";
import { tunnel } from "../../../src/definitions/tunnel";

const kinds = {
  object: expectFrom(apiKey, "ak_1"),
  "read-only object": expectFrom(tunnel, "tn_1"),
  module: expectFrom(tcpEdgeIpRestriction, "edgtcp_1"),
  "new object": expectNewObject,
  "empty response": expectNothing,
};
type Kind = keyof typeof kinds;

test.each<[Kind, Json]>([
  ["object", { id: "ak_1" }],
  ["read-only object", { id: "tn_1" }],
  ["module", { enabled: false }],
  ["module", { ip_policies: [] }],
  ["module", { ip_policy_ids: null }],
  ["new object", { id: "ak_2" }],
  ["empty response", {}],
])("the service returns the %s: %j", (kind, response) => {
  expect(kinds[kind].findProblem(response)).toBeUndefined();
});

const notKey = "something other than API key ak_1";
const notTunnel = "something other than tunnel tn_1";
const notModule = "something other than IP restriction of TCP edge edgtcp_1";
const notEmpty = "something other than an empty response";

test.each<[Kind, Json | undefined, string]>([
  ["object", { id: "ak_2" }, notKey],
  ["object", { description: "" }, notKey],
  ["object", undefined, notKey],
  ["read-only object", { id: "tn_2" }, notTunnel],
  ["module", { id: "edgtcp_1" }, notModule],
  ["module", { edge_id: "edgtcp_1" }, notModule],
  ["module", [], notModule],
  ["module", undefined, notModule],
  ["new object", {}, "no id"],
  ["new object", { id: "" }, "no id"],
  ["new object", { id: 1 }, "no id"],
  ["new object", "ak_1", "no id"],
  ["new object", undefined, "no id"],
  ["empty response", { id: "ak_1" }, notEmpty],
  ["empty response", "OK", notEmpty],
])("what is returned is not the %s: %j", (kind, response, problem) => {
  expect(kinds[kind].findProblem(response)).toBe(problem);
});

test("only a module that is not set, or a command, is answered without a body", () => {
  const optional = Object.keys(kinds).filter((kind) => kinds[kind as Kind].isOptional);
  expect(optional).toEqual(["module", "empty response"]);
});
