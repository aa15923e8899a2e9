/** Which public addresses a change opens, from the edges before and after it. */
import { isLost, listAddressChanges, listUsedIds } from "../../../src/commands/exposure/addresses";
import type { EdgeChange } from "../../../src/commands/exposure/edges";
import { type Edge, secret } from "../../../src/commands/exposure/model";
import { unknown } from "../../support/engine/provider";

const reachable: Edge = { hostports: ["a.example:1"], backend: { backendId: "bkdhr_a" } };
const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const restricted: Edge = { ...reachable, ipRestriction };
const denying = (...expressions: string[]) => ({ policy: { inbound: [{ expressions, actions: [{ type: "deny" }] }] } });

const change = (name: string, before: Edge | undefined, after?: Edge, id?: string): EdgeChange => ({
  resource: { urn: `urn:pulumi:dev::test::tunnel-edge:index:TcpEdge::${name}`, type: "TcpEdge", name },
  ...(id && { id }),
  ...(before && { before }),
  ...(after && { after }),
});

describe.each([
  ["in one order", (changes: EdgeChange[]) => changes],
  ["in the other", (changes: EdgeChange[]) => changes.reverse()],
])("of two edges that claim a hostport, %s", (_, order) => {
  const [none, unclear] = [
    { ...reachable, backend: { enabled: false } },
    { ...reachable, ipRestriction: unknown },
  ];
  const levels = [none, restricted, unclear, reachable];

  test.each([0, 1, 2])("the more restricted one counts before, and the more open one afterwards: %d", (level) => {
    const edges = order([
      change("one", levels[level], levels[level]),
      change("two", levels[level + 1], levels[level + 1]),
    ]);
    const [address] = listAddressChanges(edges);
    expect([address!.before!.change.resource.name, address!.after!.change.resource.name]).toEqual(["one", "two"]);
  });
});

test("of two that are as open, the first counts", () => {
  const [address] = listAddressChanges([change("one", reachable, reachable), change("two", reachable, reachable)]);
  expect([address!.before!.change.resource.name, address!.after!.change.resource.name]).toEqual(["one", "one"]);
});

describe("a new address might have been open before if", () => {
  const created = change("new", undefined, { ...reachable, hostports: ["b.example:2"] });
  const opens = (hostports: string | string[]) =>
    listAddressChanges([created, change("old", { ...reachable, hostports }, undefined, "edgtcp_1")]).find(
      ({ address }) => address === "b.example:2",
    )!.opens;

  test.each<[string, string | string[], boolean | "unknown"]>([
    ["all hostports before are secret", secret, "unknown"],
    ["one of them is", ["a.example:1", secret], "unknown"],
    ["not if they are known", ["a.example:1"], true],
    ["not if they are unknown, as those of a new edge", unknown, true],
  ])("%s", (_, hostports, expected) => {
    expect(opens(hostports)).toBe(expected);
  });
});

test.each<[string, was: Edge, is: Edge, boolean | "unknown"]>([
  ["a backend that stays unknown", { ...reachable, backend: unknown }, { ...reachable, backend: unknown }, false],
  ["a backend that was unknown", { ...reachable, backend: unknown }, reachable, "unknown"],
  [
    "another hostport beside a backend that stays unknown",
    { ...reachable, backend: unknown },
    { hostports: ["a.example:1", "b.example:2"], backend: unknown },
    "unknown",
  ],
  [
    "another hostport beside a restriction that stays unknown",
    { ...reachable, ipRestriction: unknown },
    { ...reachable, hostports: ["a.example:1", "b.example:2"], ipRestriction: unknown },
    false,
  ],
  ["a restriction that is lost", restricted, reachable, true],
])("whether it opens an address: %s", (_, was, is, opens) => {
  const changes = listAddressChanges([change("ssh", was, is, "edgtcp_1")]);
  expect(changes.find(({ address }) => address === "a.example:1")!.opens).toBe(opens);
});

test("of a new edge with a hostport that is not known, only the known ones open for certain", () => {
  const changes = listAddressChanges([change("ssh", undefined, { ...reachable, hostports: ["A.example:1", unknown] })]);
  expect(changes.map(({ address, opens }) => [address, opens])).toEqual([
    ["a.example:1", true],
    [undefined, "unknown"],
  ]);
});

test("a route keeps its letters", () => {
  const route = { hostports: ["edghts_Ab/edghtsrt_Cd"], backend: {} };
  expect(listAddressChanges([change("login", route, route)])[0]!.address).toBe("edghts_Ab/edghtsrt_Cd");
});

test("ids that restrict an address are used, and others are not", () => {
  const other = (ids: string[], more: object = {}) => ({ ...reachable, ipRestriction: { ipPolicyIds: ids, ...more } });
  const used = listUsedIds([
    change("restricted", restricted),
    change("disabled", other(["ipp_b"], { enabled: false })),
    change("unknown", other(["ipp_c", unknown])),
    change("unreachable", { ...other(["ipp_d"]), hostports: [] }),
    change("new", undefined, other(["ipp_e"])),
  ]);
  expect([...used]).toEqual(["ipp_a"]);
});

test.each<[string, was: Edge, is: Edge, doubts: object[]]>([
  [
    "a policy in place of a restriction",
    restricted,
    { ...reachable, ...denying("a") },
    [{ name: "policy", newIds: [] }],
  ],
  [
    "a policy in place of one that denied everybody",
    { ...reachable, ...denying() },
    { ...reachable, ...denying("a") },
    [{ name: "policy", newIds: [] }],
  ],
  ["a policy where nothing restricted", reachable, { ...reachable, ...denying("a") }, []],
  ["a policy that denies everybody", restricted, { ...reachable, ...denying() }, []],
])("doubts: %s", (_, was, is, doubts) => {
  expect(listAddressChanges([change("ssh", was, is)])[0]!.doubts).toEqual(doubts);
});

test("a module that did not restrict is not lost", () => {
  expect(isLost("ipRestriction", { ipRestriction: { ...ipRestriction, enabled: false } }, {})).toBe(false);
  expect(isLost("ipRestriction", restricted, {})).toBe(true);
});
