/** What is said if the service has something else than what was declared, and when a response is not enough to tell. */

import type { JsonObject } from "../../../src/base/json";
import { assertApplied } from "../../../src/core/execute/applied";
import type { Operation } from "../../../src/core/operation";
import type { Call } from "../../../src/core/plan/plan";
import { ResourceProvider } from "../../../src/core/resourceProvider";
import type { Definition } from "../../../src/definitions/definition";
import { httpsEdgeRouteUserAgentFilter } from "../../../src/definitions/httpsEdgeRouteUserAgentFilter";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { tcpEdgeIpRestriction } from "../../../src/definitions/tcpEdgeIpRestriction";
import { tlsEdgeTlsTermination } from "../../../src/definitions/tlsEdgeTlsTermination";
import { createRequestTime } from "../../support/clock";
import { configOf, startService } from "../../support/emulators";
import { optionsOf } from "../../support/engine/coreOptions";
import { Processes } from "../../support/engine/processes";
import { errorOf } from "../../support/errorOf";

const time = createRequestTime();
const e = optionsOf("e");

const inbound = [{ actions: [{ type: "deny" }] }];
const twoIds = { ipPolicyIds: ["ipp_a", "ipp_b"] };
const ids = { ipPolicyIds: ["ipp_c"] };
const [on, off] = [
  { ...twoIds, enabled: true },
  { ...twoIds, enabled: false },
];
const both = { ipRestriction: twoIds, policy: { inbound } };

/** What is said if the service has something else than these declared arguments. */
const notApplied = (...names: string[]) =>
  `the service accepted PATCH /it, but did not apply the ${names.join(" and the ")}. Anyone may be able to connect. ` +
  "Run `pulumi up`, which sends it again.";
const returnedAnother = (...names: string[]) =>
  `the service returned another ${names.join(" and another ")} of it than the program declares. The next \`pulumi up\` ` +
  "sends it again.";
const restriction = notApplied("ipRestriction of it");

const compared: [string, Definition, JsonObject, JsonObject, { fails?: string; warns?: string }][] = [
  ["nothing", tcpEdge, { ipRestriction: twoIds }, {}, { fails: restriction }],
  ["neither of two", tcpEdge, both, {}, { fails: notApplied("ipRestriction of it", "policy of it") }],
  ["only one of two", tcpEdge, both, { policy: { inbound } }, { fails: restriction }],
  [
    "no description and no backend, which protect nothing",
    tcpEdge,
    { description: "a", backend: { backendId: "bkdhr_a" } },
    {},
    { warns: returnedAnother("description", "backend") },
  ],
  [
    "neither a protection nor a description",
    tcpEdge,
    { description: "a", ...both },
    {},
    { fails: notApplied("ipRestriction of it", "policy of it") },
  ],
  ["all ids", tcpEdge, { ipRestriction: twoIds }, { ipRestriction: twoIds }, {}],
  [
    "all ids in another order",
    tcpEdge,
    { ipRestriction: twoIds },
    { ipRestriction: { ipPolicyIds: ["ipp_b", "ipp_a"] } },
    {},
  ],
  [
    "one of the ids",
    tcpEdge,
    { ipRestriction: twoIds },
    { ipRestriction: { ipPolicyIds: ["ipp_b"] } },
    { fails: restriction },
  ],
  [
    "one id more",
    tcpEdge,
    { ipRestriction: ids },
    { ipRestriction: { ipPolicyIds: ["ipp_c", "ipp_d"] } },
    { fails: restriction },
  ],
  ["another id", tcpEdge, { ipRestriction: twoIds }, { ipRestriction: ids }, { fails: restriction }],
  ["it switched off", tcpEdge, { ipRestriction: twoIds }, { ipRestriction: off }, { fails: restriction }],
  [
    "it switched off, and it is declared as on",
    tcpEdge,
    { ipRestriction: on },
    { ipRestriction: off },
    { fails: restriction },
  ],
  ["it switched off, as declared", tcpEdge, { ipRestriction: off }, { ipRestriction: off }, {}],
  ["it, and the response does not say that it is on", tcpEdge, { ipRestriction: on }, { ipRestriction: twoIds }, {}],
  [
    "other rules",
    tcpEdge,
    { policy: { inbound } },
    { policy: { inbound: [{ name: "a" }] } },
    { fails: notApplied("policy of it") },
  ],
  ["no rules", tcpEdge, { policy: { inbound } }, { policy: { enabled: true } }, { fails: notApplied("policy of it") }],
  ["no rules, as declared", tcpEdge, { policy: { inbound: [] } }, { policy: { enabled: true } }, {}],
  ["what the program does not declare", tcpEdge, {}, { ipRestriction: twoIds, description: "a" }, {}],
  ["all of a module resource", tcpEdgeIpRestriction, twoIds, twoIds, {}],
  ["nothing of a module resource", tcpEdgeIpRestriction, twoIds, {}, { fails: notApplied("it") }],
  [
    "another list of a module resource",
    httpsEdgeRouteUserAgentFilter,
    { allow: ["curl"] },
    { deny: ["curl"] },
    { fails: notApplied("it") },
  ],
  [
    "a module resource that protects nothing, switched off",
    tlsEdgeTlsTermination,
    {},
    { enabled: false },
    { warns: returnedAnother("enabled") },
  ],
];

async function compare(definition: Definition, desired: JsonObject, values: JsonObject, following?: Call[]) {
  const warnings: string[] = [];
  const warn = async (message: string) => void warnings.push(message);
  const operation = { definition, name: "it", describe: () => "PATCH /it", warn } as unknown as Operation;
  const call: Call = { route: "PATCH /it", sets: Object.keys(desired) };
  const failure = await assertApplied(operation, call, desired, values, following).catch(
    (error: Error) => error.message,
  );
  return { ...(failure !== undefined && { fails: failure }), ...(warnings.length > 0 && { warns: warnings.join() }) };
}

test.each(compared)("the service has %s", async (_, definition, desired, values, said) => {
  expect(await compare(definition, desired, values)).toEqual(said);
});

test("what a later call sets or removes need not be there yet", async () => {
  const following: Call[] = [
    { route: "PATCH /it", sets: ["description", "ipRestriction"] },
    { route: "DELETE /it/policy", sets: [], removes: "policy" },
  ];
  const values = { policy: { inbound } };
  expect(await compare(tcpEdge, { description: "a", ipRestriction: twoIds }, values, following)).toEqual({});
});

async function start() {
  const emulator = await startService();
  const deployment = new Processes(time).startDeployment(configOf(emulator));
  const provider = (definition: Definition) => new ResourceProvider(definition, deployment);
  const create = (path: string) => emulator.api<{ id: string }>("POST", path, {});
  const [tcp, tls] = [create("/edges/tcp"), create("/edges/tls")];
  const edges = provider(tcpEdge);
  // The service has responded, so its responses without a body count.
  const { state } = (await edges.read(tcp.id, undefined, e))!;
  emulator.clearRequests();
  const restrict = () => provider(tcpEdgeIpRestriction).create({ edgeId: tcp.id, ...twoIds }, e);
  const terminate = () => provider(tlsEdgeTlsTermination).create({ edgeId: tls.id, terminateAt: "edge" }, e);
  const protect = () => edges.update(state, both, e);
  return { emulator, tcp, restrict, terminate, protect };
}

const withoutBody = { status: 200, body: "", processed: true };

test("a module resource is not read after a PUT whose response has it", async () => {
  const { emulator, restrict } = await start();
  await restrict();
  expect(emulator.calls()).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
});

test("a protecting module resource is read after a PUT that is answered without a body", async () => {
  const { emulator, restrict } = await start();
  emulator.fail({ method: "PUT", ...withoutBody });
  expect((await restrict()).values).toMatchObject(twoIds);
  expect(emulator.calls()).toEqual(["PUT /edges/tcp/{id}/ip_restriction", "GET /edges/tcp/{id}/ip_restriction"]);
});

test("a module resource that protects nothing is not read after a PUT that is answered without a body", async () => {
  const { emulator, terminate } = await start();
  emulator.fail({ method: "PUT", ...withoutBody });
  expect((await terminate()).values).toMatchObject({ terminateAt: "edge" });
  expect(emulator.calls()).toEqual(["PUT /edges/tls/{id}/tls_termination"]);
});

test("a module resource that the service does not have after such a PUT is a failure", async () => {
  const { emulator, tcp, restrict } = await start();
  emulator.fail({ method: "PUT", ...withoutBody, processed: false });
  expect(await errorOf(restrict())).toContain(
    `the service accepted PUT /edges/tcp/${tcp.id}/ip_restriction, but did not apply the IP restriction of TCP edge ` +
      `${tcp.id}. Anyone may be able to connect. Run \`pulumi up\`, which sends it again.`,
  );
});

const shown = { ip_restriction: { ip_policies: twoIds.ipPolicyIds.map((id) => ({ id })) }, policy: { inbound } };

test.each([
  ["both protections", shown, ["PATCH /edges/tcp/{id}"]],
  ["only one of two", { policy: shown.policy }, ["PATCH /edges/tcp/{id}", "GET /edges/tcp/{id}"]],
  ["neither of two", {}, ["PATCH /edges/tcp/{id}", "GET /edges/tcp/{id}"]],
])("an edge is read once unless the response shows what protects it: %s", async (_, body, calls) => {
  const { emulator, tcp, protect } = await start();
  emulator.fail({ method: "PATCH", body: { id: tcp.id, ...body }, processed: true });
  await protect();
  expect(emulator.calls()).toEqual(calls);
});
