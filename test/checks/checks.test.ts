/** `pulumi-tunnel-edge/checks`: where each mistake is, and what it says. */
import * as pulumi from "@pulumi/pulumi";
import { check, type Problem } from "pulumi-tunnel-edge/checks";

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
