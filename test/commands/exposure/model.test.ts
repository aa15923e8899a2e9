/** Who can connect to an edge, and when two edges have the same module. */
import {
  type Edge,
  edgeDefinitions,
  hasHidden,
  idsOf,
  isSameModule,
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
    "mutual TLS, terminated elsewhere",
    { ...reachable, mutualTls, tlsTermination: { terminateAt: "upstream" } },
    "anyone",
  ],
  ["mutual TLS, terminated who knows where", { ...reachable, mutualTls, tlsTermination: unknown }, "unknown"],
  ["a policy that denies everybody", { ...reachable, ...inbound("deny") }, "nobody"],
  ["a policy that does something before", { ...reachable, ...inbound("log", "deny") }, "restricted"],
  ["a policy with unknown rules", { ...reachable, policy: { inbound: unknown } }, "unknown"],
  ["a policy with a rule that is none", { ...reachable, policy: { inbound: ["deny"] } }, "anyone"],
  ["a user agent filter", { hostports: ["edghts_1/edghtsrt_1"], backend: {}, userAgentFilter: {} }, "unknown"],
])("an edge with %s", (_, edge, who) => {
  expect(whoCanConnect(edge)).toBe(who);
});

test("only TCP and TLS edges have modules that restrict them", () => {
  expect(edgeDefinitions.map(({ type }) => type)).toEqual(["TcpEdge", "TlsEdge"]);
});

test("null hides nothing", () => {
  expect([null, [null], { a: null }, { a: [secret] }].map(hasHidden)).toEqual([false, false, false, true]);
});

test.each<[string, Edge, string, string[] | undefined]>([
  ["known ones", { ipRestriction }, "ipRestriction", ["ipp_a"]],
  ["one that is not known", { ipRestriction: { ipPolicyIds: ["ipp_a", unknown] } }, "ipRestriction", undefined],
  ["no module", {}, "ipRestriction", undefined],
  ["a module without ids", inbound("deny"), "policy", undefined],
])("ids: %s", (_, edge, name, ids) => {
  expect(idsOf(edge, name)).toEqual(ids);
});

const restricted = (ipPolicyIds: string | string[]): Edge => ({ ipRestriction: { ipPolicyIds } });

test.each<[string, boolean, name: string, Edge, Edge]>([
  ["no module and a disabled one", false, "ipRestriction", {}, { ipRestriction: { enabled: false } }],
  ["no module", true, "ipRestriction", {}, { ipRestriction: null }],
  [
    "unknown in different ways",
    false,
    "ipRestriction",
    { ipRestriction: unknown },
    { ipRestriction: { enabled: unknown } },
  ],
  ["ids in another order", true, "ipRestriction", restricted(["ipp_a", "ipp_b"]), restricted(["ipp_b", "ipp_a"])],
  ["other ids", false, "ipRestriction", restricted(["ipp_a"]), restricted(["ipp_b"])],
  ["a hidden list", true, "ipRestriction", restricted(secret), restricted(secret)],
  ["a list hidden in another form", false, "ipRestriction", restricted(secret), restricted([secret])],
  ["hidden ids in another order", false, "ipRestriction", restricted(["ipp_a", secret]), restricted([secret, "ipp_a"])],
  ["rules", false, "policy", inbound("deny"), inbound("deny", "deny")],
  ["what does not decide who can connect", true, "oidc", { oidc: { issuer: "a" } }, { oidc: { issuer: "b" } }],
  ["rules of another module", true, "oidc", { oidc: {}, ...inbound("deny") }, { oidc: {}, ...inbound("log") }],
])("the same module: %s: %s", (_, isSame, name, a, b) => {
  expect(isSameModule(a, b, name)).toBe(isSame);
});
