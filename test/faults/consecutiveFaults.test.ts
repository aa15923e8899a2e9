/** One fault after another: the effect of the first attempt must not be forgotten when the second one fails. */
import type { Fault } from "pulumi-tunnel-edge/emulator";
import { Stack } from "../support/engine/stack";
import { describe, test } from "../support/engine/testedProvider";

const forever = Number.POSITIVE_INFINITY;
async function start() {
  const stack = await Stack.start({ config: { "tunnel-edge:maxRetries": "1" } });
  return { stack, emulator: stack.emulator };
}
const statuses = [400, 401, 403, 404, 409, 422, 503];

test.each(statuses)(
  "an update whose response was lost is in the state, although its retry is rejected with %s",
  async (status) => {
    const { stack, emulator } = await start();
    const edge = stack.resource("TcpEdge");
    await edge.up({ description: "old" });
    emulator.fail({ method: "PATCH", resetAfter: true });
    const rejecting = emulator.fail({ method: "PATCH", status, times: forever });
    await expect(edge.up({ description: "new" })).rejects.toThrow(`returned ${status}`);
    rejecting.cancel();
    expect(edge.outputs.description).toBe("new");
    // If the state had kept the old description, this would change nothing, and the new one would stay forever.
    expect(await edge.up({ description: "old" })).toBe("update");
    expect(emulator.account.tcpEdges).toMatchObject([{ description: "old" }]);
  },
);

test.each(statuses)(
  "a module whose response was lost is in the state, although its retry is rejected with %s",
  async (status) => {
    const { stack, emulator } = await start();
    const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", {});
    const restriction = stack.resource("TcpEdgeIpRestriction");
    emulator.fail({ method: "PUT", resetAfter: true });
    const rejecting = emulator.fail({ method: "PUT", status, times: forever });
    await expect(restriction.up({ edgeId: id, ipPolicyIds: ["ipp_a"] })).rejects.toThrow(`returned ${status}`);
    rejecting.cancel();
    expect(restriction.state?.id).toBe(id);
    await restriction.destroy();
    expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: null }]);
  },
);

test("edges that are rejected concurrently, for a hostport that nobody has, fail soon", async () => {
  const { stack, emulator } = await start();
  const rejecting = emulator.fail({
    method: "POST",
    status: 400,
    body: { status_code: 400, msg: "the port is reserved" },
    times: forever,
  });
  const resources = Array.from({ length: 4 }, (_, i) =>
    stack.resource("TcpEdge", `e${i}`).up({ hostports: [`${i}.example.com:22`] }),
  );
  for (const result of await Promise.allSettled(resources)) {
    expect(result).toMatchObject({ status: "rejected", reason: { message: expect.stringContaining("is reserved") } });
  }
  // Each may be retried once, because the others might have released the hostport, but not more often.
  expect(rejecting.hits).toBeLessThanOrEqual(8);
});

describe("an update without a response, of an edge that could not be read", () => {
  const kept = { description: "kept" };
  const old = { ...kept, hostports: ["a.example.com:1"], policy: {} };
  const next = { ...kept, backend: { backendId: "bkdhr_a" } };
  const programs: [string, first: object, updated: object, then: object, wanted: object][] = [
    ["the old program", old, next, old, { hostports: ["a.example.com:1"], backend: null }],
    ["the same program", old, next, next, { hostports: null, policy: null }],
    ["a program with less", next, old, kept, { hostports: null, policy: null, backend: null }],
  ];
  const faults: [string, Fault][] = [
    ["applied", { resetAfter: true }],
    ["not applied", { resetBefore: true }],
  ];

  describe.each(faults)("%s", (_, fault) => {
    test.each(programs)("%s is sent next", async (_, first, updated, then, wanted) => {
      const { stack, emulator } = await start();
      const edge = stack.resource("TcpEdge");
      await edge.up(first);
      const losing = [
        emulator.fail({ method: "PATCH", ...fault, times: forever }),
        emulator.fail({ method: "GET", status: 500, times: forever }),
      ];
      await expect(edge.up(updated)).rejects.toThrow(" failed: ");
      for (const each of losing) each.cancel();
      await edge.up(then);
      expect(emulator.account.tcpEdges).toMatchObject([{ ...kept, ...wanted }]);
      expect(await edge.up(then)).toBe("same");
      expect(await edge.refresh()).toBe("same");
    });
  });
});
