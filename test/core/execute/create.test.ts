/** What the state has after the create of a module that failed, and how long an edge waits for its hostports. */
import type { Fault } from "pulumi-tunnel-edge/emulator";
import { Stack } from "../../support/engine/stack";
import { describe, test } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";

const forever = Number.POSITIVE_INFINITY;
const path = "/edges/tcp/{id}/ip_restriction";
const restriction = { enabled: true, ipPolicyIds: ["ipp_a"] };

/** An edge without modules, which the program has. */
async function start() {
  const stack = await Stack.start({ config: { "tunnel-edge:maxRetries": "0" } });
  const { emulator } = stack;
  const edge = stack.resource("TcpEdge", "ssh");
  await edge.up({});
  emulator.clearRequests();
  const office = stack.resource("TcpEdgeIpRestriction", "office");
  /** A create with faults of its PUT, and of all GETs. */
  const fail = async (put: Fault, get?: Fault) => {
    emulator.fail({ method: "PUT", path, ...put });
    if (get) emulator.fail({ method: "GET", path, times: forever, ...get });
    const message = await errorOf(office.up({ edgeId: edge.id, ...restriction }));
    expect(message).toContain(`IP restriction of TCP edge ${edge.id} could not be created: `);
  };
  return { stack, edge, office, fail };
}

describe("a module", () => {
  test("whose PUT was lost is not in the state if it is not set after some seconds", async () => {
    const { stack, office, fail } = await start();
    const from = stack.time.now();
    await fail({ resetBefore: true });
    expect(office.state).toBeUndefined();
    expect(stack.time.now() - from).toBeGreaterThan(9_000);
    expect(stack.calls.length).toBeGreaterThan(2);
  });

  test("whose PUT is rejected is neither looked for nor in the state", async () => {
    const { stack, office, fail } = await start();
    await fail({ status: 403 });
    expect(office.state).toBeUndefined();
    expect(stack.calls).toEqual([`PUT ${path}`]);
  });

  test.each<[string, Fault, Fault | undefined, object]>([
    ["lost, and it cannot be read", { resetAfter: true }, { status: 403 }, { __unconfirmed: "enabled ipPolicyIds" }],
    ["accepted and not applied", { status: 200, body: { enabled: true, ip_policies: [] } }, undefined, {}],
    [
      "answered without it, and it cannot be read",
      { status: 200, body: "" },
      { status: 403 },
      { ...restriction, __unconfirmed: "enabled ipPolicyIds" },
    ],
  ])("is in the state, and goes with its edge, if its PUT was %s", async (_, put, get, state) => {
    const { edge, office, fail } = await start();
    await fail(put, get);
    expect(office.state).toMatchObject({ id: edge.id, outputs: { edgeId: edge.id, __withEdge: true, ...state } });
  });

  test("without the id of its edge is not sent", async () => {
    const { stack, office } = await start();
    expect(await errorOf(office.create(restriction))).toContain("edgeId is required");
    expect(stack.calls).toEqual([]);
  });

  test("that is set already, and whose PUT was lost, is sent again, because it may still be executed", async () => {
    const { stack, edge, office, fail } = await start();
    stack.emulator.api("PUT", `/edges/tcp/${edge.id}/ip_restriction`, { ip_policy_ids: ["ipp_before"] });
    await fail({ resetBefore: true });
    stack.next();
    await office.up({ edgeId: edge.id, ipPolicyIds: ["ipp_before"] });
    expect(stack.calls).toEqual([`PUT ${path}`]);
  });
});

test("an edge waits for its hostport only until its timeout", async () => {
  const { stack, edge } = await start();
  const hostports = ["a.example.com:1"];
  await edge.up({ hostports });
  stack.next();
  await edge.plan({});
  const from = stack.time.now();
  const created = stack.resource("TcpEdge", "new").up({ hostports }, { customTimeouts: { create: "10s" } });
  expect(await errorOf(created)).toContain(`is already used by TCP edge ${edge.id}, which has not released it yet.`);
  expect(stack.time.now() - from).toBeLessThan(10_000);
});
