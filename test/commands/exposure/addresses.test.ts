/** Which public addresses a change opens, from the edges before and after it. */
import { listAddressChanges } from "../../../src/commands/exposure/addresses";
import type { EdgeChange } from "../../../src/commands/exposure/edges";
import { type Edge, secret } from "../../../src/commands/exposure/model";
import { unknown } from "../../support/engine/provider";

const reachable: Edge = { hostports: ["a.example:1"], backend: { backendId: "bkdhr_a" } };
const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const restricted: Edge = { ...reachable, ipRestriction };

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
  const none = { ...reachable, backend: { enabled: false } };

  test.each<[string, one: Edge, two: Edge, opens: boolean | "unknown"]>([
    ["either may have been restricted, and either may be open", restricted, reachable, "unknown"],
    ["either way it is as it was", restricted, restricted, false],
    ["nobody can connect to either", none, none, false],
    ["either may have let nobody in", none, reachable, "unknown"],
  ])("every combination counts: %s", (_, one, two, opens) => {
    const [address] = listAddressChanges(order([change("one", one, one), change("two", two, two)]));
    expect(address!.opens).toBe(opens);
  });

  test("only what opens it in each is certain", () => {
    const edges = [change("one", restricted, reachable), change("two", restricted, reachable)];
    expect(listAddressChanges(order(edges))[0]!.opens).toBe(true);
  });
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
  ])("%s", (_, hostports, expected) => {
    expect(opens(hostports)).toBe(expected);
  });
});

test.each<[string, was: Edge, is: Edge, boolean | "unknown"]>([
  ["a backend that stays hidden", { ...reachable, backend: secret }, { ...reachable, backend: secret }, false],
  ["a backend that was hidden", { ...reachable, backend: secret }, reachable, "unknown"],
  [
    "another hostport beside a backend that stays hidden",
    { ...reachable, backend: secret },
    { hostports: ["a.example:1", "b.example:2"], backend: secret },
    false,
  ],
  [
    "another hostport beside a restriction that stays hidden",
    { ...reachable, ipRestriction: secret },
    { ...reachable, hostports: ["a.example:1", "b.example:2"], ipRestriction: secret },
    false,
  ],
  ["a restriction that is lost", restricted, reachable, true],
])("whether it opens an address: %s", (_, was, is, opens) => {
  const changes = listAddressChanges([change("ssh", was, is, "edgtcp_1")]);
  expect(changes.find(({ address }) => address === "a.example:1")!.opens).toBe(opens);
});

describe("a wildcard", () => {
  const at = (name: string, more: object = {}): Edge => ({ ...reachable, hostports: [`${name}:443`], ...more });
  const opensAt = (name: string, ...changes: EdgeChange[]) =>
    listAddressChanges(changes).find(({ address }) => address === `${name}:443`)!.opens;
  const wide = change("wide", at("*.example.com"), at("*.example.com"), "edgtls_1");
  const closed = { ipRestriction };

  test.each<[string, string, EdgeChange[], boolean | "unknown"]>([
    [
      "may serve what another edge no longer does",
      "b.example.com",
      [wide, change("b", at("b.example.com", closed))],
      "unknown",
    ],
    ["also with several labels", "c.b.example.com", [wide, change("b", at("c.b.example.com", closed))], "unknown"],
    [
      "also what a narrower one no longer does",
      "*.b.example.com",
      [wide, change("b", at("*.b.example.com", closed))],
      "unknown",
    ],
    ["serves no other name", "example.com", [wide, change("b", at("example.com", closed))], false],
    [
      "serves no other port",
      "b.example.com:8",
      [wide, change("b", { ...at("", closed), hostports: ["b.example.com:8:443"] })],
      false,
    ],
    ["serves what was as open", "b.example.com", [wide, change("b", at("b.example.com"))], false],
    [
      "that is new may serve it, too",
      "b.example.com",
      [change("wide", undefined, at("*.example.com")), change("b", at("b.example.com", closed))],
      "unknown",
    ],
    [
      "that was open may have served what is named now",
      "b.example.com",
      [wide, change("b", undefined, at("b.example.com"))],
      "unknown",
    ],
    [
      "that was restricted makes no difference to what is open now",
      "b.example.com",
      [
        change("wide", at("*.example.com", closed), at("*.example.com", closed)),
        change("b", undefined, at("b.example.com")),
      ],
      true,
    ],
    [
      "that is open itself is an address like any other",
      "*.example.com",
      [change("wide", at("*.example.com", closed), at("*.example.com"))],
      true,
    ],
  ])("%s", (_, name, changes, opens) => {
    expect(opensAt(name, ...changes)).toBe(opens);
  });

  test("may serve the address of an edge whose hostports are hidden", () => {
    const hidden = change("b", { ...reachable, hostports: secret, ...closed }, undefined, "edgtls_2");
    expect(listAddressChanges([wide, hidden]).map(({ address, opens }) => [address, opens])).toEqual([
      ["*.example.com:443", false],
      ["edgtls_2", "unknown"],
    ]);
  });
});

describe("hidden hostports", () => {
  const hidden = (hostports: string, more: object = {}): Edge => ({ ...reachable, hostports, ...more });
  const opensOf = (id: string, ...changes: EdgeChange[]) =>
    listAddressChanges(changes).find(({ address }) => address === id)!.opens;
  const gone = change("gone", { ...restricted, hostports: ["b.example:2"] }, undefined, "edgtcp_2");

  test.each<[string, EdgeChange[], boolean | "unknown"]>([
    [
      "that stay, with their restriction",
      [change("a", hidden(secret, { ipRestriction }), hidden(secret, { ipRestriction }), "edgtcp_1"), gone],
      false,
    ],
    ["that stay, without it", [change("a", hidden(secret, { ipRestriction }), hidden(secret), "edgtcp_1")], "unknown"],
    [
      "may be those that another edge gives up",
      [change("a", restricted, hidden(unknown, { ipRestriction: { ipPolicyIds: ["ipp_b"] } }), "edgtcp_1"), gone],
      "unknown",
    ],
    [
      "of an edge that is restricted as all others were",
      [change("a", restricted, hidden(unknown, { ipRestriction }), "edgtcp_1"), gone],
      false,
    ],
  ])("%s", (_, changes, opens) => {
    expect(opensOf("edgtcp_1", ...changes)).toBe(opens);
  });

  test("that stay are no other edge's", () => {
    const kept = change("kept", hidden(secret, { ipRestriction }), hidden(secret, { ipRestriction }), "edgtcp_1");
    const created = change("new", undefined, { ...reachable, ipRestriction: { ipPolicyIds: ["ipp_b"] } });
    expect(opensOf("a.example:1", kept, created)).toBe(false);
  });
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
