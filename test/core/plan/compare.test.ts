/** What an object of the service must have to be what the program declares, and how a difference is described. */

import type { JsonObject } from "../../../src/base/json";
import { describeMismatches, hasDesired, matchesDesired } from "../../../src/core/plan/compare";
import { unknownValue } from "../../../src/core/unknown";
import { apiKey } from "../../../src/definitions/apiKey";
import type { Definition, ObjectDefinition } from "../../../src/definitions/definition";
import { enumOf } from "../../../src/definitions/fields/fieldTypes";
import { httpsEdgeRouteOidc } from "../../../src/definitions/httpsEdgeRouteOidc";
import { httpsEdgeRouteRequestHeaders } from "../../../src/definitions/httpsEdgeRouteRequestHeaders";
import { sshCredential } from "../../../src/definitions/sshCredential";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { tlsEdge } from "../../../src/definitions/tlsEdge";
import { tlsEdgeTlsTermination } from "../../../src/definitions/tlsEdgeTlsTermination";
import { publicKey } from "../../support/data/publicKey";

/** An object with an argument that has a default. */
const ipPolicy: Definition = {
  ...(apiKey as unknown as ObjectDefinition),
  fields: { action: { ...enumOf("allow", "deny"), default: "allow" } },
};
const backend = { backendId: "bkdhr_a" };
const policy = { inbound: [{ name: "a" }] };
const route = { edgeId: "edghts_a", routeId: "edghtsrt_a" };
const termination = { edgeId: "edgtls_a", terminateAt: "edge" };

test.each<[string, Definition, desired: JsonObject, actual: JsonObject, ...sentences: string[]]>([
  ["the same", tcpEdge, { description: "a", backend }, { description: "a", backend: { ...backend, enabled: true } }],
  ["a value that only the object has", tcpEdge, {}, { description: "a", backend }],
  ["an unknown value", tcpEdge, { description: unknownValue, backend: { backendId: unknownValue } }, { backend }],
  ["an argument that is never sent", apiKey, { keepers: { a: "1" } }, {}],
  ["a secret that responses leave out", httpsEdgeRouteOidc, { ...route, clientSecret: "hush" }, route],
  [
    "a secret that responses may leave out, and show",
    httpsEdgeRouteOidc,
    { ...route, clientSecret: "hush" },
    { ...route, clientSecret: "other" },
    "clientSecret differs from that of it; declare the existing value, or leave it out",
  ],
  [
    "a value that may be quoted",
    tcpEdge,
    { hostports: ["a.example:1"] },
    { hostports: ["b.example:1"] },
    'hostports is ["a.example:1"] in the program, but ["b.example:1"] in it; declare the existing value, or leave it out',
  ],
  [
    "a value that may be a secret",
    tcpEdge,
    { description: "a" },
    { description: "b" },
    "description differs from that of it; declare the existing value, or leave it out",
  ],
  [
    "a value whose change replaces the object",
    apiKey,
    { ownerId: "usr_a" },
    { ownerId: "usr_b" },
    'ownerId is "usr_a" in the program, but "usr_b" in it; declare the existing value, or leave it out',
  ],
  [
    "a required value whose change replaces the object",
    sshCredential,
    { publicKey: publicKey("a") },
    { publicKey: publicKey("b") },
    "publicKey differs from that of it; declare the existing value, or remove the option import",
  ],
  [
    "a required value that the object does not have",
    sshCredential,
    { publicKey: publicKey("a") },
    {},
    "publicKey is declared, but it does not have it",
  ],
  [
    "values that only the program has",
    tcpEdge,
    { description: "a", backend },
    {},
    "description is declared, but it does not have it; leave it out",
    "backend is declared, but it does not have it; leave it out",
  ],
  [
    "a required value of a module",
    tcpEdge,
    { backend },
    { backend: { backendId: "bkdhr_b" } },
    'backend.backendId is "bkdhr_a" in the program, but "bkdhr_b" in it; declare the existing value',
  ],
  [
    "a default of a module that the object does not have",
    tcpEdge,
    { backend },
    { backend: { ...backend, enabled: false } },
    "backend.enabled is not declared, which means true, but it has false; declare it",
  ],
  [
    "a default of a module that may be a secret",
    tcpEdge,
    { policy: {} },
    { policy },
    "policy.inbound is not declared, but it has it; declare it",
  ],
  [
    "a declared default that the object does not have",
    tcpEdge,
    { backend: { ...backend, enabled: true } },
    { backend: { ...backend, enabled: false } },
    "backend.enabled is true in the program, but false in it; declare the existing value",
  ],
  [
    "a value that is not the default, which the object has",
    tcpEdge,
    { backend: { ...backend, enabled: false } },
    { backend: { ...backend, enabled: true } },
    "backend.enabled is false in the program, but true in it; declare the existing value, or leave it out",
  ],
  ["a choice of the service", tlsEdge, { tlsTermination: {} }, { tlsTermination: { terminateAt: "edge" } }],
  [
    "a map",
    httpsEdgeRouteRequestHeaders,
    { ...route, add: { a: "1" } },
    { ...route, add: { a: "2" } },
    "add differs from that of it; declare the existing value",
  ],
  ["an argument that is left out, whatever its default", ipPolicy, {}, { action: "deny" }],
  [
    "an argument with a default",
    ipPolicy,
    { action: "allow" },
    { action: "deny" },
    'action is "allow" in the program, but "deny" in it; declare the existing value, or leave it out',
  ],
  [
    "a module that is a resource",
    tlsEdgeTlsTermination,
    termination,
    { ...termination, enabled: false, minVersion: "1.2" },
    "enabled is not declared, which means true, but it has false; declare it",
  ],
])("%s", (_, definition, desired, actual, ...sentences) => {
  expect(describeMismatches(definition, "it", desired, actual)).toEqual(sentences);
});

test.each<[string, desired: JsonObject, item: JsonObject, boolean]>([
  ["nothing declared", {}, { description: "a" }, true],
  [
    "everything declared",
    { description: "a", backend },
    { description: "a", backend: { backend: { id: "bkdhr_a" } } },
    true,
  ],
  ["one of two", { description: "a", metadata: "b" }, { description: "a" }, false],
  ["another value", { hostports: ["a.example:1"] }, { hostports: ["b.example:1"] }, false],
])("an object of the service with %s", (_, desired, item, expected) => {
  expect(matchesDesired(tcpEdge, desired, item)).toBe(expected);
});

test("an argument that is never sent does not count", () => {
  expect(hasDesired(apiKey.fields, { keepers: { a: "1" }, description: "a" }, { description: "a" })).toBe(true);
});
