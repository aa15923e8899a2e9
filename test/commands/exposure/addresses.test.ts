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
  ["in the other order", (changes: EdgeChange[]) => changes.reverse()],
])("two edges that claim a hostport, listed %s", (_, order) => {
  const none = { ...reachable, backend: { enabled: false } };

  test.each<[string, one: Edge, two: Edge, opens: boolean | "unknown"]>([
    ["might open it if either may have been restricted and either may be open", restricted, reachable, "unknown"],
    ["do not open it if both stay restricted", restricted, restricted, false],
    ["do not open it if nobody can connect to either", none, none, false],
    ["might open it if either may have let nobody in", none, reachable, "unknown"],
  ])("%s", (_, one, two, opens) => {
    const [address] = listAddressChanges(order([change("one", one, one), change("two", two, two)]));
    expect(address!.opens).toBe(opens);
  });

  test("open it for certain if both open it", () => {
    const edges = [change("one", restricted, reachable), change("two", restricted, reachable)];
    expect(listAddressChanges(order(edges))[0]!.opens).toBe(true);
  });
});

describe("a new address", () => {
  const created = change("new", undefined, { ...reachable, hostports: ["b.example:2"] });
  const opens = (hostports: string | string[]) =>
    listAddressChanges([created, change("old", { ...reachable, hostports }, undefined, "edgtcp_1")]).find(
      ({ address }) => address === "b.example:2",
    )!.opens;

  test.each<[string, string | string[], boolean | "unknown"]>([
    ["might have been open before if all old hostports are secret", secret, "unknown"],
    ["might have been open before if one old hostport is secret", ["a.example:1", secret], "unknown"],
    ["was not open before if all old hostports are known", ["a.example:1"], true],
  ])("%s", (_, hostports, expected) => {
    expect(opens(hostports)).toBe(expected);
  });
});

const hiddenBackend: Edge = { ...reachable, backend: secret };
const hiddenRestriction: Edge = { ...reachable, ipRestriction: secret };
const two = { hostports: ["a.example:1", "b.example:2"] };

test.each<[string, was: Edge, is: Edge, boolean | "unknown"]>([
  ["a backend that stays hidden opens nothing", hiddenBackend, hiddenBackend, false],
  ["a backend that was hidden might open the address", hiddenBackend, reachable, "unknown"],
  [
    "another hostport opens nothing beside a backend that stays hidden",
    hiddenBackend,
    { ...hiddenBackend, ...two },
    false,
  ],
  [
    "another hostport opens nothing beside a hidden restriction",
    hiddenRestriction,
    { ...hiddenRestriction, ...two },
    false,
  ],
  ["a lost restriction opens the address", restricted, reachable, true],
])("%s", (_, was, is, opens) => {
  const changes = listAddressChanges([change("ssh", was, is, "edgtcp_1")]);
  expect(changes.find(({ address }) => address === "a.example:1")!.opens).toBe(opens);
});

describe("a wildcard", () => {
  /** An edge with this hostport, restricted or not, before and afterwards. */
  const at = (name: string, more: object = {}): Edge => ({ ...reachable, hostports: [`${name}:443`], ...more });
  const closedAt = (name: string) => at(name, { ipRestriction });
  const wide = change("wide", at("*.example.com"), at("*.example.com"), "edgtls_1");
  const closedWide = change("wide", closedAt("*.example.com"), closedAt("*.example.com"));
  const newWide = change("wide", undefined, at("*.example.com"));
  const b = (was?: Edge, is?: Edge) => change("b", was, is);
  const [name, narrow] = ["b.example.com", "*.b.example.com"];

  test.each<[string, address: string, EdgeChange[], boolean | "unknown"]>([
    ["may serve a name that another edge no longer does", name, [wide, b(closedAt(name))], "unknown"],
    ["may serve a name of several labels", `c.${name}`, [wide, b(closedAt(`c.${name}`))], "unknown"],
    ["may serve what a narrower one no longer does", narrow, [wide, b(closedAt(narrow))], "unknown"],
    ["serves no other name", "example.com", [wide, b(closedAt("example.com"))], false],
    ["serves no other port", `${name}:8`, [wide, b(closedAt(`${name}:8`))], false],
    ["serves what was as open", name, [wide, b(at(name))], false],
    ["that is new may serve it, too", name, [newWide, b(closedAt(name))], "unknown"],
    ["that was open may have served what is named now", name, [wide, b(undefined, at(name))], "unknown"],
    ["that was restricted makes no difference to what is open now", name, [closedWide, b(undefined, at(name))], true],
    [
      "that is open itself is an address like any other",
      "*.example.com",
      [change("wide", closedAt("*.example.com"), at("*.example.com"))],
      true,
    ],
  ])("%s", (_, address, changes, opens) => {
    const found = listAddressChanges(changes).find((each) => each.address === `${address}:443`);
    expect(found!.opens).toBe(opens);
  });

  test("may serve the address of an edge whose hostports are hidden", () => {
    const hidden = change("b", { ...restricted, hostports: secret }, undefined, "edgtls_2");
    expect(listAddressChanges([wide, hidden]).map(({ address, opens }) => [address, opens])).toEqual([
      ["*.example.com:443", false],
      ["edgtls_2", "unknown"],
    ]);
  });
});

describe("hidden hostports", () => {
  const kept: Edge = { ...restricted, hostports: secret };
  const other: Edge = { ...reachable, ipRestriction: { ipPolicyIds: ["ipp_b"] } };
  const gone = change("gone", { ...restricted, hostports: ["b.example:2"] }, undefined, "edgtcp_2");
  const opensOf = (id: string, ...changes: EdgeChange[]) =>
    listAddressChanges(changes).find(({ address }) => address === id)!.opens;

  test.each<[string, was: Edge, is: Edge, boolean | "unknown"]>([
    ["open nothing if they stay with their restriction", kept, kept, false],
    ["might open if they stay without their restriction", kept, { ...reachable, hostports: secret }, "unknown"],
    ["may be those that another edge gives up", restricted, { ...other, hostports: unknown }, "unknown"],
    [
      "open nothing if their edge is restricted like all others",
      restricted,
      { ...restricted, hostports: unknown },
      false,
    ],
  ])("%s", (_, was, is, opens) => {
    expect(opensOf("edgtcp_1", change("a", was, is, "edgtcp_1"), gone)).toBe(opens);
  });

  test("belong to no other edge if they stay", () => {
    const created = change("new", undefined, other);
    expect(opensOf("a.example:1", change("kept", kept, kept, "edgtcp_1"), created)).toBe(false);
  });
});

test("a new edge opens its known hostports for certain, and might open an unknown one", () => {
  const changes = listAddressChanges([change("ssh", undefined, { ...reachable, hostports: ["A.example:1", unknown] })]);
  expect(changes.map(({ address, opens }) => [address, opens])).toEqual([
    ["a.example:1", true],
    [undefined, "unknown"],
  ]);
});

test("the ids of a route keep their upper and lower case", () => {
  const route = { hostports: ["edghts_Ab/edghtsrt_Cd"], backend: {} };
  expect(listAddressChanges([change("login", route, route)])[0]!.address).toBe("edghts_Ab/edghtsrt_Cd");
});
