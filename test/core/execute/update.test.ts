/** What an update sends and says, and what the state has after it, also if it fails. */
import type { JsonObject } from "../../../src/base/json";
import { PartialFailure } from "../../../src/core/errors";
import { newState, parseState, pathsOf, type State } from "../../../src/core/state";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { tcpEdgeIpRestriction } from "../../../src/definitions/tcpEdgeIpRestriction";
import { tlsEdgeTlsTermination } from "../../../src/definitions/tlsEdgeTlsTermination";
import { createRequestTime } from "../../support/clock";
import { startService } from "../../support/emulators";
import { failureOf } from "../../support/errorOf";
import { optionsOf, Processes } from "../../support/inProcess/processes";

const time = createRequestTime();
const [e, r] = [optionsOf("e"), optionsOf("r")];
const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const args = { description: "old", ipRestriction };
const [patch, get] = ["PATCH", "GET"].map((method) => `${method} /edges/tcp/{id}`);

/** An edge "e" with a description and an IP restriction; and its metadata, which the program does not declare. */
async function start() {
  const emulator = await startService();
  const processes = new Processes(time);
  const settings = { "tunnel-edge:maxRetries": "0" };
  const { provider } = processes.start(emulator.url, emulator.apiKey, settings);
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

  test("is sent if a response shows another value", async () => {
    const { emulator, update, respond } = await start();
    respond({ description: "new", metadata: "other", ip_restriction: { ip_policies: [{ id: "ipp_a" }] } });
    expect((await update(declared)).values).toMatchObject({ description: "new", metadata: "m" });
    expect(emulator.requests.map(({ method, body }) => [method, body])).toEqual([
      ["PATCH", { description: "new" }],
      ["PATCH", { metadata: "m" }],
    ]);
  });

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

describe("a module that the program moves to a resource of its own", () => {
  async function startMove() {
    const { emulator, processes, restrictions, id, update } = await start();
    const own = { edgeId: id, ...ipRestriction };
    const written = (await restrictions.read(id, undefined, r))!.state;
    const move = async () => {
      emulator.clearRequests();
      const { left, values } = await update({ description: "old" });
      return { left, keeps: "ipRestriction" in values, calls: emulator.calls(), messages: processes.messages };
    };
    const declare = () => restrictions.check(undefined, own, r);
    return { emulator, id, restrictions, own, written, update, move, declare };
  }
  const put = "PUT /edges/tcp/{id}/ip_restriction";

  test("is the resource's from then on, if that has set it", async () => {
    const { restrictions, own, declare, move } = await startMove();
    await declare();
    await restrictions.create(own, r);
    expect(await move()).toEqual({ left: [], keeps: false, calls: [], messages: [] });
  });

  test("is still to be removed, if the resource has not set it", async () => {
    const { id, declare, move } = await startMove();
    await declare();
    expect(await move()).toEqual({
      left: ["ipRestriction"],
      keeps: true,
      calls: [],
      messages: [`The ipRestriction of TCP edge ${id} was not removed, because Resource "r" declares it.`],
    });
  });

  test("is set as the resource declares it, if the edge has written it since", async () => {
    const { restrictions, own, written, update, move } = await startMove();
    await restrictions.check(own, own, r);
    await restrictions.diff(written, own, r);
    await update({ ...args, ipRestriction: { ipPolicyIds: ["ipp_b"] } });
    expect(await move()).toMatchObject({ left: [], keeps: true, calls: [put] });
  });
});

test("two edges swap their hostports: each first releases its own", async () => {
  const { emulator, edges } = await start();
  const [a, b] = [{ hostports: ["a.example.com:1"] }, { hostports: ["b.example.com:1"] }];
  const swap = async (name: string, old: JsonObject, declared: JsonObject) => {
    const options = optionsOf(name);
    const state = await edges.create(old, options);
    return async () => {
      await edges.check(old, declared, options);
      await edges.diff(state, declared, options);
      return () => edges.update(state, declared, options);
    };
  };
  const diffs = [await swap("a", a, b), await swap("b", b, a)];
  const updates = await Promise.all(diffs.map((diff) => diff()));
  emulator.clearRequests();
  const states = await Promise.all(updates.map((update) => update()));
  expect(states.map(({ values }) => values.hostports)).toEqual([b.hostports, a.hostports]);
});

test("an edge that releases a hostport, and waits in vain for another, has in the state what it keeps", async () => {
  const { emulator, id, edges, update } = await start();
  const [kept, released, wanted] = ["a.example.com:1", "b.example.com:1", "c.example.com:1"];
  const holder = optionsOf("holder");
  const held = await edges.create({ hostports: [wanted] }, holder);
  await edges.check({ hostports: [wanted] }, {}, holder);
  await edges.diff(held, {}, holder);
  // The response to the release has no hostports.
  emulator.fail({ method: "PATCH", body: { id }, processed: true, skip: 1 });
  const before = { values: { hostports: [kept, released] }, managed: ["hostports"] };
  const { message, values } = await stateAfter(update({ hostports: [kept, wanted] }, before));
  expect(message).toContain(`"${wanted}" is already used by TCP edge ${held.id}, which has not released it yet.`);
  expect(values).toEqual({ hostports: [kept] });
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

  test("still has to remove what was left to another resource, unless it is gone or the program declares it", async () => {
    const { emulator, update } = await start();
    emulator.fail({ method: "PATCH", resetAfter: true });
    const before = { left: ["ipRestriction", "policy", "backend"] };
    const { left } = await stateAfter(update({ description: "new", backend: { backendId: "bkdhr_a" } }, before));
    expect(left).toEqual(["ipRestriction"]);
  });

  test("of an edge that may have written a module records that", async () => {
    const { emulator, id, update } = await start();
    emulator.fail({ method: "PATCH", resetBefore: true });
    const { writeMarks } = await stateAfter(update(changed, { writeMarks: {} }));
    expect(Object.keys(writeMarks)).toEqual([`/edges/tcp/${id}/ip_restriction`]);
  });

  test("of a module's own resource does not count as a write", async () => {
    const { emulator, restrictions, id } = await start();
    const { state } = (await restrictions.read(id, undefined, r))!;
    const writeMarks = { [`/edges/tcp/${id}/ip_restriction`]: "1" };
    emulator.fail({ method: "PUT", resetAfter: true });
    const failing = restrictions.update({ ...state, writeMarks }, { edgeId: id, ipPolicyIds: ["ipp_b"] }, r);
    expect((await stateAfter(failing)).writeMarks).toEqual(writeMarks);
  });
});
