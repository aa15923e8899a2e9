import { type Edges, findOpened } from "./account";
import { type Declared, type Entry, urnOf } from "./engine";

const restricted = { enabled: true, ip_policies: [{ id: "ipp_a" }] };
const account = (edge: object) =>
  ({
    tcpEdges: [{ id: "edgtcp_1", hostports: ["a:1"], backend: { enabled: true }, ip_restriction: null, ...edge }],
    tlsEdges: [],
  }) as unknown as Edges;
const declareEdge = (resource: Partial<Declared>): Declared => ({
  type: "TcpEdge",
  name: "tcp",
  args: {},
  ...resource,
});
const ipRestriction = { ipPolicyIds: ["ipp_a"] };

/** What a run opens that has changed the account so far from one to the other. */
function openedBy(before: object, now: object, program = [declareEdge({ args: { ipRestriction } })]): string[] {
  const state = [{ urn: urnOf(declareEdge({})), id: "edgtcp_1" }] as Entry[];
  return [...findOpened(program, state, account(before), account(now))];
}

test.each([
  ["removed", "reported", { ip_restriction: restricted }, {}],
  ["disabled", "reported", { ip_restriction: restricted }, { ip_restriction: { enabled: false } }],
  ["not added yet, with a new hostport", "reported", {}, { hostports: ["a:1", "a:2"] }],
  ["not added yet, with a new backend", "reported", { backend: null }, {}],
  ["not added yet", "not reported", {}, {}],
  ["not added yet, while TLS moves to the edge", "reported", { tls_termination: { terminate_at: "upstream" } }, {}],
  ["removed, on an edge that cannot be reached", "not reported", { ip_restriction: restricted }, { hostports: [] }],
  [
    "replaced",
    "not reported",
    { ip_restriction: restricted },
    { ip_restriction: { enabled: true, ip_policies: [{ id: "ipp_b" }] } },
  ],
])("protection that is %s is %s", (_, outcome, before, now) => {
  const [opened] = openedBy(before, now);
  expect(opened).toBe(outcome === "reported" ? "edgtcp_1 was open without ipRestriction" : undefined);
});

test("replacing one protection by another leaves no gap", () => {
  const before = { policy: { enabled: true, inbound: [{ actions: [{ type: "deny" }] }] } };
  expect(openedBy(before, {})).toEqual(["edgtcp_1 was open to all between two protections"]);
  expect(openedBy(before, { ip_restriction: restricted })).toEqual([]);
});

test("protection that moves to a separate resource is not lost in between", () => {
  const program: Declared[] = [
    declareEdge({ ignoreChanges: ["ipRestriction"] }),
    { type: "TcpEdgeIpRestriction", name: "ips", args: { edgeId: "edgtcp_1", ...ipRestriction } },
  ];
  expect(openedBy({ ip_restriction: restricted }, {}, program)).toEqual(["edgtcp_1 was open without ipRestriction"]);
  expect(openedBy({ ip_restriction: restricted }, { ip_restriction: restricted }, program)).toEqual([]);
});
