/** What the state has after a create that failed, and what its error says. */

import type { Fault } from "pulumi-tunnel-edge/emulator";
import type { JsonObject } from "../../../src/base/json";
import { PartialFailure } from "../../../src/core/errors";
import { ResourceProvider } from "../../../src/core/resourceProvider";
import type { Definition } from "../../../src/definitions/definition";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { tcpEdgeIpRestriction } from "../../../src/definitions/tcpEdgeIpRestriction";
import { createRequestTime } from "../../support/clock";
import { configOf, startService } from "../../support/emulators";
import { optionsOf } from "../../support/engine/coreOptions";
import { Processes } from "../../support/engine/processes";
import { errorOf, failureOf } from "../../support/errorOf";

const time = createRequestTime();
const forever = Number.POSITIVE_INFINITY;
const [e, r] = [optionsOf("e"), optionsOf("r")];
const restriction = { enabled: true, ipPolicyIds: ["ipp_a"] };
const path = "/edges/tcp/{id}/ip_restriction";

/** An edge without modules. */
async function start() {
  const emulator = await startService();
  const settings = { "tunnel-edge:maxRetries": "0" };
  const deployment = new Processes(time).startDeployment(configOf(emulator, settings));
  const provider = (definition: Definition) => new ResourceProvider(definition, deployment);
  const [edges, restrictions] = [provider(tcpEdge), provider(tcpEdgeIpRestriction)];
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", {});
  const { state } = (await edges.read(id, undefined, e))!;
  emulator.clearRequests();
  /** What the state has after a PUT with this fault. */
  const stateAfter = async (put: Fault, get: Fault = {}): Promise<JsonObject | undefined> => {
    emulator.fail({ method: "PUT", path, ...put });
    if (Object.keys(get).length > 0) emulator.fail({ method: "GET", path, times: forever, ...get });
    const failure = await failureOf(restrictions.create({ edgeId: id, ...restriction }, r));
    expect(failure.message).toContain(`IP restriction of TCP edge ${id} could not be created: `);
    return failure instanceof PartialFailure ? failure.properties : undefined;
  };
  return { emulator, edges, restrictions, id, state, stateAfter };
}

const managed = { __managed: "edgeId enabled ipPolicyIds" };
const unconfirmed = { __unconfirmed: "enabled ipPolicyIds" };

describe("a module whose PUT was lost", () => {
  test("is in the state if it is set", async () => {
    const { id, stateAfter } = await start();
    expect(await stateAfter({ resetAfter: true })).toMatchObject({ edgeId: id, ...restriction, ...managed });
  });

  test("is not in the state if it is not set after some seconds", async () => {
    const { emulator, stateAfter } = await start();
    const from = time.now();
    expect(await stateAfter({ resetBefore: true })).toBeUndefined();
    expect(time.now() - from).toBeGreaterThan(9_000);
    expect(emulator.calls().length).toBeGreaterThan(2);
  });

  test("is in the state, with what was sent as not confirmed, if it cannot be read", async () => {
    const { id, stateAfter } = await start();
    expect(await stateAfter({ resetAfter: true }, { status: 403 })).toEqual({ edgeId: id, ...managed, ...unconfirmed });
  });
});

test("a module whose PUT is rejected is neither looked for nor in the state", async () => {
  const { emulator, stateAfter } = await start();
  expect(await stateAfter({ status: 403 })).toBeUndefined();
  expect(emulator.calls()).toEqual([`PUT ${path}`]);
});

describe("a module that its PUT may not have set", () => {
  const ignored = { status: 200, body: { enabled: true, ip_policies: [] } };

  test("is in the state as the service has it, and not as unconfirmed", async () => {
    const { id, stateAfter } = await start();
    expect(await stateAfter(ignored)).toEqual({ edgeId: id, enabled: true, ...managed });
  });

  test("goes with its edge, if the program has that", async () => {
    const { edges, state, stateAfter } = await start();
    await edges.check({}, {}, e);
    await edges.diff(state, {}, e);
    expect(await stateAfter(ignored)).toMatchObject({ __withEdge: true });
  });

  test("is in the state with what was sent as not confirmed, if the response leaves it out and it cannot be read", async () => {
    const { id, stateAfter } = await start();
    expect(await stateAfter({ status: 200, body: "" }, { status: 403 })).toEqual({
      edgeId: id,
      ...restriction,
      ...managed,
      ...unconfirmed,
    });
  });
});

test("a module without the id of its edge is not sent", async () => {
  const { emulator, restrictions } = await start();
  expect(await errorOf(restrictions.create(restriction, r))).toBe("edgeId is required");
  expect(emulator.calls()).toEqual([]);
});

const hostports = ["a.example.com:1"];

test("an edge whose hostport the edge that it replaces has is said to have had it before", async () => {
  const { edges } = await start();
  const old = await edges.create({ hostports }, e);
  await edges.diff(old, { hostports }, e);
  expect(await errorOf(edges.create({ hostports }, e))).toContain(
    `is already used by TCP edge ${old.id}, which this resource had before.`,
  );
});

test("an edge waits for its hostport only until its timeout", async () => {
  const { edges } = await start();
  const old = await edges.create({ hostports }, optionsOf("old"));
  await edges.check({ hostports }, {}, optionsOf("old"));
  await edges.diff(old, {}, optionsOf("old"));
  const from = time.now();
  expect(await errorOf(edges.create({ hostports }, { ...e, timeouts: { create: "10s" } }))).toContain(
    `is already used by TCP edge ${old.id}, which has not released it yet.`,
  );
  expect(time.now() - from).toBeLessThan(10_000);
});
