/** The plan is data: the calls that a change needs, in order. No server is needed. */

import { plan } from "../../src/core/plan";
import { managedKey, managedNames } from "../../src/core/state";
import type { JsonObject } from "../../src/json";
import { tcpEdge } from "../../src/resources/tcpEdge";
import { tlsEdge } from "../../src/resources/tlsEdge";

/** The calls of a change, with the names in their bodies. */
function calls(definition: typeof tlsEdge, before: JsonObject, now: JsonObject): string[] {
  const state = { ...before, [managedKey]: managedNames(definition.fields, before).join(" ") };
  return plan(definition, state, now).calls.map(({ route, body }) =>
    [
      ...route
        .replace(/ \/edges\/t\w+\/\{id\}/, " ")
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
    "termination upstream for mutual TLS, which it would not allow",
    { ...open, tlsTermination: upstream },
    { ...open, mutualTls, ipRestriction },
    ["DELETE /tls_termination", "PATCH ip_restriction mutual_tls"],
  ],
])("TlsEdge: %s", (_, before, now, expected) => {
  expect(calls(tlsEdge, before as JsonObject, now as JsonObject)).toEqual(expected);
});

test.each([
  ["a module with a PUT", {}, { ipRestriction }, ["PUT /ip_restriction ip_policy_ids"]],
  ["a module and a string", {}, { ipRestriction, description: "a" }, ["PATCH description ip_restriction"]],
  ["a module that is no longer declared", { ipRestriction }, {}, ["DELETE /ip_restriction"]],
])("TcpEdge: %s", (_, before, now, expected) => {
  expect(calls(tcpEdge, before as JsonObject, now as JsonObject)).toEqual(expected);
});
