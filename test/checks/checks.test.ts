/** `pulumi-tunnel-edge/checks`: where each mistake is, and what it says. */
import * as pulumi from "@pulumi/pulumi";
import { check, type Problem } from "pulumi-tunnel-edge/checks";
import { checkArguments } from "../../src/core/check/checks";
import { unknownValue } from "../../src/core/unknown";
import { tcpEdge } from "../../src/definitions/tcpEdge";

const cases: Record<string, [type: unknown, args: unknown, ...problems: Problem[]]> = {
  "valid arguments": ["TcpEdge", { hostports: ["a.example:1"], backend: { backendId: "bkdhr_a" } }],
  "no arguments": ["ApiKey", undefined],
  "what is not declared": ["TcpEdge", { description: null, metadata: undefined, backend: null }],
  "a value of which the preview only warns": ["HttpsEdgeTlsTermination", { edgeId: "edghts_a", minVersion: "1.4" }],
  "an item of a list": [
    "TcpEdge",
    { hostports: ["a.example:1", "b.example:99999"] },
    {
      path: ["hostports", 1],
      message: 'hostports[1]: "b.example:99999" has an invalid port; use 1 to 65535',
    },
  ],
  "a misspelled name, once": [
    "TcpEdge",
    { backend: { backend_id: "bkdhr_a" } },
    { path: ["backend", "backend_id"], message: 'backend.backend_id is not an argument: did you mean "backendId"?' },
  ],
  "what only the classes write": [
    "TcpEdge",
    { __ignored: ["ipRestriction"] },
    {
      path: ["__ignored"],
      message: expect.stringMatching(/^__ignored is not an argument: the arguments are description, metadata, /),
    },
  ],
  "an id of another kind": [
    "TlsEdge",
    { backend: { backendId: "edgtcp_a" }, mutualTls: { certificateAuthorityIds: ["ca_a", "ipp_a"] } },
    {
      path: ["backend", "backendId"],
      message: 'backend.backendId: "edgtcp_a" is the id of a TCP edge; use the id of a backend',
    },
    {
      path: ["mutualTls", "certificateAuthorityIds", 1],
      message:
        'mutualTls.certificateAuthorityIds[1]: "ipp_a" is the id of an IP policy; use the id of a certificate authority',
    },
  ],
  "an empty key": [
    "TcpEdge",
    { policy: { inbound: [{ actions: [{ type: "deny", config: { "": 1 } }] }] } },
    {
      path: ["policy", "inbound", 0, "actions", 0, "config"],
      message: 'policy.inbound[0].actions[0].config has the key "", which cannot be sent; use another',
    },
  ],
  "a missing argument": [
    "TcpEdge",
    { backend: {} },
    { path: ["backend", "backendId"], message: "backend.backendId is required" },
  ],
  "several mistakes, one of them in a policy": [
    "TlsEdge",
    { policy: { inbound: [{ expressions: [1] }] }, metadata: 1 },
    { path: ["metadata"], message: "metadata must be a string, not a number" },
    {
      path: ["policy", "inbound", 0, "expressions", 0],
      message: "policy.inbound[0].expressions[0] must be a string, not a number",
    },
  ],
  // The message names only the map: keys are the user's data.
  "a value of a map": [
    "HttpsEdgeRouteRequestHeaders",
    { edgeId: "edghts_a", routeId: "edghtsrt_a", add: { "X-Key": 1 } },
    { path: ["add", "X-Key"], message: "add: a value must be a string, not a number" },
  ],
  "a rule between arguments": [
    "TlsEdge",
    { tlsTermination: { terminateAt: "upstream", minVersion: "1.2" } },
    {
      path: ["tlsTermination", "minVersion"],
      message:
        'tlsTermination.minVersion cannot be combined with tlsTermination.terminateAt "upstream", where the edge does not terminate TLS',
    },
  ],
  "a rule between arguments of a module, of which another is unknown": [
    "TlsEdge",
    { tlsTermination: { enabled: pulumi.output(true), terminateAt: "upstream", minVersion: "1.2" } },
    {
      path: ["tlsTermination", "minVersion"],
      message:
        'tlsTermination.minVersion cannot be combined with tlsTermination.terminateAt "upstream", where the edge does not terminate TLS',
    },
  ],
  "the order of commands": [
    "TunnelSessionCommand",
    { sessionId: "ts_a", commands: ["restart", "update"] },
    {
      path: ["commands"],
      message: 'commands has "update" after "restart", which ends the session; "restart" must come last',
    },
  ],
  "a list": ["TcpEdge", [], { path: [], message: "the arguments of TcpEdge must be an object, not a list" }],
  "a misspelled type": [
    "TcpEgde",
    {},
    { path: ["type"], message: 'type "TcpEgde" is not a resource: did you mean "TcpEdge"?' },
  ],
  "an unknown type": [
    "constructor",
    {},
    { path: ["type"], message: expect.stringMatching(/^type "constructor" is not a resource: use "ApiKey", .* or "/) },
  ],
  "no type": [undefined, {}, { path: ["type"], message: expect.stringMatching(/^type is required; use "ApiKey", /) }],
  "a number as type": [1, {}, { path: ["type"], message: expect.stringMatching(/^type must be "ApiKey", .*/) }],
};

const command = { sessionId: "ts_a", commands: ["stop"] };
const circular: Record<string, unknown> = {};
circular.self = circular;
const unreadable = {
  get anything() {
    throw new Error("no");
  },
};
let deep: object = {};
for (let level = 0; level < 10_000; level++) deep = { deep };

describe.each([
  ["a Date", new Date()],
  ["a BigInt", 1n],
  ["a Map", new Map([["a", 1]])],
  ["a Set", new Set([1])],
  ["a RegExp", /a/],
  ["a function", () => 1],
  ["a symbol", Symbol("a")],
  ["a Uint8Array", new Uint8Array(1)],
  ["an Error", new Error("no")],
  ["an object that cannot be read", unreadable],
])("%s", (type, value) => {
  test("is rejected in values that JSON must carry", () => {
    const reason = `is ${type}, which JSON cannot carry`;
    expect(check("TunnelSessionCommand", { ...command, triggers: ["1", value, { at: [value] }] })).toEqual([
      { path: ["triggers", 1], message: `triggers[1] ${reason}` },
      { path: ["triggers", 2, "at", 0], message: `triggers[2]: a value ${reason}` },
    ]);
    const config = ["policy", "inbound", 0, "actions", 0, "config"];
    expect(check("TcpEdge", { policy: { inbound: [{ actions: [{ config: { when: value } }] }] } })).toEqual([
      { path: [...config, "when"], message: `policy.inbound[0].actions[0].config: a value ${reason}` },
    ]);
  });

  test("is rejected where another type is expected", () => {
    expect(check("TcpEdge", value)).toEqual([
      { path: [], message: `the arguments of TcpEdge must be an object, not ${type}` },
    ]);
    const args = { description: value, hostports: [value], backend: value };
    expect(check("TcpEdge", args).map(({ message }) => message)).toEqual([
      `description must be a string, not ${type}`,
      `hostports[0] must be a string, not ${type}`,
      `backend must be an object, not ${type}`,
    ]);
    expect(check("TlsEdgeTlsTermination", { edgeId: "edgtls_a", terminateAt: value })).toEqual([
      { path: ["terminateAt"], message: `terminateAt must be "edge" or "upstream", not ${type}` },
    ]);
    expect(check("ApiKey", { keepers: value })).toHaveLength(1);
    expect(check(value, {})).toEqual([{ path: ["type"], message: expect.stringMatching(/^type must be "ApiKey", /) }]);
  });
});

test("what contains itself or is nested very deep is rejected", () => {
  const messages = (value: unknown) =>
    check("TunnelSessionCommand", { ...command, triggers: [value] }).map(({ message }) => message);
  expect(messages(circular)).toEqual([
    "triggers[0]: a value is an object that contains itself, which JSON cannot carry",
  ]);
  expect(messages(deep)).toEqual(["triggers[0]: a value is nested more than 100 levels deep, which JSON cannot carry"]);
  const shared = { a: 1 };
  expect(messages([shared, shared])).toEqual([]);
});

test("the key __proto__ is rejected in every map, neither dropped nor merged", () => {
  const map = JSON.parse('{ "__proto__": "a" }');
  const problem = 'has the key "__proto__", which cannot be sent; use another';
  const messages = (type: string, args: object) => check(type, args).map(({ message }) => message);
  const route = { edgeId: "edghts_a", routeId: "edghtsrt_a" };
  expect(messages("HttpsEdgeRouteRequestHeaders", { ...route, add: map })).toEqual([`add ${problem}`]);
  expect(messages("ApiKey", { keepers: map })).toEqual([`keepers ${problem}`]);
  expect(messages("TunnelSessionCommand", { ...command, triggers: [{ in: map }] })).toEqual([
    `triggers[0]: a value ${problem}`,
  ]);
  expect(messages("TcpEdge", { policy: { inbound: [{ actions: [{ config: map }] }] } })).toEqual([
    `policy.inbound[0].actions[0].config ${problem}`,
  ]);
  expect(messages("TcpEdge", { policy: map })).toEqual([
    "policy.__proto__ is not an argument: the arguments are enabled, inbound, outbound",
  ]);
});

/** With a check that takes quadratic time, each of these would take minutes. */
describe("a long string is checked in linear time", () => {
  const length = 400_000;
  const repeat = (part: string) => part.repeat(length / part.length);
  const letters = Array.from({ length: length / 4 }, (_, index) =>
    String.fromCodePoint(0x4e00 + (index % 20_000)),
  ).join("");
  test.each([
    ["brackets", `[${repeat("[:")}`],
    ["classes", `${repeat("[a]")}`],
    ["quotes", repeat("\\Q\\E")],
    ["letters", letters],
    ["a URL", `https://${letters}`],
    ["dots", repeat("a.")],
    ["ports", repeat(":1")],
    ["schemes", repeat("://")],
    ["spaces", repeat(" ")],
    ["key types", repeat(" ssh-a")],
    ["a key", `ssh-ed25519 ${repeat("A")}`],
    ["PEM", `-----BEGIN PUBLIC KEY-----${repeat("A ")}`],
  ])("%s", (_, text) => {
    const route = { edgeId: "edghts_a", routeId: "edghtsrt_a" };
    const all: [string, object][] = [
      ["ApiKey", { description: text, ownerId: text, keepers: { [text]: text } }],
      ["SshCredential", { publicKey: text, acl: [text, `bind:${text}`] }],
      ["TcpEdge", { [text]: 1, hostports: [text, `${text}:1`], policy: { inbound: [{ name: text }] } }],
      ["HttpsEdgeRouteOidc", { ...route, issuer: text, scopes: [text] }],
      ["HttpsEdgeRouteRequestHeaders", { ...route, add: { [text]: text }, remove: [text] }],
      ["HttpsEdgeRouteUserAgentFilter", { ...route, allow: [text] }],
      ["TunnelSessionCommand", { sessionId: text, commands: [text], triggers: [text] }],
      [text, {}],
    ];
    for (const [type, args] of all) {
      for (const { message } of check(type, args)) expect(message.length).toBeLessThan(500);
    }
  });
});

test.each(Object.entries(cases))("%s", (_, [type, args, ...problems]) => {
  const byPath = (list: Problem[]) => [...list].sort((a, b) => a.path.join().localeCompare(b.path.join()));
  expect(byPath(check(type, args))).toEqual(byPath(problems));
});

test("outputs and promises are not checked, what is beside them is", () => {
  const edgeId = pulumi.output("edgtcp_a");
  expect(check("TcpEdgeIpRestriction", { edgeId, ipPolicyIds: [Promise.resolve("ipp_a")] })).toEqual([]);
  expect(check("TcpEdgeIpRestriction", { edgeId, ipPolicyIds: [edgeId, "nope"] })).toEqual([
    {
      path: ["ipPolicyIds", 1],
      message: 'ipPolicyIds[1] must be the id of an IP policy ("ipp_…"), not "nope"',
    },
  ]);
});

test("a conflict can tell an unknown argument from an unset one", () => {
  const seen: object[] = [];
  const conflict = (args: object) => void seen.push(args);
  const fields = { description: { ...tcpEdge.fields.description, conflict }, metadata: tcpEdge.fields.metadata };
  checkArguments({ fields }, { description: "ssh", metadata: unknownValue });
  checkArguments({ fields }, { description: "ssh" });
  expect(seen.map((args) => Object.keys(args))).toEqual([["description", "metadata"], ["description"]]);
  expect(seen[0]).toEqual({ description: "ssh", metadata: undefined });
});

test("what was accepted before is not rejected by a stricter version, as long as it is unchanged", () => {
  const accepted = { hostports: ["A.example:01"], description: "ssh" };
  const rejected = [expect.objectContaining({ path: ["hostports", 0] })];
  expect(checkArguments(tcpEdge, accepted)).toEqual(rejected);
  expect(checkArguments(tcpEdge, { ...accepted, description: "shell" }, { accepted })).toEqual([]);
  expect(checkArguments(tcpEdge, { hostports: ["B.example:01"] }, { accepted })).toEqual(rejected);
});
