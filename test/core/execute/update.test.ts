/** What an update sends, and what the state has after it, also if it fails. */

import type { JsonObject } from "../../../src/base/json";
import { pathsOf } from "../../../src/core/arguments";
import { stateAfterFailure } from "../../../src/core/execute/update";
import { planUpdate } from "../../../src/core/plan/plan";
import { ResourceProvider } from "../../../src/core/resourceProvider";
import { newState, type State } from "../../../src/core/state";
import type { Definition } from "../../../src/definitions/definition";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { tlsEdgeTlsTermination } from "../../../src/definitions/tlsEdgeTlsTermination";
import { RequestTime } from "../../support/clock";
import { configOf, startService } from "../../support/emulators";
import { optionsOf } from "../../support/engine/coreOptions";
import { Processes } from "../../support/engine/processes";
import { Stack } from "../../support/engine/stack";
import { test as testBoth } from "../../support/engine/testedProvider";

const e = optionsOf("e");
const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const args = { description: "old", ipRestriction };

/** An edge "e" with a description and an IP restriction; and its metadata, which the program does not declare. */
async function start() {
  const emulator = await startService();
  const deployment = new Processes(new RequestTime()).startDeployment(configOf(emulator));
  const provider = (definition: Definition) => new ResourceProvider(definition, deployment);
  const edges = provider(tcpEdge);
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", {
    description: "old",
    metadata: "m",
    ip_restriction: { ip_policy_ids: ["ipp_a"] },
  });
  const read = await edges.read(id, undefined, e);
  const state: State = { ...read!.state, managed: pathsOf(tcpEdge.fields, args) };
  emulator.clearRequests();
  const update = (declared: JsonObject, before: Partial<State> = {}) =>
    edges.update({ ...state, ...before }, declared, e);
  /** The response to the next PATCH, which is executed. */
  const respond = (body: JsonObject) => void emulator.fail({ method: "PATCH", body: { id, ...body }, processed: true });
  return { emulator, provider, update, respond };
}

test("records a value that a response leaves out as it is declared, if the service has the same", async () => {
  const { update, respond } = await start();
  respond({ description: "new" });
  const ids = ["ipp_b", "ipp_a"];
  const before = { ipRestriction: { ipPolicyIds: ["ipp_a", "ipp_b"] }, description: "old" };
  const { values } = await update({ description: "new", ipRestriction: { ipPolicyIds: ids } }, { values: before });
  expect(values).toEqual({ description: "new", ipRestriction: { ipPolicyIds: ids } });
});

test("sends a value once in an update, whatever the response shows", async () => {
  const { emulator, update, respond } = await start();
  respond({ description: "other" });
  await update({ ...args, description: "new" });
  expect(emulator.calls()).toEqual(["PATCH /edges/tcp/{id}"]);
});

test("sets a module without arguments once, also if its response has no body", async () => {
  const { emulator, provider } = await start();
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tls", {});
  emulator.fail({ method: "PUT", status: 200, body: "", processed: true });
  const state = newState({ id, values: { edgeId: id }, managed: ["edgeId"] });
  await provider(tlsEdgeTlsTermination).update(state, { edgeId: id }, e);
  expect(emulator.calls()).toEqual(["PUT /edges/tls/{id}/tls_termination"]);
});

testBoth("a call that succeeds confirms only the arguments that it sends", async () => {
  const stack = await Stack.start({ config: { "tunnel-edge:maxRetries": "0" } });
  const { emulator } = stack;
  const edge = stack.resource("TcpEdge");
  const backend = { backendId: "bkdtg_1" };
  await edge.up({ backend });
  const path = `/edges/tcp/${edge.state!.id}`;
  emulator.fail({ method: "PUT", path: `${path}/ip_restriction`, resetAfter: true });
  const get = emulator.fail({ method: "GET", status: 500, times: Number.POSITIVE_INFINITY });
  await expect(edge.up({ backend, ipRestriction: { ipPolicyIds: ["ipp_1"] } })).rejects.toThrow(
    "may have been updated",
  );
  get.cancel();
  emulator.clearRequests();
  emulator.fail({ method: "DELETE", path: `${path}/ip_restriction`, status: 403 });
  await expect(edge.up({})).rejects.toThrow("returned 403");
  expect(emulator.calls()).toEqual(["DELETE /edges/tcp/{id}/backend", "DELETE /edges/tcp/{id}/ip_restriction"]);
  expect(await edge.up({})).toBe("update");
  expect(emulator.api("GET", path)).toMatchObject({ backend: null, ip_restriction: null });
});

testBoth("a module that is set by a call of its own changes nothing else in the state", async () => {
  const stack = await Stack.start();
  const edge = stack.resource("TcpEdge", "ssh");
  await edge.up({ description: "d" });
  stack.next();
  await edge.up({ description: "d", ipRestriction });
  expect(stack.calls).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
  expect(edge.outputs).toMatchObject({ description: "d", ipRestriction: { enabled: true, ...ipRestriction } });
  expect(edge.outputs.uri).toContain(edge.id);
});

// What the state records after an update failed: nothing that is still to be sent or removed is forgotten.

const policy = { inbound: [{ actions: [{ type: "deny" }] }] };
const restricted = ["description", "ipRestriction.ipPolicyIds"];

/** A failed update of an edge, from what its state has to what the program declares. */
interface Failure {
  values: JsonObject;
  managed: string[];
  ignored?: string[];
  desired: JsonObject;
  /** What the calls that succeeded have left. */
  known: JsonObject;
  /** What was not known before, and still is not. */
  unknown?: string[];
  /** What a GET shows. */
  found?: JsonObject;
  /** What the call is about whose response was lost. */
  pending?: string[];
}

const old = { values: { description: "old", ipRestriction }, managed: restricted };

const rows: [string, Failure, Partial<State>][] = [
  [
    "a rejected call after one that succeeded: the state has the values that the first has sent",
    { ...old, desired: { description: "new" }, known: { description: "new", ipRestriction } },
    { values: { description: "new", ipRestriction }, managed: [...restricted], unconfirmed: [] },
  ],
  [
    "a lost call, and nothing can be read: the argument is unconfirmed",
    { ...old, desired: { description: "new", ipRestriction }, known: old.values, pending: ["description"] },
    { values: old.values, managed: restricted, unconfirmed: ["description"] },
  ],
  [
    "a lost call that took effect: the state has its value",
    {
      ...old,
      desired: { description: "new", ipRestriction },
      known: old.values,
      found: { description: "new", ipRestriction },
      pending: ["description"],
    },
    { values: { description: "new", ipRestriction }, managed: restricted, unconfirmed: [] },
  ],
  [
    "a lost call that does not show yet: the argument is unconfirmed",
    {
      ...old,
      desired: { description: "new", ipRestriction },
      known: old.values,
      found: old.values,
      pending: ["description"],
    },
    { values: old.values, managed: restricted, unconfirmed: ["description"] },
  ],
  [
    "a lost removal that took effect: the module stays managed until the next update",
    {
      ...old,
      desired: { description: "old" },
      known: old.values,
      found: { description: "old" },
      pending: ["ipRestriction"],
    },
    { values: { description: "old" }, managed: restricted, unconfirmed: [] },
  ],
  [
    "a lost removal that does not show yet: the module is unconfirmed",
    { ...old, desired: { description: "old" }, known: old.values, found: old.values, pending: ["ipRestriction"] },
    { values: old.values, managed: restricted, unconfirmed: ["ipRestriction"] },
  ],
  [
    "an unconfirmed argument, and nothing can be read: it stays unconfirmed",
    { ...old, desired: { description: "new", ipRestriction }, known: old.values, unknown: ["ipRestriction"] },
    { unconfirmed: ["ipRestriction"] },
  ],
  [
    "an unconfirmed argument that can be read now: it is confirmed",
    {
      ...old,
      desired: { description: "new", ipRestriction },
      known: old.values,
      unknown: ["ipRestriction"],
      found: old.values,
    },
    { unconfirmed: [] },
  ],
  [
    "a module that is newly declared: the old and the new arguments are managed",
    { ...old, desired: { policy }, known: { ...old.values, policy } },
    { managed: [...restricted, "policy.inbound"] },
  ],
  [
    "an argument that is ignored now: it is not managed",
    { ...old, ignored: ["description"], desired: { ipRestriction }, known: old.values },
    { managed: ["ipRestriction.ipPolicyIds"], ignored: ["description"] },
  ],
];

test.each(rows)(
  "%s",
  (_, { values, managed, ignored = [], desired, known, unknown = [], found, pending = [] }, expected) => {
    const saved = newState({ id: "edgtcp_1", values, managed });
    const plan = planUpdate(tcpEdge, saved, desired);
    const update = { before: saved, desired, ignored, plan };
    const progress = { values: known, unconfirmed: new Set(unknown) };
    expect(stateAfterFailure(tcpEdge, update, progress, found, pending)).toMatchObject(expected);
  },
);

test("a module that is deleted with its edge still is after a failed update", () => {
  const saved = newState({ id: "edgtcp_1", values: {}, managed: [], withEdge: true });
  const update = { before: saved, desired: {}, ignored: [], plan: planUpdate(tcpEdge, saved, {}) };
  const state = stateAfterFailure(tcpEdge, update, { values: {}, unconfirmed: new Set() }, undefined, []);
  expect(state.withEdge).toBe(true);
});
