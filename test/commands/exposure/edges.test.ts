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
import { unknown } from "../../support/engine/provider";

const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const reachable = { hostports: ["a.example:1"], backend: { backendId: "bkdhr_a" } };

const urnOf = (type: string, name: string) => `urn:pulumi:dev::test::tunnel-edge:index:${type}::${name}`;
const step = (
  type: string,
  name: string,
  op: string,
  states: { old?: Partial<ResourceState>; new?: Partial<ResourceState> },
  more: Partial<Step> = {},
): Step => ({
  op,
  urn: urnOf(type, name),
  ...(states.old && { oldState: { type: `tunnel-edge:index:${type}`, ...states.old } }),
  ...(states.new && { newState: { type: `tunnel-edge:index:${type}`, ...states.new } }),
  ...more,
});
const existing = (values: object, id = "edgtcp_1"): Partial<ResourceState> =>
  ({ id, inputs: values, outputs: values }) as Partial<ResourceState>;
const edge = (op: string, states: Parameters<typeof step>[3], more?: Partial<Step>) =>
  step("TcpEdge", "ssh", op, states, more);
const separate = (op: string, states: Parameters<typeof step>[3], more?: Partial<Step>) =>
  step("TcpEdgeIpRestriction", "office", op, states, more);

/** The edges by name, without what identifies them. */
const sides = (changes: EdgeChange[]) =>
  changes.map(({ resource, id, before, after }) => [resource.name, id, before, after]);
const unchanged = edge("same", { old: existing(reachable), new: { inputs: reachable } });
const other = step("TcpEdge", "web", "same", { old: existing(reachable, "edgtcp_2"), new: { inputs: reachable } });
const ofUnknownEdge = { edgeId: unknown, ...ipRestriction };

describe("an edge that is only read", () => {
  const external = { ...existing(reachable), inputs: {}, external: true };
  const get = step("TcpEdge", "read", "read", { old: external, new: external });

  test("is as it is, whatever its inputs are", () => {
    expect(sides(listEdgeChanges([get]))).toEqual([["read", "edgtcp_1", reachable, reachable]]);
  });

  test("is listed unless the program manages the same, beside others", () => {
    expect(listEdgeChanges([get, unchanged]).map(({ resource }) => resource.name)).toEqual(["ssh"]);
    expect(listEdgeChanges([get, other]).map(({ resource }) => resource.name)).toEqual(["web", "read"]);
  });

  test("stays as it is where the program managed another", () => {
    const managed = existing({ ...reachable, ipRestriction }, "edgtcp_2");
    const instead = step("TcpEdge", "read", "replace", { old: managed, new: external });
    expect(sides(listEdgeChanges([instead]))).toEqual([["read", "edgtcp_1", reachable, reachable]]);
  });

  test("is read from the new state, if that has outputs, else from the old one", () => {
    const opened = { ...external, outputs: { description: "new" } };
    const find = (newState: Partial<ResourceState> | undefined, old?: Partial<ResourceState>) =>
      sides(listEdgeChanges([step("TcpEdge", "read", "read", { old, new: newState })]));
    expect(find(opened, external)).toEqual([["read", "edgtcp_1", { description: "new" }, { description: "new" }]]);
    expect(find({ external: true }, external)).toEqual([["read", "edgtcp_1", reachable, reachable]]);
    expect(find(undefined, external)).toEqual([["read", "edgtcp_1", reachable, reachable]]);
    expect(find({ external: true })).toEqual([]);
  });

  test("is no module", () => {
    const read = separate("read", { new: { ...existing(ipRestriction), external: true } });
    expect(sides(listEdgeChanges([unchanged, read]))).toEqual([["ssh", "edgtcp_1", reachable, reachable]]);
  });
});

test.each<[string, Step[], before: object | undefined, after: object | undefined]>([
  ["a deleted edge", [edge("delete", { old: existing(reachable) })], reachable, undefined],
  [
    "a deleted edge that stays",
    [edge("delete", { old: { ...existing(reachable), retainOnDelete: true } })],
    reachable,
    reachable,
  ],
  [
    "null is not declared",
    [edge("update", { old: existing(reachable), new: { inputs: { ...reachable, policy: null } as never } })],
    reachable,
    reachable,
  ],
  [
    "an ignored argument keeps what the service has",
    [
      edge("update", {
        old: existing({ ...reachable, ipRestriction }),
        new: { inputs: { ...reachable, ipRestriction: { ipPolicyIds: ["ipp_b"] } }, ignoreChanges: ["ipRestriction"] },
      }),
    ],
    { ...reachable, ipRestriction },
    { ...reachable, ipRestriction },
  ],
  [
    "a secret that was not there is unknown",
    [edge("update", { old: existing(reachable), new: { inputs: { ...reachable, ipRestriction: secret } } })],
    reachable,
    { ...reachable, ipRestriction: unknown },
  ],
  ...(
    [
      ["in a step that changes nothing", "same", undefined, true],
      ["beside another change", "update", { description: {} }, true],
      ["in a step without changes", "update", {}, true],
      ["beside a name that begins as it does", "update", { ipRestrictions: {} }, true],
      ["without details", "update", null, false],
      ["without any", "update", undefined, false],
      ["that changes", "update", { ipRestriction: {} }, false],
      ["in which something changes", "update", { 'ipRestriction["enabled"]': {} }, false],
    ] as const
  ).map(([name, op, detailedDiff, isProven]): [string, Step[], object, object] => [
    `a secret ${name}`,
    [
      edge(
        op,
        { old: existing({ ...reachable, ipRestriction }), new: { inputs: { ...reachable, ipRestriction: secret } } },
        { detailedDiff },
      ),
    ],
    { ...reachable, ipRestriction },
    { ...reachable, ipRestriction: isProven ? ipRestriction : unknown },
  ]),
  [
    "a secret after an update that was not finished",
    [
      edge(
        "update",
        {
          old: { ...existing({ ...reachable, ipRestriction: secret }), initErrors: ["failed"] },
          new: { inputs: { ...reachable, ipRestriction: secret } },
        },
        { detailedDiff: { description: {} } },
      ),
    ],
    { ...reachable, ipRestriction: secret },
    { ...reachable, ipRestriction: unknown },
  ],
  [
    "what the service may have or not, because a response was lost",
    [
      edge("same", {
        old: {
          ...existing({ ...reachable, ipRestriction }),
          outputs: { ...reachable, ipRestriction, __unconfirmed: "ipRestriction.ipPolicyIds" },
        },
        new: { inputs: { ...reachable, ipRestriction } },
      }),
    ],
    { ...reachable, ipRestriction: unknown },
    { ...reachable, ipRestriction: unknown },
  ],
  [
    "a separate module of which the last response was lost",
    [
      unchanged,
      separate("update", {
        old: { id: "edgtcp_1", outputs: { ...ipRestriction, __unconfirmed: "ipPolicyIds" } },
        new: { inputs: { edgeId: "edgtcp_1", ...ipRestriction } },
      }),
    ],
    { ...reachable, ipRestriction: unknown },
    { ...reachable, ipRestriction: { edgeId: "edgtcp_1", ...ipRestriction } },
  ],
  [
    "a part that is secret beside one that changes",
    [
      edge(
        "update",
        {
          old: existing({ ...reachable, ipRestriction: { enabled: secret, ipPolicyIds: ["ipp_a"] } }),
          new: { inputs: { ...reachable, ipRestriction: { enabled: secret, ipPolicyIds: ["ipp_b"] } } },
        },
        { detailedDiff: { "ipRestriction.ipPolicyIds[0]": {} } },
      ),
    ],
    { ...reachable, ipRestriction: { enabled: secret, ipPolicyIds: ["ipp_a"] } },
    { ...reachable, ipRestriction: { enabled: secret, ipPolicyIds: ["ipp_b"] } },
  ],
  [
    "a rule that is secret in part, of which another part changes",
    [
      edge(
        "update",
        {
          old: existing({ policy: { inbound: [{ name: "a", expressions: [secret] }] } }),
          new: { inputs: { policy: { inbound: [{ name: "b", expressions: [secret] }, { expressions: [secret] }] } } },
        },
        { detailedDiff: { "policy.inbound[0].name": {}, "policy.inbound[1]": {} } },
      ),
    ],
    { policy: { inbound: [{ name: "a", expressions: [secret] }] } },
    { policy: { inbound: [{ name: "b", expressions: [secret] }, { expressions: [unknown] }] } },
  ],
  [
    "a secret that becomes plain, and is proven to be the same",
    [edge("same", { old: existing({ ...reachable, policy: secret }), new: { inputs: { ...reachable, policy: {} } } })],
    { ...reachable, policy: secret },
    { ...reachable, policy: secret },
  ],
  [
    "a secret that becomes plain",
    [
      edge("update", {
        old: existing({ ...reachable, policy: secret }),
        new: { inputs: { ...reachable, policy: {} } },
      }),
    ],
    { ...reachable, policy: secret },
    { ...reachable, policy: {} },
  ],
  [
    "a secret of the edge's own, where a resource had the module",
    [
      edge(
        "update",
        { old: existing(reachable), new: { inputs: { ...reachable, ipRestriction: secret } } },
        { detailedDiff: {} },
      ),
      separate("delete", { old: { id: "edgtcp_1", outputs: { ipPolicyIds: secret } } }),
    ],
    { ...reachable, ipRestriction: { ipPolicyIds: secret } },
    { ...reachable, ipRestriction: unknown },
  ],
  [
    "a secret module that moves here from another edge",
    [
      edge("same", {
        old: { ...existing(reachable), outputs: { ...reachable, ipRestriction: { ipPolicyIds: secret } } },
        new: { inputs: reachable },
      }),
      separate(
        "replace",
        {
          old: { id: "edgtcp_2", outputs: { ipPolicyIds: secret } },
          new: { inputs: { edgeId: "edgtcp_1", ipPolicyIds: secret } },
        },
        { detailedDiff: { edgeId: {} } },
      ),
    ],
    { ...reachable, ipRestriction: secret },
    { ...reachable, ipRestriction: { edgeId: "edgtcp_1", ipPolicyIds: unknown } },
  ],
  [
    "a module that nobody declares, and one with other ids whose edge is not known",
    [
      edge("same", {
        old: { ...existing(reachable), outputs: { ...reachable, ipRestriction } },
        new: { inputs: reachable },
      }),
      separate("create", { new: { inputs: { edgeId: unknown, ipPolicyIds: ["ipp_b"] } } }),
    ],
    { ...reachable, ipRestriction: secret },
    { ...reachable, ipRestriction: unknown },
  ],
  [
    "the same, with the same ids",
    [
      edge("same", {
        old: { ...existing(reachable), outputs: { ...reachable, ipRestriction } },
        new: { inputs: reachable },
      }),
      separate("create", { new: { inputs: ofUnknownEdge } }),
    ],
    { ...reachable, ipRestriction: secret },
    { ...reachable, ipRestriction: unknown },
  ],
  [
    "a module that the edge declares, and one with other ids whose edge is not known",
    [
      edge("same", {
        old: existing({ ...reachable, ipRestriction }),
        new: { inputs: { ...reachable, ipRestriction } },
      }),
      separate("create", { new: { inputs: { edgeId: unknown, ipPolicyIds: ["ipp_b"] } } }),
    ],
    { ...reachable, ipRestriction },
    { ...reachable, ipRestriction: unknown },
  ],
  [
    "two resources that had the module, with secrets",
    [
      unchanged,
      ...["one", "two"].map((name) =>
        step("TcpEdgeIpRestriction", name, "delete", { old: { id: "edgtcp_1", outputs: { ipPolicyIds: secret } } }),
      ),
    ],
    { ...reachable, ipRestriction: unknown },
    reachable,
  ],
  [
    "a module of the edge's own, where a resource had another",
    [
      edge("same", {
        old: existing({ ...reachable, ipRestriction }),
        new: { inputs: { ...reachable, ipRestriction } },
      }),
      separate("delete", { old: { id: "edgtcp_1", outputs: { ipPolicyIds: ["ipp_b"] } } }),
    ],
    { ...reachable, ipRestriction },
    { ...reachable, ipRestriction },
  ],
  [
    "a module of another edge",
    [unchanged, separate("delete", { old: { id: "edgtcp_2", outputs: ipRestriction } })],
    reachable,
    reachable,
  ],
  [
    "a module that the program leaves alone, beside a resource for another edge",
    [
      edge("same", {
        old: { ...existing(reachable), outputs: { ...reachable, ipRestriction } },
        new: { inputs: reachable },
      }),
      separate("same", { old: existing(ipRestriction, "edgtcp_2"), new: { inputs: { edgeId: "edgtcp_2" } } }),
    ],
    { ...reachable, ipRestriction: secret },
    { ...reachable, ipRestriction: secret },
  ],
  [
    "a module of an edge that is not known, but depends on another",
    [
      other,
      unchanged,
      separate("create", { new: { inputs: ofUnknownEdge, propertyDependencies: { edgeId: [unchanged.urn] } } }),
    ],
    reachable,
    reachable,
  ],
  [
    "a module of an edge that is not known, but of another kind",
    [
      step("TlsEdge", "web", "same", { old: existing(reachable, "edgtls_1"), new: { inputs: reachable } }),
      separate("create", { new: { inputs: ofUnknownEdge } }),
    ],
    reachable,
    reachable,
  ],
  [
    "a separate module whose secret list does not change",
    [
      unchanged,
      separate("same", {
        old: existing({ ipPolicyIds: secret }),
        new: { inputs: { edgeId: "edgtcp_1", ipPolicyIds: secret } },
      }),
    ],
    { ...reachable, ipRestriction: { ipPolicyIds: secret } },
    { ...reachable, ipRestriction: { ipPolicyIds: secret } },
  ],
  [
    "TLS that the edge and a resource terminate at different places",
    [
      step("TlsEdge", "web", "update", {
        old: existing({ ...reachable, tlsTermination: { terminateAt: "edge" } }, "edgtls_1"),
        new: { inputs: { ...reachable, tlsTermination: { terminateAt: "edge" } } },
      }),
      step("TlsEdgeTlsTermination", "inside", "create", {
        new: { inputs: { edgeId: "edgtls_1", terminateAt: "upstream" } },
      }),
    ],
    { ...reachable, tlsTermination: { terminateAt: "edge" } },
    { ...reachable, tlsTermination: unknown },
  ],
])("%s", (_, steps, before, after) => {
  const [first] = listEdgeChanges(steps);
  expect([first!.before, first!.after]).toEqual([before, after]);
});

describe("an edge or route that only separate modules name", () => {
  const login = (op: string, states: Parameters<typeof step>[3]) => step("HttpsEdgeRouteOidc", "login", op, states);
  const bots = (op: string, states: Parameters<typeof step>[3]) =>
    step("HttpsEdgeRouteUserAgentFilter", "bots", op, states);
  const [one, two] = ["edghts_1/edghtsrt_1", "edghts_1/edghtsrt_2"] as const;
  const on = (id: string, more: object = {}) => {
    const [edgeId, routeId] = id.split("/") as [string, string];
    return { inputs: { edgeId, routeId, ...more } };
  };

  test.each<[string, Step[], [name: string, id: string | undefined][]]>([
    [
      "is named after its own module",
      [login("create", { new: on(one) }), bots("create", { new: on(two) })],
      [
        ["login", one],
        ["bots", two],
      ],
    ],
    [
      "is named after one that is deleted, rather than one that is created disabled",
      [login("create", { new: on(one, { enabled: false }) }), bots("delete", { old: existing({}, one) })],
      [["bots", one]],
    ],
    [
      "is named after one that moves away, rather than one that stays",
      [
        login("same", { old: existing({}, one), new: on(one) }),
        bots("replace", { old: existing({}, one), new: on(two) }),
      ],
      [
        ["bots", one],
        ["bots", two],
      ],
    ],
    [
      "is listed without an id if that is not known",
      [separate("create", { new: { inputs: ofUnknownEdge } })],
      [["office", undefined]],
    ],
    [
      "is not listed again if this change creates it",
      [
        edge("create", { new: { inputs: reachable } }),
        separate("create", { new: { inputs: ofUnknownEdge, propertyDependencies: { edgeId: [unchanged.urn] } } }),
      ],
      [["ssh", undefined]],
    ],
  ])("%s", (_, steps, listed) => {
    expect(listEdgeChanges(steps).map(({ resource, id }) => [resource.name, id])).toEqual(listed);
  });
});

describe("an import", () => {
  const hiddenEdge = Object.fromEntries(
    ["description", "metadata", "hostports", "backend", "ipRestriction", "policy"].map((name) => [name, secret]),
  );

  test.each<[string, Partial<Step> & { new?: Partial<ResourceState> }]>([
    ["of the plugin", { op: "import", new: { id: "edgtcp_1", inputs: { ...reachable, policy: null } as never } }],
    ["of the classes", { op: "create", new: { inputs: { ...reachable, __import: "edgtcp_1" } } }],
  ])("%s changes nothing: what is declared is there, and the rest is unknown", (_, { op, new: state }) => {
    const [change] = listEdgeChanges([edge(op!, { new: state })]);
    expect(change!.id).toBe("edgtcp_1");
    expect(change!.before).toMatchObject({ ...hiddenEdge, ...reachable });
    expect(change!.after).toMatchObject({ ...hiddenEdge, ...reachable });
  });
});

describe("steps that say little", () => {
  test.each<[string, Step, number]>([
    ["no state", { op: "create", urn: urnOf("TcpEdge", "ssh") }, 0],
    ["another package", { op: "create", urn: "urn:a", newState: { type: "aws:s3:Bucket" } }, 0],
    ["an edge without inputs", edge("create", { new: {} }), 1],
    ["an edge that was never created", edge("delete", { old: {} }), 1],
    ["a module without inputs", separate("create", { new: {} }), 1],
    ["a module that was never created", separate("delete", { old: {} }), 0],
  ])("%s", (_, each, count) => {
    expect(listEdgeChanges([each])).toHaveLength(count);
  });
});

test("a resource of this package has the type of one of its providers", () => {
  const urn = "urn:pulumi:dev::test::type::a::b";
  expect(toResource(urn, "tunnel-edge:index:TcpEdge")).toEqual({ urn, type: "TcpEdge", name: "a::b" });
  expect(toResource(urn, "x-tunnel-edge:index:TcpEdge")).toBeUndefined();
  expect(toResource(urn, "tunnel-edge:index:TcpEdge/x")).toBeUndefined();
  const types = ["pulumi-nodejs:dynamic/tunnel-edge:TcpEdge", "tunnel-edge:index:TcpEdge"];
  expect(types.map((type) => isDynamic({ type }))).toEqual([true, false]);
});

test("a module that is a resource has its argument of the edge", () => {
  const types = ["TcpEdgeIpRestriction", "TlsEdgeTlsTermination", "HttpsEdgeRouteOidc", "TcpEdge"];
  expect(types.map(argumentOf)).toEqual(["ipRestriction", "tlsTermination", "oidc", undefined]);
});

test("of a route, its address is known, and the modules that are given", () => {
  expect(routeWith("edghts_1/edghtsrt_1", { oidc: null as never })).toEqual({
    hostports: ["edghts_1/edghtsrt_1"],
    backend: {},
    oidc: null,
    userAgentFilter: secret,
  });
});
