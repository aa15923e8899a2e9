/** The edges of a preview, before and after its change, from the steps that the CLI prints. */
import {
  argumentOf,
  type EdgeChange,
  isDynamic,
  listEdgeChanges,
  routeWith,
  toResource,
} from "../../../src/commands/exposure/edges";
import { secret } from "../../../src/commands/exposure/model";
import type { ResourceState, Step } from "../../../src/commands/exposure/preview";
import { type Properties, unknown } from "../../support/engine/provider";
import { having, ipRestriction, type StepOptions, step } from "./support/steps";

const none = undefined;
const reachable = having();
const restricted = having({ ipRestriction });
const ids = (...ipPolicyIds: string[]) => ({ ipPolicyIds });
const hiddenIds = { ipPolicyIds: secret };

type Change = [was?: Properties, is?: Properties, options?: StepOptions];
const edge = (...change: Change) => step("TcpEdge", "ssh", ...change);
const tls = (was: Properties, is: Properties) => step("TlsEdge", "web", was, is, { id: "edgtls_1" });
const separate = (...change: Change) => step("TcpEdgeIpRestriction", "office", ...change);
const unchanged = edge(reachable, reachable);
const other = step("TcpEdge", "web", reachable, reachable, { id: "edgtcp_2" });

/** The arguments of a separate IP restriction. */
const of = (edgeId: string, module: Properties = ipRestriction) => ({ edgeId, ...module });
const own = of("edgtcp_1");
const ofUnknown = of(unknown);
const dependsOnEdge = { next: { propertyDependencies: { edgeId: [unchanged.urn] } } };
/** The paths of what changes, in a preview that shows them. */
const at = (...paths: string[]): StepOptions => ({ detailedDiff: Object.fromEntries(paths.map((path) => [path, {}])) });

describe("an edge that is only read", () => {
  const external = { id: "edgtcp_1", inputs: {}, outputs: reachable, external: true };
  /** Its step, with these states. */
  const read = (next?: Partial<ResourceState>, old?: Partial<ResourceState>, op = "read"): Step =>
    step("TcpEdge", "read", old && {}, next && {}, { op, ...(old && { old }), ...(next && { next }) });
  const sidesOf = (each: Step) => listEdgeChanges([each]).map(({ id, before, after }) => [id, before, after]);
  const namesOf = (...steps: Step[]) => listEdgeChanges(steps).map(({ resource }) => resource.name);

  test("is the same before and after, whatever its inputs are", () => {
    expect(sidesOf(read(external, external))).toEqual([["edgtcp_1", reachable, reachable]]);
  });

  test("is listed unless the program manages it", () => {
    expect(namesOf(read(external, external), unchanged)).toEqual(["ssh"]);
    expect(namesOf(read(external, external), other)).toEqual(["web", "read"]);
  });

  test("is unchanged if the program managed another edge before", () => {
    const instead = read(external, { id: "edgtcp_2", inputs: restricted, outputs: restricted }, "replace");
    expect(sidesOf(instead)).toEqual([["edgtcp_1", reachable, reachable]]);
  });

  test("has the outputs of its new state or, if there are none, of its old one", () => {
    const opened = { description: "new" };
    expect(sidesOf(read({ ...external, outputs: opened }, external))).toEqual([["edgtcp_1", opened, opened]]);
    for (const next of [{ external: true, outputs: none }, none])
      expect(sidesOf(read(next, external))).toEqual([["edgtcp_1", reachable, reachable]]);
    expect(sidesOf(read({ external: true }))).toEqual([]);
  });

  test("gets no module that is only read", () => {
    const module = separate(none, {}, { op: "read", next: { id: "edgtcp_1", outputs: ipRestriction, external: true } });
    expect(listEdgeChanges([unchanged, module]).map(({ before, after }) => [before, after])).toEqual([
      [reachable, reachable],
    ]);
  });
});

const withSecret = having({ ipRestriction: secret });
const unproven = having({ ipRestriction: unknown });
const secretRule = { expressions: [secret] };
const secretPolicy = { policy: { inbound: [{ name: "a", ...secretRule }] } };
const secretSwitch = (id: string) => having({ ipRestriction: { enabled: secret, ...ids(id) } });
const undeclared = edge(reachable, reachable, { found: { ipRestriction } });
const isHidden = having({ ipRestriction: secret });
const atEdge = having({ tlsTermination: { terminateAt: "edge" } });

test.each<[what: string, steps: Step[], before: object | undefined, after: object | undefined]>([
  ["a deleted edge", [edge(reachable, none)], reachable, none],
  ["a deleted edge that stays", [edge(reachable, none, { old: { retainOnDelete: true } })], reachable, reachable],
  ["null, which declares nothing", [edge(reachable, having({ policy: null }))], reachable, reachable],
  [
    "an ignored argument, which keeps what the service has",
    [edge(restricted, having({ ipRestriction: ids("ipp_b") }), { next: { ignoreChanges: ["ipRestriction"] } })],
    restricted,
    restricted,
  ],
  ["a secret that was not there", [edge(reachable, withSecret)], reachable, unproven],
  ...(
    [
      ["in a step that changes nothing", { op: "same" }, true],
      ["beside another change", at("description"), true],
      ["in a step without changes", at(), true],
      ["beside a name that begins as it does", at("ipRestrictions"), true],
      ["without details", { detailedDiff: null }, false],
      ["without any", {}, false],
      ["that changes", at("ipRestriction"), false],
      ["in which something changes", at('ipRestriction["enabled"]'), false],
    ] as const
  ).map(([how, options, isProven]): [string, Step[], object, object] => [
    `a secret ${how}`,
    [edge(restricted, withSecret, options)],
    restricted,
    isProven ? restricted : unproven,
  ]),
  [
    "a secret after an update that was not finished",
    [edge(withSecret, { ...withSecret }, { ...at("description"), old: { initErrors: ["failed"] } })],
    withSecret,
    unproven,
  ],
  [
    "an argument of which the last response was lost",
    [edge(restricted, restricted, { found: { __unconfirmed: "ipRestriction.ipPolicyIds" } })],
    unproven,
    unproven,
  ],
  [
    "a separate module of which the last response was lost",
    [unchanged, separate(ipRestriction, own, { found: { __unconfirmed: "ipPolicyIds" } })],
    unproven,
    having({ ipRestriction: own }),
  ],
  [
    "a part that is secret beside one that changes",
    [edge(secretSwitch("ipp_a"), secretSwitch("ipp_b"), at("ipRestriction.ipPolicyIds[0]"))],
    secretSwitch("ipp_a"),
    secretSwitch("ipp_b"),
  ],
  [
    "a rule that is secret in part, of which another part changes",
    [
      edge(
        secretPolicy,
        { policy: { inbound: [{ name: "b", ...secretRule }, secretRule] } },
        at("policy.inbound[0].name", "policy.inbound[1]"),
      ),
    ],
    secretPolicy,
    { policy: { inbound: [{ name: "b", ...secretRule }, { expressions: [unknown] }] } },
  ],
  [
    "a secret that becomes plain, and is proven to be the same",
    [edge(having({ policy: secret }), having({ policy: {} }), { op: "same" })],
    having({ policy: secret }),
    having({ policy: secret }),
  ],
  [
    "a secret that becomes plain",
    [edge(having({ policy: secret }), having({ policy: {} }))],
    having({ policy: secret }),
    having({ policy: {} }),
  ],
  [
    "a secret of the edge's own, where a resource had the module",
    [edge(reachable, withSecret, at()), separate(hiddenIds, none)],
    having({ ipRestriction: hiddenIds }),
    unproven,
  ],
  [
    "a secret module that moves here from another edge",
    [
      edge(reachable, reachable, { found: { ipRestriction: hiddenIds } }),
      separate(hiddenIds, of("edgtcp_1", hiddenIds), { ...at("edgeId"), op: "replace", id: "edgtcp_2" }),
    ],
    isHidden,
    having({ ipRestriction: of("edgtcp_1", { ipPolicyIds: unknown }) }),
  ],
  [
    "a module that nobody declares, and one with other ids whose edge is not known",
    [undeclared, separate(none, of(unknown, ids("ipp_b")))],
    isHidden,
    unproven,
  ],
  ["the same, with the same ids", [undeclared, separate(none, ofUnknown)], isHidden, unproven],
  [
    "a module that the edge declares, and one with other ids whose edge is not known",
    [edge(restricted, restricted), separate(none, of(unknown, ids("ipp_b")))],
    restricted,
    unproven,
  ],
  [
    "two resources that had the module, with secrets",
    [unchanged, ...["one", "two"].map((name) => step("TcpEdgeIpRestriction", name, hiddenIds, none))],
    unproven,
    reachable,
  ],
  [
    "a module of the edge's own, where a resource had another",
    [edge(restricted, restricted), separate(ids("ipp_b"), none)],
    restricted,
    restricted,
  ],
  ["a module of another edge", [unchanged, separate(ipRestriction, none, { id: "edgtcp_2" })], reachable, reachable],
  [
    "a module that the program leaves alone, beside a resource for another edge",
    [undeclared, separate(ipRestriction, { edgeId: "edgtcp_2" }, { op: "same", id: "edgtcp_2" })],
    isHidden,
    isHidden,
  ],
  [
    "a module of an edge that is not known, but depends on another",
    [other, unchanged, separate(none, ofUnknown, dependsOnEdge)],
    reachable,
    reachable,
  ],
  [
    "a module of an edge that is not known, but of another kind",
    [tls(reachable, reachable), separate(none, ofUnknown)],
    reachable,
    reachable,
  ],
  [
    "a separate module whose secret list does not change",
    [unchanged, separate(hiddenIds, of("edgtcp_1", hiddenIds), { op: "same" })],
    having({ ipRestriction: hiddenIds }),
    having({ ipRestriction: hiddenIds }),
  ],
  [
    "TLS that the edge and a resource terminate at different places",
    [
      tls(atEdge, { ...atEdge }),
      step("TlsEdgeTlsTermination", "inside", none, { edgeId: "edgtls_1", terminateAt: "upstream" }),
    ],
    atEdge,
    having({ tlsTermination: unknown }),
  ],
])("knows the edge before and after: %s", (_, steps, before, after) => {
  const [first] = listEdgeChanges(steps);
  expect([first!.before, first!.after]).toEqual([before, after]);
});

describe("an edge or route that only separate modules name", () => {
  const [one, two] = ["edghts_1/edghtsrt_1", "edghts_1/edghtsrt_2"] as const;
  const on = (id: string, more: object = {}) => {
    const [edgeId, routeId] = id.split("/") as [string, string];
    return { edgeId, routeId, ...more };
  };
  const login = (was?: Properties, is?: Properties) => step("HttpsEdgeRouteOidc", "login", was, is, { id: one });
  const bots = (was?: Properties, is?: Properties) =>
    step("HttpsEdgeRouteUserAgentFilter", "bots", was, is, { id: one });
  const created = edge(none, reachable);

  test.each<[string, Step[], ...listed: [name: string, id: string | undefined][]]>([
    ["is named after its own module", [login(none, on(one)), bots(none, on(two))], ["login", one], ["bots", two]],
    [
      "is named after one that is deleted, rather than one that is created disabled",
      [login(none, on(one, { enabled: false })), bots({}, none)],
      ["bots", one],
    ],
    [
      "is named after one that moves away, rather than one that stays",
      [login({}, on(one)), bots({}, on(two))],
      ["bots", one],
      ["bots", two],
    ],
    ["is listed without an id if that is not known", [separate(none, ofUnknown)], ["office", none]],
    [
      "is not listed again if this change creates it",
      [created, separate(none, ofUnknown, dependsOnEdge)],
      ["ssh", none],
    ],
  ])("%s", (_, steps, ...listed) => {
    expect(listEdgeChanges(steps).map(({ resource, id }) => [resource.name, id])).toEqual(listed);
  });
});

test.each<[string, Step]>([
  ["of the plugin", edge(none, having({ policy: null }), { op: "import", next: { id: "edgtcp_1" } })],
  ["of the classes", edge(none, having({ __import: "edgtcp_1" }))],
])("an import %s changes nothing: it has the declared arguments, and the others are hidden", (_, imported) => {
  const names = ["description", "metadata", "hostports", "backend", "ipRestriction", "policy"];
  const hidden = Object.fromEntries(names.map((name) => [name, secret]));
  const [{ id, before, after } = {} as EdgeChange] = listEdgeChanges([imported]);
  expect(id).toBe("edgtcp_1");
  for (const side of [before, after]) expect(side).toMatchObject({ ...hidden, ...reachable });
});

test.each<[string, Step, number]>([
  ["no state", { op: "create", urn: unchanged.urn }, 0],
  ["another package", { op: "create", urn: "urn:a", newState: { type: "aws:s3:Bucket" } }, 0],
  ["an edge without inputs", edge(none, {}, { next: { inputs: none } }), 1],
  ["an edge that was never created", edge({}, none, { old: { id: none, inputs: none, outputs: none } }), 1],
  ["a module without inputs", separate(none, {}, { next: { inputs: none } }), 1],
  ["a module that was never created", separate({}, none, { old: { id: none, inputs: none, outputs: none } }), 0],
])("reads a step with few details: %s", (_, each, count) => {
  expect(listEdgeChanges([each])).toHaveLength(count);
});

test("recognizes the types of both providers, and no others", () => {
  const urn = "urn:pulumi:dev::test::type::a::b";
  expect(toResource(urn, "tunnel-edge:index:TcpEdge")).toEqual({ urn, type: "TcpEdge", name: "a::b" });
  expect(toResource(urn, "x-tunnel-edge:index:TcpEdge")).toBeUndefined();
  expect(toResource(urn, "tunnel-edge:index:TcpEdge/x")).toBeUndefined();
  const types = ["pulumi-nodejs:dynamic/tunnel-edge:TcpEdge", "tunnel-edge:index:TcpEdge"];
  expect(types.map((type) => isDynamic({ type }))).toEqual([true, false]);
});

test("finds the edge's argument for each module that is a resource", () => {
  const types = ["TcpEdgeIpRestriction", "TlsEdgeTlsTermination", "HttpsEdgeRouteOidc", "TcpEdge"];
  expect(types.map(argumentOf)).toEqual(["ipRestriction", "tlsTermination", "oidc", none]);
});

test("knows a route's address and the given modules, and no others", () => {
  expect(routeWith("edghts_1/edghtsrt_1", { oidc: null as never })).toEqual({
    hostports: ["edghts_1/edghtsrt_1"],
    backend: {},
    oidc: null,
    userAgentFilter: secret,
  });
});
