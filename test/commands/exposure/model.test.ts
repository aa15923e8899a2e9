/** Who can connect to an edge, and what may restrict it. */
import {
  type Edge,
  edgeDefinitions,
  hasHidden,
  idsOf,
  isPassable,
  listRestrictions,
  restrictions,
  secret,
  type Who,
  whoCanConnect,
} from "../../../src/commands/exposure/model";
import { unknown } from "../../support/engine/provider";

const reachable: Edge = { hostports: ["a.example:1"], backend: { backendId: "bkdhr_a" } };
const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const mutualTls = { certificateAuthorityIds: ["ca_a"] };
const inbound = (...types: string[]) => ({ policy: { inbound: [{ actions: types.map((type) => ({ type })) }] } });

test.each<[string, Edge, Who]>([
  ["nothing", {}, "nobody"],
  ["no hostports", { ...reachable, hostports: [] }, "nobody"],
  ["no backend", { hostports: ["a.example:1"] }, "nobody"],
  ["hostports and a backend", reachable, "anyone"],
  ["unknown hostports", { ...reachable, hostports: unknown }, "unknown"],
  ["an IP restriction", { ...reachable, ipRestriction }, "restricted"],
  ["an IP restriction that may be disabled", { ...reachable, ipRestriction: { enabled: unknown } }, "unknown"],
  ["mutual TLS", { ...reachable, mutualTls }, "restricted"],
  [
    "mutual TLS, terminated at the edge",
    { ...reachable, mutualTls, tlsTermination: { terminateAt: "edge" } },
    "restricted",
  ],
  [
    "mutual TLS, terminated upstream",
    { ...reachable, mutualTls, tlsTermination: { terminateAt: "upstream" } },
    "anyone",
  ],
  [
    "mutual TLS, terminated at a place that is not known",
    { ...reachable, mutualTls, tlsTermination: unknown },
    "unknown",
  ],
  ["a policy that denies everybody", { ...reachable, ...inbound("deny") }, "nobody"],
  ["a policy that does something before", { ...reachable, ...inbound("log", "deny") }, "unknown"],
  ["an IP restriction with an empty list", { ...reachable, ipRestriction: { ipPolicyIds: [] } }, "unknown"],
  [
    "mutual TLS beside upstream termination that is disabled",
    { ...reachable, mutualTls, tlsTermination: { enabled: false, terminateAt: "upstream" } },
    "unknown",
  ],
  ["a policy with unknown rules", { ...reachable, policy: { inbound: unknown } }, "unknown"],
  ["a policy with a rule that is none", { ...reachable, policy: { inbound: ["deny"] } }, "anyone"],
  ["a user agent filter", { hostports: ["edghts_1/edghtsrt_1"], backend: {}, userAgentFilter: {} }, "unknown"],
])("an edge with %s", (_, edge, who) => {
  expect(whoCanConnect(edge)).toBe(who);
});

test("only TCP and TLS edges have modules that restrict them", () => {
  expect(edgeDefinitions.map(({ type }) => type)).toEqual(["TcpEdge", "TlsEdge"]);
});

test("anyone can pass a user agent filter, and no other module", () => {
  expect(restrictions.filter(isPassable)).toEqual(["userAgentFilter"]);
});

test("null hides nothing", () => {
  expect([null, [null], { a: null }, { a: [secret] }].map(hasHidden)).toEqual([false, false, false, true]);
});

test.each<[string, Edge, string, string[] | undefined]>([
  ["known ones", { ipRestriction }, "ipRestriction", ["ipp_a"]],
  ["one that is not known", { ipRestriction: { ipPolicyIds: ["ipp_a", unknown] } }, "ipRestriction", undefined],
  ["no module", {}, "ipRestriction", undefined],
  ["a module without ids", inbound("deny"), "policy", undefined],
])("lists the ids of a module if all are known: %s", (_, edge, name, ids) => {
  expect(idsOf(edge, name)).toEqual(ids);
});

/** What decides, without what decides whether it is on. */
const decisions = (edge: Edge) => listRestrictions(edge).map(({ name, on, what, ids }) => [name, on, ids ?? what]);

test.each<[string, Edge, ...restrictions: unknown[]]>([
  ["a module that is off", { ipRestriction: { ...ipRestriction, enabled: false } }],
  [
    "ids, in any order and once",
    { ipRestriction: { ipPolicyIds: ["ipp_b", "ipp_a", "ipp_b"] } },
    ["ipRestriction", true, ["ipp_a", "ipp_b"]],
  ],
  ["hidden ids", { ipRestriction: { ipPolicyIds: secret } }, ["ipRestriction", true, { ipPolicyIds: secret }]],
  ["a hidden module", { ipRestriction: secret }, ["ipRestriction", "unknown", secret]],
  [
    "issuer and client id, and nothing else of a login",
    { oidc: { issuer: "https://id.example", clientId: "a", clientSecret: "b", scopes: ["c"], maximumDuration: 1 } },
    ["oidc", true, ["https://id.example a"]],
  ],
  [
    "OPTIONS requests that are let through",
    { oidc: { issuer: "https://id.example", optionsPassthrough: true } },
    ["oidc", true, ["optionsPassthrough", "https://id.example "]],
  ],
  [
    "each rule that denies, without its name",
    {
      policy: {
        inbound: [
          { name: "one", expressions: ["a"], actions: [{ type: "deny" }] },
          { name: "two", actions: [{ type: "deny" }] },
          { name: "none", actions: [] },
        ],
        outbound: [{ actions: [{ type: "deny" }] }],
      },
    },
    ["policy", true, { expressions: ["a"], actions: [{ type: "deny" }] }],
    ["policy", true, { actions: [{ type: "deny" }] }],
  ],
  [
    "rules with another action, as a whole",
    inbound("deny", "log"),
    ["policy", "unknown", [{ actions: [{ type: "deny" }, { type: "log" }] }]],
  ],
  ["an action of a hidden type", inbound(secret), ["policy", "unknown", [{ actions: [{ type: secret }] }]]],
  ["hidden rules", { policy: { inbound: secret } }, ["policy", "unknown", [secret]]],
  ["a user agent filter", { userAgentFilter: { deny: ["a"] } }, ["userAgentFilter", "unknown", {}]],
])("lists what may restrict an edge: %s", (_, edge, ...expected) => {
  expect(decisions(edge)).toEqual(expected);
});
