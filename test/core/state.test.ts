/** What the state records, and what the arguments, the inputs and the outputs of a resource are. */

import type { JsonObject } from "../../src/base/json";
import {
  clientOnlyValues,
  inputsFrom,
  managedArgs,
  parseArgs,
  pathsOf,
  pathsWithin,
  preserveEquivalent,
  setArgs,
  withDeclared,
  withoutNames,
  withoutWriteOnly,
} from "../../src/core/arguments";
import { isShown, mergeAll, outputsAfterWrite, outputsFrom } from "../../src/core/read/responses";
import {
  internalProperties,
  isImported,
  newState,
  parseState,
  toProperties,
  withoutInternal,
} from "../../src/core/state";
import { unknownValue } from "../../src/core/unknown";
import { apiKey } from "../../src/definitions/apiKey";
import type { Definition } from "../../src/definitions/definition";
import { httpsEdgeRouteOidc } from "../../src/definitions/httpsEdgeRouteOidc";
import { httpsEdgeRouteRequestHeaders } from "../../src/definitions/httpsEdgeRouteRequestHeaders";
import { tcpEdge } from "../../src/definitions/tcpEdge";
import { tcpEdgeIpRestriction } from "../../src/definitions/tcpEdgeIpRestriction";
import { tlsEdgeTlsTermination } from "../../src/definitions/tlsEdgeTlsTermination";
import { optionsOf } from "../support/engine/coreOptions";

const backend = { backendId: "bkdhr_a" };
const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const policy = { inbound: [{ name: "a" }] };
const route = { edgeId: "edghts_a", routeId: "edghtsrt_a" };

describe("the properties of a state", () => {
  const empty = { ignored: [], unconfirmed: [] };
  const full = {
    id: "edgtcp_a",
    values: { description: "d", backend },
    managed: ["description", "backend.backendId"],
    ignored: ["metadata"],
    unconfirmed: ["description", "policy"],
    withEdge: true as const,
  };

  test("have only values that are not empty", () => {
    expect(toProperties(newState({ id: "a", values: { description: "d" }, managed: [] }))).toStrictEqual({
      description: "d",
      __managed: "",
    });
    expect(toProperties(full)).toStrictEqual({
      description: "d",
      backend,
      __managed: "description backend.backendId",
      __ignored: ["metadata"],
      __unconfirmed: "description policy",
      __withEdge: true,
    });
  });

  test("give the same state again", () => {
    expect(parseState("edgtcp_a", toProperties(full))).toStrictEqual(full);
  });

  test.each<[string, properties: JsonObject]>([
    ["only the outputs", { description: "d" }],
    ["empty lists", { description: "d", __managed: "", __unconfirmed: "" }],
    ["values that no provider records", { description: "d", __managed: null, __withEdge: "yes" }],
    ["null, which is no value", { description: "d", metadata: null }],
  ])("give no ignored, unconfirmed or managed arguments if they have %s", (_, properties) => {
    const state = { id: "a", values: { description: "d" }, managed: [], ...empty };
    expect(parseState("a", properties)).toStrictEqual(state);
  });

  test("get declared arguments as managed, once, unless these were only ignored", () => {
    const properties = { metadata: "m", __managed: "description", __ignored: ["backend.backendId"] };
    const declared = withDeclared(properties, ["description", "metadata", "backend.enabled"]);
    expect(declared).toEqual({ ...properties, __managed: "description metadata" });
  });

  test("are internal if they begin with two underscores", () => {
    const [internal, others] = [
      { __managed: "", __x: 1 },
      { description: "d", _a: 2, a__b: 3 },
    ];
    expect(internalProperties({ ...internal, ...others })).toEqual(internal);
    expect(withoutInternal({ ...internal, ...others })).toEqual(others);
  });

  test("are those of an import only if __imported is true", () => {
    expect([{ __imported: true }, { __imported: false }, {}].map((inputs) => isImported(inputs as JsonObject))).toEqual(
      [true, false, false],
    );
  });
});

describe("arguments", () => {
  test("leave out null, in a module too, and internal names", () => {
    const inputs = { __managed: "a", description: "d", metadata: null, backend: { ...backend, enabled: null } };
    expect(parseArgs(tcpEdge.fields, inputs)).toEqual({ description: "d", backend });
  });

  test("keep null in a map, and names that are no arguments", () => {
    const args = { keepers: { a: null }, description: ["d"], color: { a: null } };
    expect(setArgs(apiKey.fields, args)).toEqual(args);
  });

  test("keep a module that is not an object", () => {
    expect(setArgs(tcpEdge.fields, { backend: "b", policy: null })).toEqual({ backend: "b" });
  });

  const key = { description: "d", ownerId: "usr_a", keepers: { a: "1" } };
  const restriction = { edgeId: "edgtcp_a", ...ipRestriction };
  test.each<[string, Definition, JsonObject, string[], desired: JsonObject, ignored: string[], ignoredPaths: string[]]>(
    [
      ["nothing", apiKey, key, [], key, [], []],
      [
        "an argument",
        apiKey,
        key,
        ["description"],
        { ownerId: "usr_a", keepers: { a: "1" } },
        ["description"],
        ["description"],
      ],
      ["one that is not declared", apiKey, key, ["metadata"], key, ["metadata"], []],
      ["the object's identity, which is sent all the same", apiKey, key, ["ownerId", "keepers"], key, [], []],
      [
        "a module, field by field",
        tcpEdge,
        { backend: { ...backend, enabled: true }, policy },
        ["backend"],
        { policy },
        ["backend"],
        ["backend.backendId", "backend.enabled"],
      ],
      [
        "a field of a module, which is sent with the module",
        tcpEdge,
        { backend },
        ["backend.backendId"],
        { backend },
        [],
        [],
      ],
      ["an argument of a module, which is set whole", tcpEdgeIpRestriction, restriction, ["*"], restriction, [], []],
    ],
  )("are covered by ignoreChanges: %s", (_, definition, args, ignoreChanges, desired, ignored, ignoredPaths) => {
    const managed = managedArgs(definition, args, optionsOf("a", { ignoreChanges }));
    expect(managed).toEqual({ desired, ignored, ignoredPaths });
  });

  test.each<[string, Definition, before: JsonObject, args: JsonObject, after?: JsonObject]>([
    [
      "an equal value",
      tcpEdge,
      { hostports: ["A:1", "b:2"] },
      { hostports: ["b:2", "a:1"] },
      { hostports: ["A:1", "b:2"] },
    ],
    ["another value", tcpEdge, { description: "old" }, { description: "new" }],
    ["a new one", tcpEdge, {}, { description: "" }],
    ["one that was null", tcpEdge, { description: null }, { description: "" }],
    ["a name that is no argument", tcpEdge, { color: "red" }, { color: "blue" }],
    ["one that is left out", tcpEdge, { description: "d", metadata: "m" }, { metadata: "m" }],
    [
      "a part of a module",
      tcpEdge,
      { ipRestriction: { enabled: true, ipPolicyIds: ["ipp_a", "ipp_b"] } },
      { ipRestriction: { enabled: false, ipPolicyIds: ["ipp_b", "ipp_a"] } },
      { ipRestriction: { enabled: false, ipPolicyIds: ["ipp_a", "ipp_b"] } },
    ],
    ["a module that was unknown", tcpEdge, { backend: unknownValue }, { backend }],
    ["a module that becomes unknown", tcpEdge, { backend }, { backend: unknownValue }],
    ["a map", httpsEdgeRouteRequestHeaders, { add: { A: "1" } }, { add: { a: "1" } }, { add: { A: "1" } }],
  ])("have the form that they had before: %s", (_, { fields }, before, args, after = args) => {
    expect(preserveEquivalent(fields, before, args)).toStrictEqual(after);
  });

  test("include those that are never sent, which no response has", () => {
    expect(clientOnlyValues(apiKey, { ...key, token: "t" })).toEqual({ keepers: { a: "1" } });
  });

  test("exclude those that responses leave out, which may not have arrived", () => {
    const args = { ...route, clientId: "a", clientSecret: "b" };
    expect(withoutWriteOnly(httpsEdgeRouteOidc, { ...args, color: "red" })).toEqual({
      ...route,
      clientId: "a",
      color: "red",
    });
  });
});

describe("paths", () => {
  test.each<[string, JsonObject, string[]]>([
    ["an argument", { description: "d" }, ["description"]],
    ["a module", { backend: { backendId: "b", enabled: true } }, ["backend.backendId", "backend.enabled"]],
    ["an empty module", { policy: {} }, ["policy"]],
    ["a module that is unknown", { policy: unknownValue }, ["policy"]],
    ["a name that is no argument", { color: { a: 1 } }, ["color"]],
  ])("of %s", (_, args, paths) => {
    expect(pathsOf(tcpEdge.fields, args)).toEqual(paths);
  });

  test("within a module", () => {
    expect(pathsWithin(["policy", "policy.inbound", "policyX.a", "backend.enabled"], "policy")).toEqual(["inbound"]);
  });

  test("without those of some arguments", () => {
    expect(withoutNames(["policy.inbound", "policy", "description"], ["policy"])).toEqual(["description"]);
  });
});

describe("inputs", () => {
  test.each<[string, Definition, values: JsonObject, managed: string[], inputs: JsonObject]>([
    ["managed values", apiKey, { description: "d", metadata: "m" }, ["description"], { description: "d" }],
    ["managed values that are not set", apiKey, {}, ["description"], {}],
    ["a map", apiKey, { keepers: { a: "1" } }, ["keepers"], { keepers: { a: "1" } }],
    ["a map that is not managed", apiKey, { keepers: { a: "1" } }, [], {}],
    ["a name that is no argument", apiKey, { uri: "u" }, ["uri"], {}],
    [
      "a managed module, without its defaults",
      tcpEdge,
      { backend: { ...backend, enabled: true } },
      ["backend.backendId"],
      { backend },
    ],
    [
      "a managed module, with a value that is not the default",
      tcpEdge,
      { backend: { ...backend, enabled: false } },
      ["backend.backendId"],
      { backend: { ...backend, enabled: false } },
    ],
    ["a managed module that is unknown", tcpEdge, { backend: unknownValue }, ["backend"], { backend: unknownValue }],
    ["a module that is not managed", tcpEdge, { backend: { ...backend, enabled: false } }, ["description"], {}],
    [
      "a value that is not the default, in a module that is a resource",
      tlsEdgeTlsTermination,
      { edgeId: "edgtls_a", enabled: false, terminateAt: "edge" },
      ["edgeId"],
      { edgeId: "edgtls_a", enabled: false },
    ],
  ])("from %s", (_, definition, values, managed, inputs) => {
    expect(inputsFrom(definition, values, managed)).toEqual(inputs);
  });
});

describe("outputs", () => {
  test.each<[string, Definition, desired: JsonObject, actual: JsonObject, merged: JsonObject]>([
    ["a value that is not declared", tcpEdge, {}, { description: "d" }, { description: "d" }],
    ["no value that is neither declared nor set", tcpEdge, {}, { description: "", hostports: [] }, {}],
    ["no value that is declared and not set", tcpEdge, { description: "d" }, {}, {}],
    ["the value of the service", tcpEdge, { description: "d" }, { description: "e" }, { description: "e" }],
    ["an equal value, as declared", tcpEdge, { hostports: ["A:1"] }, { hostports: ["a:1"] }, { hostports: ["A:1"] }],
    ["a value that is never sent, as declared", apiKey, { keepers: { a: "1" } }, {}, { keepers: { a: "1" } }],
    [
      "a secret that responses leave out, as declared",
      httpsEdgeRouteOidc,
      { clientSecret: "a" },
      {},
      { clientSecret: "a" },
    ],
    [
      "a secret that responses may leave out, as they show it",
      httpsEdgeRouteOidc,
      { clientSecret: "a" },
      { clientSecret: "b" },
      { clientSecret: "b" },
    ],
    [
      "each field of a module",
      tcpEdge,
      { ipRestriction: { enabled: true, ipPolicyIds: ["ipp_a", "ipp_b"] } },
      { ipRestriction: { enabled: false, ipPolicyIds: ["ipp_b", "ipp_a"] } },
      { ipRestriction: { enabled: false, ipPolicyIds: ["ipp_a", "ipp_b"] } },
    ],
    ["no module that is not set", tcpEdge, { backend }, {}, {}],
    [
      "the names of headers, as declared",
      httpsEdgeRouteRequestHeaders,
      { add: { A: "1" } },
      { add: { a: "2" } },
      { add: { A: "2" } },
    ],
  ])("have %s", (_, { fields }, desired, actual, merged) => {
    expect(mergeAll(fields, desired, actual)).toStrictEqual(merged);
  });

  const key = { definition: apiKey, id: "ak_a" };
  const assigned = { created_at: "2026", uri: "u" };

  test("have the values that the service assigns, and the token of the creation, or else null", () => {
    const response = { ...assigned, description: "d", metadata: "" };
    const outputs = { description: "d", createdAt: "2026", uri: "u" };
    expect(outputsFrom(key, { ...response, token: "t" })).toStrictEqual({ ...outputs, token: "t" });
    expect(outputsFrom(key, response, {}, { token: "t", uri: "v" })).toStrictEqual({ ...outputs, token: "t" });
    expect(outputsFrom(key, response)).toStrictEqual({ ...outputs, token: null });
    expect(outputsFrom(key, {}, {}, { createdAt: "2026", uri: "u" })).toStrictEqual({ token: null });
  });

  test("of a module have the ids of its parents", () => {
    const described = { definition: httpsEdgeRouteOidc, id: "edghts_a/edghtsrt_a" };
    expect(outputsFrom(described, { client_id: "a" })).toStrictEqual({ ...route, clientId: "a" });
  });

  const before = { description: "old", metadata: "kept", keepers: { a: "1" }, token: "t", createdAt: "2026", uri: "u" };
  const desired = { description: "new", keepers: { a: "2" } };
  const left = { metadata: "kept", keepers: { a: "2" }, token: "t", createdAt: "2026", uri: "u" };
  test.each<[string, response: JsonObject | undefined, sent: string[], outputs: JsonObject]>([
    ["has no body", undefined, ["description"], { ...left, description: "new" }],
    ["is empty, and which sent nothing", {}, [], { ...left, description: "old" }],
    ["shows what was sent", { description: "new" }, ["description"], { ...left, description: "new" }],
    ["shows another value", { description: "other" }, ["description"], { ...left, description: "other" }],
    [
      "shows that one is not set",
      { metadata: "" },
      ["description"],
      { ...without(left, "metadata"), description: "new" },
    ],
    ["shows another uri", { uri: "v" }, ["description"], { ...left, description: "new", uri: "v" }],
    [
      "has no body, and which cleared one",
      undefined,
      ["description", "metadata"],
      { ...without(left, "metadata"), description: "new" },
    ],
  ])("after a write whose response %s", (_, response, sent, outputs) => {
    expect(outputsAfterWrite(key, response, desired, before, sent)).toStrictEqual(outputs);
  });

  test("after a write of a module have its parents", () => {
    const described = { definition: tcpEdgeIpRestriction, id: "edgtcp_a" };
    const args = { edgeId: "edgtcp_a", ...ipRestriction };
    expect(outputsAfterWrite(described, undefined, args, {}, Object.keys(args))).toStrictEqual(args);
  });

  test.each<[string, JsonObject | undefined, boolean]>([
    ["no response", undefined, false],
    ["its name", { backend_id: null }, true],
    ["its name in responses", { backend: null }, true],
    ["neither", { enabled: true }, false],
  ])("know whether a response shows a field: %s", (_, response, expected) => {
    expect(isShown(response, "backendId", { responseName: "backend" })).toBe(expected);
  });
});

function without(values: JsonObject, name: string): JsonObject {
  const { [name]: _, ...rest } = values;
  return rest;
}
