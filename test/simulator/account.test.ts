import { type Edges, findOpened } from "./account";
import { type Declared, type Entry, urnOf } from "./engine";

const restricted = { ip_restriction: { enabled: true, ip_policies: [{ id: "ipp_a" }] } };
const otherwise = { ip_restriction: { enabled: true, ip_policies: [{ id: "ipp_b" }] } };
const denied = { policy: { enabled: true, inbound: [{ actions: [{ type: "deny" }] }] } };
const account = (edge: object) =>
  ({
    tcpEdges: [{ id: "edgtcp_1", hostports: ["a:1"], backend: { enabled: true }, ip_restriction: null, ...edge }],
    tlsEdges: [],
  }) as unknown as Edges;

const declareEdge = (more: Partial<Declared>): Declared => ({ type: "TcpEdge", name: "tcp", args: {}, ...more });
const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const own = [declareEdge({ args: { ipRestriction } })];
const separate = [
  declareEdge({ ignoreChanges: ["ipRestriction"] }),
  { type: "TcpEdgeIpRestriction", name: "ips", args: { edgeId: "edgtcp_1", ...ipRestriction } },
];

const isOpen = "edgtcp_1 was open without ipRestriction";
const gap = "edgtcp_1 was open to all between two protections";

test.each([
  ["removes a restriction", own, restricted, {}, [isOpen, gap]],
  ["disables a restriction", own, restricted, { ip_restriction: { enabled: false } }, [isOpen, gap]],
  ["adds a hostport before the restriction", own, {}, { hostports: ["a:1", "a:2"] }, [isOpen]],
  ["adds a backend before the restriction", own, { backend: null }, {}, [isOpen]],
  ["has not added the restriction yet", own, {}, {}, []],
  ["moves TLS to the edge before", own, { tls_termination: { terminate_at: "upstream" } }, {}, [isOpen]],
  ["removes a restriction with all hostports", own, restricted, { hostports: [] }, []],
  ["replaces a restriction", own, restricted, otherwise, []],
  ["removes a protection before it adds another", own, denied, {}, [gap]],
  ["replaces a protection by another", own, denied, restricted, []],
  ["loses a restriction that moves to a resource", separate, restricted, {}, [isOpen]],
  ["keeps a restriction that moves to a resource", separate, restricted, restricted, []],
])("reports all that a run opens which %s", (_, program, before, now, opened) => {
  const state = [{ urn: urnOf(declareEdge({})), id: "edgtcp_1" }] as Entry[];
  expect([...findOpened(program, state, account(before), account(now))]).toEqual(opened);
});
