/** Which declared protections count as applied, and when a response is not enough to tell. */
import type { JsonObject } from "../../../src/base/json";
import type { Remote } from "../../../src/core/deployment/remote";
import { unappliedProtections } from "../../../src/core/execute/protections";
import type { Definition } from "../../../src/definitions/definition";
import { httpsEdgeRouteUserAgentFilter } from "../../../src/definitions/httpsEdgeRouteUserAgentFilter";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { tcpEdgeIpRestriction } from "../../../src/definitions/tcpEdgeIpRestriction";
import { tlsEdgeTlsTermination } from "../../../src/definitions/tlsEdgeTlsTermination";
import { createRequestTime } from "../../support/clock";
import { startService } from "../../support/emulators";
import { errorOf } from "../../support/errorOf";
import { optionsOf, Processes } from "../../support/inProcess/processes";

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

/** What the service has of these declared arguments, and what of them is not applied. */
const applied: [string, Definition, JsonObject, JsonObject, string[]][] = [
  ["nothing", tcpEdge, { ipRestriction: twoIds }, {}, ["ipRestriction of it"]],
  ["neither of two", tcpEdge, both, {}, ["ipRestriction of it", "policy of it"]],
  ["only one of two", tcpEdge, both, { policy: { inbound } }, ["ipRestriction of it"]],
  [
    "no description and no backend, which protect nothing",
    tcpEdge,
    { description: "a", backend: { backendId: "bkdhr_a" } },
    {},
    [],
  ],
  ["all ids", tcpEdge, { ipRestriction: twoIds }, { ipRestriction: twoIds }, []],
  ["one of the ids", tcpEdge, { ipRestriction: twoIds }, { ipRestriction: { ipPolicyIds: ["ipp_b"] } }, []],
  ["another id", tcpEdge, { ipRestriction: twoIds }, { ipRestriction: ids }, ["ipRestriction of it"]],
  ["it switched off", tcpEdge, { ipRestriction: twoIds }, { ipRestriction: off }, ["ipRestriction of it"]],
  [
    "it switched off, and it is declared as on",
    tcpEdge,
    { ipRestriction: on },
    { ipRestriction: off },
    ["ipRestriction of it"],
  ],
  ["it switched off, as declared", tcpEdge, { ipRestriction: off }, { ipRestriction: off }, []],
  ["it, and the response does not say that it is on", tcpEdge, { ipRestriction: on }, { ipRestriction: twoIds }, []],
  ["other rules", tcpEdge, { policy: { inbound } }, { policy: { inbound: [{ name: "a" }] } }, []],
  ["no rules", tcpEdge, { policy: { inbound } }, { policy: { enabled: true } }, ["policy of it"]],
  ["no rules, as declared", tcpEdge, { policy: { inbound: [] } }, { policy: { enabled: true } }, []],
  ["all of a module resource", tcpEdgeIpRestriction, twoIds, twoIds, []],
  ["nothing of a module resource", tcpEdgeIpRestriction, twoIds, {}, ["it"]],
  ["another list of a module resource", httpsEdgeRouteUserAgentFilter, { allow: ["curl"] }, { deny: ["curl"] }, ["it"]],
  ["a module resource that protects nothing, switched off", tlsEdgeTlsTermination, {}, { enabled: false }, []],
];

const unappliedOf = (definition: Definition, sent: string[], desired: JsonObject, outputs: JsonObject) =>
  unappliedProtections({ definition, name: "it" } as Remote, sent, desired, outputs);

test.each(applied)("the service has %s", (_, definition, desired, outputs, unapplied) => {
  expect(unappliedOf(definition, Object.keys(desired), desired, outputs)).toEqual(unapplied);
});

test("a protection that the program removes need not be applied", () => {
  expect(unappliedOf(tcpEdge, ["ipRestriction"], {}, {})).toEqual([]);
});

test("a protection that was not sent is not asked for", () => {
  expect(unappliedOf(tcpEdge, ["description"], { description: "a", ...both }, {})).toEqual([]);
});

async function start() {
  const emulator = await startService();
  const { provider } = new Processes(time).start(emulator.url, emulator.apiKey);
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

const shown = { ip_restriction: { ip_policies: [{ id: "ipp_a" }] }, policy: { inbound } };

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
