/** The plan is data: the calls that a change needs, in order. No server is needed. */

import type { JsonObject } from "../../../src/base/json";
import { pathsOf } from "../../../src/core/arguments";
import { describeChanges, describeDiff } from "../../../src/core/plan/diff";
import { describePlan, planCreate, planUpdate } from "../../../src/core/plan/plan";
import { newState } from "../../../src/core/state";
import { unknownValue } from "../../../src/core/unknown";
import { apiKey } from "../../../src/definitions/apiKey";
import type { Definition, ObjectDefinition } from "../../../src/definitions/definition";
import type { Field } from "../../../src/definitions/fields/field";
import { enumOf, string } from "../../../src/definitions/fields/fieldTypes";
import { httpsEdgeRouteOidc } from "../../../src/definitions/httpsEdgeRouteOidc";
import { sshCredential } from "../../../src/definitions/sshCredential";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { tcpEdgeIpRestriction } from "../../../src/definitions/tcpEdgeIpRestriction";
import { tlsEdge } from "../../../src/definitions/tlsEdge";
import { tlsEdgeTlsTermination } from "../../../src/definitions/tlsEdgeTlsTermination";
import { publicKey } from "../../support/data/publicKey";

/** The plan from what was declared and applied to what is declared now; `state` is what else the state records. */
function planFrom(
  definition: Definition,
  before: JsonObject,
  after: JsonObject,
  state: { managed?: string[]; unconfirmed?: string[]; isImported?: boolean } = {},
  ignored: string[] = [],
) {
  const managed = pathsOf(definition.fields, before);
  return planUpdate(definition, { values: before, managed, unconfirmed: [], ...state }, after, ignored);
}

/** The calls of a plan, with the names in their bodies. */
function calls(...change: Parameters<typeof planFrom>): string[] {
  return planFrom(...change).calls.map(({ route, body }) =>
    [
      ...route
        .replace(/ \/(api_keys|ssh_credentials|edges\/t\w+)\/\{id\}/, " ")
        .split(" ")
        .filter(Boolean),
      ...Object.keys(body ?? {}),
    ].join(" "),
  );
}

const open = { hostports: ["a.example.com:443"], backend: { backendId: "bkdhr_1" } };
const mutualTls = { certificateAuthorityIds: ["ca_1"] };
const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const policy = { inbound: [{ actions: [{ type: "deny" }] }] };
const upstream = { terminateAt: "upstream" };

test.each([
  ["nothing", {}, {}, []],
  ["a string", { description: "a" }, { description: "b" }, ["PATCH description"]],
  ["a string that is no longer declared", { description: "a" }, {}, ["PATCH description"]],
  ["a module without a PUT", {}, { ipRestriction }, ["PATCH ip_restriction"]],
  ["several things", {}, { ...open, ipRestriction }, ["PATCH hostports backend ip_restriction"]],
  ["an unknown value", { description: "a" }, { description: unknownValue }, ["PATCH description"]],
  ["an unknown list where there is none", { hostports: [] }, { hostports: unknownValue }, ["PATCH hostports"]],
  ["hostports in another order and case", { hostports: ["a:1", "b:2"] }, { hostports: ["B:2", "a:1"] }, []],
  [
    "rules of a policy in another order",
    { policy: { inbound: [{ name: "a" }, { name: "b" }] } },
    { policy: { inbound: [{ name: "b" }, { name: "a" }] } },
    ["PATCH policy"],
  ],
  [
    "enabled: true, which is the default",
    { backend: { backendId: "b" } },
    { backend: { backendId: "b", enabled: true } },
    [],
  ],
  [
    "a field of a module that has no default and is left out",
    { tlsTermination: { terminateAt: "edge", minVersion: "1.2" } },
    { tlsTermination: { terminateAt: "edge" } },
    ["PUT /tls_termination terminate_at"],
  ],
  [
    "one protection for another",
    { ...open, ipRestriction },
    { ...open, mutualTls },
    ["PATCH mutual_tls", "DELETE /ip_restriction"],
  ],
  [
    "mutual TLS for an IP restriction and termination upstream",
    { ...open, mutualTls },
    { ...open, ipRestriction, tlsTermination: upstream },
    ["PATCH ip_restriction", "DELETE /mutual_tls", "PUT /tls_termination terminate_at"],
  ],
  [
    "mutual TLS for a policy and termination upstream, at a new hostport",
    { ...open, mutualTls },
    { ...open, hostports: ["b.example.com:443"], policy, tlsTermination: upstream },
    ["PATCH policy", "DELETE /mutual_tls", "PATCH hostports tls_termination"],
  ],
  [
    "mutual TLS for nothing but termination upstream",
    { ...open, mutualTls },
    { ...open, tlsTermination: upstream },
    ["DELETE /mutual_tls", "PUT /tls_termination terminate_at"],
  ],
  [
    "an IP restriction and termination upstream, with nothing to remove",
    open,
    { ...open, ipRestriction, tlsTermination: upstream },
    ["PATCH ip_restriction tls_termination"],
  ],
  [
    "an enum of a module that is left out",
    { tlsTermination: { terminateAt: "edge", minVersion: "1.2" } },
    { tlsTermination: { minVersion: "1.2" } },
    ["PUT /tls_termination min_version"],
  ],
  [
    "termination upstream for mutual TLS, which it would not allow",
    { ...open, tlsTermination: upstream },
    { ...open, mutualTls, ipRestriction },
    ["PATCH ip_restriction mutual_tls tls_termination", "DELETE /tls_termination"],
  ],
  [
    "termination upstream and an IP restriction for mutual TLS, at a new hostport",
    { ...open, ipRestriction, tlsTermination: upstream },
    { ...open, hostports: ["b.example.com:443"], mutualTls },
    ["PATCH hostports mutual_tls tls_termination", "DELETE /ip_restriction", "DELETE /tls_termination"],
  ],
  [
    "termination upstream for a new hostport, which it allows",
    { ...open, tlsTermination: upstream },
    { ...open, hostports: ["b.example.com:443"] },
    ["PATCH hostports", "DELETE /tls_termination"],
  ],
  [
    "termination at the edge for mutual TLS",
    { ...open, tlsTermination: { terminateAt: "edge", minVersion: "1.2" } },
    { ...open, mutualTls },
    ["PATCH mutual_tls", "DELETE /tls_termination"],
  ],
])("TlsEdge: %s", (_, before, after, expected) => {
  expect(calls(tlsEdge, before as JsonObject, after as JsonObject)).toEqual(expected);
});

test.each([
  ["a module with a PUT", {}, { ipRestriction }, ["PUT /ip_restriction ip_policy_ids"]],
  ["a module and a string", {}, { ipRestriction, description: "a" }, ["PATCH description ip_restriction"]],
  ["two modules, of which one has a PUT", {}, { ipRestriction, policy }, ["PATCH ip_restriction policy"]],
  ["a module that is no longer declared", { ipRestriction }, {}, ["DELETE /ip_restriction"]],
  ["one protection for another", { ipRestriction }, { policy }, ["PATCH policy", "DELETE /ip_restriction"]],
  [
    "every module at once",
    { backend: open.backend, ipRestriction, policy },
    {},
    ["DELETE /backend", "DELETE /ip_restriction", "DELETE /policy"],
  ],
])("TcpEdge: %s", (_, before, after, expected) => {
  expect(calls(tcpEdge, before as JsonObject, after as JsonObject)).toEqual(expected);
});

test("an enum of a module that is a resource is left out", () => {
  const declared = { edgeId: "edgtls_1", terminateAt: "edge", minVersion: "1.2" };
  const after = { edgeId: "edgtls_1", minVersion: "1.2" };
  expect(calls(tlsEdgeTlsTermination, declared, after)).toEqual(["PUT /tls_termination min_version"]);
});

test("a default of a module is enforced, although it is not declared", () => {
  const disabled = { backend: { ...open.backend, enabled: false } };
  const after = { backend: open.backend };
  expect(calls(tcpEdge, disabled, after, { managed: ["backend.backendId"] })).toEqual(["PATCH backend"]);
});

test("a module without arguments is sent if it may never have been set, and not if the service has it", () => {
  const declared = { edgeId: "edgtls_1" };
  const found = { ...declared, terminateAt: "edge" };
  expect(calls(tlsEdgeTlsTermination, declared, declared)).toEqual(["PUT /tls_termination"]);
  expect(calls(tlsEdgeTlsTermination, found, declared, { managed: ["edgeId"] })).toEqual([]);
});

test("a replacement that no call would make is a change", () => {
  const [before, after] = [{ keepers: { rotated: "2026" } }, { keepers: { rotated: "2027" } }];
  const plan = planFrom(apiKey, before, after);
  const state = newState({ id: "ak_1", values: before, managed: ["keepers"] });
  const options = { key: "it", resource: "it", ignoreChanges: [], replaceOnChanges: [], timeouts: {} };
  const diff = describeDiff(apiKey, { ...plan, needsRecord: false }, plan.replaces, state, after, options);
  expect({ calls: plan.calls, ...diff }).toMatchObject({ calls: [], replaces: ["keepers"], needsCall: true });
});

const restriction = { edgeId: "edgtcp_1", ...ipRestriction };

test.each([
  ["nothing", restriction, restriction, []],
  [
    "ids in another order",
    { ...restriction, ipPolicyIds: ["ipp_a", "ipp_b"] },
    { ...restriction, ipPolicyIds: ["ipp_b", "ipp_a"] },
    [],
  ],
  [
    "the whole module, without its parent",
    restriction,
    { ...restriction, enabled: false },
    ["PUT /ip_restriction enabled ip_policy_ids"],
  ],
  [
    "a module of which the state has nothing",
    { edgeId: "edgtcp_1" },
    restriction,
    ["PUT /ip_restriction ip_policy_ids"],
  ],
])("TcpEdgeIpRestriction: %s", (_, before, after, expected) => {
  expect(calls(tcpEdgeIpRestriction, before as JsonObject, after as JsonObject)).toEqual(expected);
});

test("an argument that is newly declared with its present value is an update without a call", () => {
  const { updates, calls } = planFrom(tcpEdge, open, open, { managed: ["hostports"] });
  expect({ updates, calls }).toEqual({ updates: ["backend"], calls: [] });
});

test("an argument that is dropped with nothing to clear is an update without a call", () => {
  const { updates, calls } = planFrom(tcpEdge, {}, {}, { managed: ["description"] });
  expect({ updates, calls }).toEqual({ updates: ["description"], calls: [] });
});

test.each<[string, Definition, JsonObject, JsonObject, managed: string[] | undefined, updates: string[]]>([
  ["a newly declared argument, once", tcpEdge, {}, { description: "a" }, undefined, ["description"]],
  ["no argument that replaces, if it is dropped", apiKey, { ownerId: "usr_a" }, {}, undefined, []],
  ["a name that is no argument any more", tcpEdge, {}, {}, ["color"], ["color"]],
])("updates: %s", (_, definition, before, after, managed, updates) => {
  expect(planFrom(definition, before, after, managed && { managed }).updates).toEqual(updates);
});

describe("an optional enum that is dropped", () => {
  const create = (field: Field): Definition => ({
    ...(apiKey as unknown as ObjectDefinition),
    type: "IpPolicy",
    fields: { description: string(), action: field },
    routes: { ...apiKey.routes, update: "PATCH /ip_policies/{id}" },
  });
  const before = { values: { action: "deny" }, managed: ["action"], unconfirmed: [] };

  test("is set to its default", () => {
    const withDefault = create({ ...enumOf("allow", "deny"), default: "allow" });
    expect(planUpdate(withDefault, before, {}).calls).toEqual([
      {
        route: "PATCH /ip_policies/{id}",
        body: { action: "allow" },
        sets: ["action"],
      },
    ]);
  });

  test("keeps its value without a call, if it has no default: the API cannot clear it", () => {
    const plan = planUpdate(create(enumOf("allow", "deny")), before, {});
    expect(plan).toMatchObject({ calls: [], updates: ["action"], changes: [] });
  });
});

test("leaves an argument alone that is not managed", () => {
  expect(calls(tcpEdge, { ...open, description: "a" }, open, { managed: pathsOf(tcpEdge.fields, open) })).toEqual([]);
});

test("sends an unconfirmed argument again, if it is declared or was managed", () => {
  const unconfirmed = ["description", "metadata"];
  expect(calls(tcpEdge, { description: "a" }, { description: "a" }, { unconfirmed })).toEqual(["PATCH description"]);
});

test.each<[string, JsonObject, Parameters<typeof planFrom>[3], string[]]>([
  ["begins to declare", { ipRestriction }, { managed: [] }, ["PUT /ip_restriction ip_policy_ids"]],
  ["declared before", { ipRestriction }, {}, []],
  ["imported, which has declared nothing so far", { ipRestriction }, { managed: [], isImported: true }, []],
])("a module that can be a resource of its own, and that the edge %s", (_, values, state, sent) => {
  // Its own resource may have set it since the edge's state was written.
  expect(calls(tcpEdge, values, values, state)).toEqual(sent);
});

test("another module that the edge begins to declare is sent only if it differs", () => {
  const policy = { inbound: [{ name: "deny" }] };
  expect(planFrom(tcpEdge, { policy }, { policy }, { managed: [] }).calls).toEqual([]);
});

test("a removal sets nothing", () => {
  expect(planFrom(tcpEdge, { ipRestriction }, {}).calls).toEqual([
    {
      route: "DELETE /edges/tcp/{id}/ip_restriction",
      sets: [],
      removes: "ipRestriction",
    },
  ]);
});

test.each<[string, JsonObject, JsonObject, string[]]>([
  [
    "mutual TLS that may have been set is removed before termination upstream, which may no longer be there",
    { ...open, tlsTermination: upstream },
    { ...open, tlsTermination: upstream },
    ["DELETE /mutual_tls", "PUT /tls_termination terminate_at"],
  ],
  [
    "termination that may be upstream is at the edge before mutual TLS is set",
    { ...open, mutualTls },
    { ...open, mutualTls },
    ["PATCH mutual_tls tls_termination", "DELETE /tls_termination"],
  ],
])("unconfirmed: %s", (_, before, after, expected) => {
  const unconfirmed = ["mutualTls", "tlsTermination"];
  const managed = [...pathsOf(tlsEdge.fields, before), ...unconfirmed];
  expect(calls(tlsEdge, before, after, { managed, unconfirmed })).toEqual(expected);
});

test("does not send an ignored argument", () => {
  expect(calls(tcpEdge, { description: "a" }, { description: "b" }, {}, ["description"])).toEqual([]);
});

test.each([
  ["publicKey", sshCredential, { publicKey: publicKey("a") }, { publicKey: publicKey("b") }, ["publicKey"]],
  [
    "the comment and a line break of publicKey",
    sshCredential,
    { publicKey: publicKey("a") },
    { publicKey: `${publicKey("a")} laptop\n` },
    [],
  ],
  ["ownerId", apiKey, { ownerId: "usr_a" }, { ownerId: "usr_b" }, ["ownerId"]],
  ["dropping ownerId", apiKey, { ownerId: "usr_a" }, {}, []],
  ["keepers", apiKey, { keepers: { a: "1" } }, { keepers: { a: "2" } }, ["keepers"]],
  ["edgeId", tcpEdgeIpRestriction, restriction, { ...restriction, edgeId: "edgtcp_2" }, ["edgeId"]],
])("replaces: %s", (_, definition, before, after, expected) => {
  expect(planFrom(definition, before as JsonObject, after as JsonObject).replaces).toEqual(expected);
});

test("changes are paths, within a module too", () => {
  const after = { hostports: open.hostports, backend: { backendId: "bkdhr_2" } };
  expect(planFrom(tcpEdge, open, after).changes).toEqual([["backend", "backendId"]]);
});

test("a create is one call with everything in it", () => {
  expect(planCreate(tcpEdge, { ...open, ipRestriction })).toEqual({
    route: "POST /edges/tcp",
    body: {
      hostports: ["a.example.com:443"],
      backend: { backend_id: "bkdhr_1" },
      ip_restriction: { ip_policy_ids: ["ipp_a"] },
    },
    sets: ["hostports", "backend", "ipRestriction"],
  });
  expect(planCreate(httpsEdgeRouteOidc, { edgeId: "edghts_1", routeId: "edghtsrt_1", clientId: "a" })).toMatchObject({
    route: "PUT /edges/https/{edge_id}/routes/{id}/oidc",
    body: { client_id: "a" },
    sets: ["clientId"],
  });
});

test("debug logging names the calls and arguments, without values", () => {
  const after = { ...open, ipRestriction, tlsTermination: upstream };
  const plan = planFrom(tlsEdge, { ...open, mutualTls }, after);
  expect(describePlan(plan, (route) => route).split(", then ")).toEqual([
    "PATCH /edges/tls/{id} (sets ipRestriction)",
    "DELETE /edges/tls/{id}/mutual_tls (removes mutualTls)",
    "PUT /edges/tls/{id}/tls_termination (sets tlsTermination)",
  ]);
  const calls = [{ ...plan.calls[2]!, sets: [] }];
  expect(describePlan({ ...plan, calls }, () => "PUT /x")).toBe("PUT /x");
});

test("describes a change by its path, whether it adds, updates or deletes, and whether it replaces", () => {
  const before = { description: "old", hostports: [], backend: { backendId: "bkdhr_1", enabled: true }, policy: {} };
  const after = { description: "new", hostports: ["a.example.com:1"], backend: { backendId: "bkdhr_2" } };
  const { changes } = planFrom(tcpEdge, before, after);
  expect(describeChanges(changes, ["backend"], before, after)).toEqual([
    { path: ["description"], action: "update", replaces: false },
    { path: ["hostports"], action: "add", replaces: false },
    { path: ["backend", "backendId"], action: "update", replaces: true },
    { path: ["policy"], action: "delete", replaces: false },
  ]);
});
