/** What an update sends and says, and what the state has after it, also if it fails. */

import type { JsonObject } from "../../../src/base/json";
import { pathsOf } from "../../../src/core/arguments";
import { PartialFailure } from "../../../src/core/errors";
import { ResourceProvider } from "../../../src/core/resourceProvider";
import { newState, parseState, type State } from "../../../src/core/state";
import type { Definition } from "../../../src/definitions/definition";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { tcpEdgeIpRestriction } from "../../../src/definitions/tcpEdgeIpRestriction";
import { tlsEdgeTlsTermination } from "../../../src/definitions/tlsEdgeTlsTermination";
import { createRequestTime } from "../../support/clock";
import { configOf, startService } from "../../support/emulators";
import { optionsOf } from "../../support/engine/coreOptions";
import { Processes } from "../../support/engine/processes";
import { failureOf } from "../../support/errorOf";

const time = createRequestTime();
const e = optionsOf("e");
const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const args = { description: "old", ipRestriction };
const [patch, get] = ["PATCH", "GET"].map((method) => `${method} /edges/tcp/{id}`);

/** An edge "e" with a description and an IP restriction; and its metadata, which the program does not declare. */
async function start() {
  const emulator = await startService();
  const processes = new Processes(time);
  const settings = { "tunnel-edge:maxRetries": "0" };
  const deployment = processes.startDeployment(configOf(emulator, settings));
  const provider = (definition: Definition) => new ResourceProvider(definition, deployment);
  const [edges, restrictions] = [provider(tcpEdge), provider(tcpEdgeIpRestriction)];
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
  return { emulator, processes, provider, edges, restrictions, id, state, update, respond };
}

/** The error of an update, and what the state then has. */
async function stateAfter(failing: Promise<unknown>): Promise<State & { message: string }> {
  const failure = await failureOf<PartialFailure>(failing);
  expect(failure).toBeInstanceOf(PartialFailure);
  return { message: failure.message, ...parseState(failure.id, failure.properties) };
}

test("what a response leaves out is as the program declares it, if the service has the same", async () => {
  const { update, respond } = await start();
  respond({ description: "new" });
  const ids = ["ipp_b", "ipp_a"];
  const before = { ipRestriction: { ipPolicyIds: ["ipp_a", "ipp_b"] }, description: "old" };
  const { values } = await update({ description: "new", ipRestriction: { ipPolicyIds: ids } }, { values: before });
  expect(values).toEqual({ description: "new", ipRestriction: { ipPolicyIds: ids } });
});

describe("what the program declares now, as the state has it", () => {
  const declared = { ...args, description: "new", metadata: "m" };

  test("is not sent otherwise", async () => {
    const { emulator, update } = await start();
    await update(declared);
    expect(emulator.calls()).toEqual([patch]);
  });
});

test("what was sent is not sent again in the same update, whatever the response shows", async () => {
  const { emulator, update, respond } = await start();
  respond({ description: "other" });
  await update({ ...args, description: "new" });
  expect(emulator.calls()).toEqual([patch]);
});

test("a module of which nothing is declared is set once, also if its response has no body", async () => {
  const { emulator, provider } = await start();
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tls", {});
  emulator.fail({ method: "PUT", status: 200, body: "", processed: true });
  const state = newState({ id, values: { edgeId: id }, managed: ["edgeId"] });
  await provider(tlsEdgeTlsTermination).update(state, { edgeId: id }, e);
  expect(emulator.calls()).toEqual(["PUT /edges/tls/{id}/tls_termination"]);
});

describe("an update that fails", () => {
  test("leaves the state as it is, if nothing was executed", async () => {
    const { emulator, update } = await start();
    emulator.fail({ method: "PATCH", status: 403 });
    expect(await failureOf(update({ ...args, description: "new" }))).not.toBeInstanceOf(PartialFailure);
    expect(emulator.calls()).toEqual([patch]);
  });

  test("has in the state what was executed before, and what is still to be removed", async () => {
    const { emulator, update } = await start();
    emulator.fail({ method: "DELETE", status: 403 });
    const { message, values, managed, unconfirmed } = await stateAfter(update({ description: "new" }));
    expect(message).toMatch(/returned 403/);
    expect(message).not.toContain("It may have been updated.");
    expect(values).toMatchObject({ description: "new", ipRestriction });
    expect({ managed, unconfirmed }).toEqual({
      managed: ["description", "ipRestriction.ipPolicyIds"],
      unconfirmed: [],
    });
    expect(emulator.calls()).toEqual([patch, "DELETE /edges/tcp/{id}/ip_restriction"]);
  });

  const changed = { description: "new", ipRestriction: { ipPolicyIds: ["ipp_b"] }, backend: { backendId: "bkdhr_a" } };

  test("has in the state what the service has, if a lost call was executed", async () => {
    const { emulator, update } = await start();
    emulator.fail({ method: "PATCH", resetAfter: true });
    const { message, values, unconfirmed } = await stateAfter(update(changed));
    expect(message).not.toContain("It may have been updated.");
    expect(values).toMatchObject(changed);
    expect(unconfirmed).toEqual([]);
    expect(emulator.calls()).toEqual([patch, get]);
  });

  test.each<[string, Partial<State>]>([
    ["once", {}],
    ["again", { unconfirmed: ["description"] }],
  ])("has in the state as not confirmed what a call that was lost %s has not changed", async (_, before) => {
    const { emulator, update } = await start();
    emulator.fail({ method: "PATCH", resetBefore: true });
    const { message, values, unconfirmed } = await stateAfter(update({ ...args, description: "new" }, before));
    expect(message).toMatch(/ It may have been updated\. The next `pulumi up` sends the update again\.$/);
    expect(values).toMatchObject(args);
    expect(unconfirmed).toEqual(["description"]);
  });
});
