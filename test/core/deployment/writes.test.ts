/** What an edge's writes mean for the next ones: those to a module give it a mark, and after a lost one the next waits. */
import type { JsonObject } from "../../../src/base/json";
import type { ResourceDriver } from "../../support/engine/resourceDriver";
import { Stack } from "../../support/engine/stack";
import { describe, test } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";

const ipRestriction = { ipPolicyIds: ["ipp_edge"] };
const policy = { inbound: [{ name: "deny", actions: [{ type: "deny" }] }] };
const rejected = { status: 400, body: { status_code: 400, msg: "not now" } };

/** Which of its writes to modules the state of an edge has. */
const marks = (edge: ResourceDriver) => edge.state!.outputs["__marks"];

/** An edge of an earlier deployment. */
async function start(args: JsonObject = {}) {
  const stack = await Stack.start();
  const edge = stack.resource("TcpEdge", "edge");
  await edge.up(args);
  const { id } = edge;
  stack.next();
  return { stack, emulator: stack.emulator, edge, id, path: `/edges/tcp/${id}/ip_restriction` };
}

describe("a write of an edge", () => {
  test.each<[string, JsonObject, JsonObject, string]>([
    ["sets it", {}, { ipRestriction }, "PUT /edges/tcp/{id}/ip_restriction"],
    ["sets it with something else", {}, { ipRestriction, description: "d" }, "PATCH /edges/tcp/{id}"],
    ["removes it", { ipRestriction }, {}, "DELETE /edges/tcp/{id}/ip_restriction"],
  ])("gives a module another mark if it %s", async (_, before, after, call) => {
    const { stack, edge, path } = await start(before);
    expect(marks(edge)).toBeUndefined();
    await edge.up(after);
    const written = marks(edge);
    expect(written).toEqual({ [path]: expect.any(String) });
    expect(stack.calls).toContain(call);
    await edge.up({ ipRestriction: { ipPolicyIds: ["ipp_other"] } });
    expect(marks(edge)).toEqual({ [path]: expect.any(String) });
    expect(marks(edge)).not.toEqual(written);
  });

  test.each<[string, JsonObject]>([
    ["something else", { ipRestriction, description: "d" }],
    ["a module that can be no resource of its own", { ipRestriction, policy }],
  ])("gives a module no mark if it sets %s", async (_, after) => {
    const { edge } = await start({ ipRestriction });
    await edge.up(after);
    expect(marks(edge)).toBeUndefined();
  });

  /** The edge has written the module after the module's own resource, which still declares it. The edge no longer does. */
  async function startOverwritten() {
    const started = await start();
    const { stack, emulator, edge, id } = started;
    const own = stack.resource("TcpEdgeIpRestriction", "own");
    await own.up({ edgeId: id, ipPolicyIds: ["ipp_own"] });
    stack.next();
    await edge.up({ ipRestriction });
    const written = marks(edge);
    stack.next();
    await own.plan();
    const policies = () => emulator.account.tcpEdges[0]!.ip_restriction!.ip_policies.map(({ id }) => id);
    return { ...started, own, written, policies };
  }

  test("takes the mark away if it sets the module for the module's own resource", async () => {
    const { stack, edge, own, path, written, policies } = await startOverwritten();
    expect(written).toEqual({ [path]: expect.any(String) });
    await edge.up({});
    expect(marks(edge)).toBeUndefined();
    expect(policies()).toEqual(["ipp_own"]);
    expect(stack.calls).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
    stack.next();
    await own.up();
    await edge.up();
    expect(stack.calls).toEqual([]);
  });

  test("leaves the mark if that fails", async () => {
    const { stack, emulator, edge, path, written, policies } = await startOverwritten();
    emulator.fail({ method: "PUT", ...rejected });
    expect(await errorOf(edge.up({}))).toMatch(/ returned 400: not now\.$/);
    expect(policies()).toEqual(["ipp_edge"]);
    expect(marks(edge)).toEqual(written);
    const published = stack.published.flatMap((entry) => {
      const { place, history } = entry as { place?: string; history?: JsonObject };
      return place === path ? [history!["writeMark"]] : [];
    });
    expect(new Set(published)).toEqual(new Set([written[path]]));
  });
});

describe("after a write whose response was lost", () => {
  async function startLost() {
    const started = await start();
    const { emulator, edge } = started;
    emulator.fail({ method: "PATCH", status: 503, body: "<html>busy</html>", times: 5 });
    await errorOf(edge.up({ description: "a" }));
    const lostAt = emulator.requests.findLast(({ method }) => method === "PATCH")!.time;
    emulator.clearRequests();
    /** The writes since, each with the seconds after the lost one. */
    const writes = () =>
      emulator.requests
        .filter(({ method }) => method !== "GET")
        .map(({ method, time: at }) => `${method} after ${(Date.parse(at) - Date.parse(lostAt)) / 1_000} s`);
    return { ...started, writes };
  }

  test("the next to the edge waits until it can no longer be executed", async () => {
    const { edge, writes } = await startLost();
    await edge.up({ description: "b" });
    await edge.up({ description: "c" });
    expect(writes()).toEqual(["PATCH after 10 s", "PATCH after 10 s"]);
  });

  test("the next to one of its modules waits, too, also in another process", async () => {
    const { stack, id, writes } = await startLost();
    const own = stack.resource("TcpEdgeIpRestriction", "own").useProvider(stack.startProcess());
    await own.up({ edgeId: id, ipPolicyIds: ["ipp_own"] });
    expect(writes()).toEqual(["PUT after 10 s"]);
  });

  test("another edge does not wait", async () => {
    const { stack, writes } = await startLost();
    const other = stack.resource("TcpEdge", "other");
    await other.up({});
    await other.up({ description: "b" });
    expect(writes()).toEqual(["POST after 0 s", "PATCH after 0 s"]);
  });
});
