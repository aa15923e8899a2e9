/** The writes to an edge and its modules come one after the other, and not while a lost one may still be executed. */
import { Stack } from "../support/engine/stack";
import { describe, test } from "../support/engine/testedProvider";
import { errorOf } from "../support/errorOf";

const ipPolicyIds = ["ipp_a"];

describe("the next write to an edge or its module", () => {
  test("waits until a write whose response was lost can no longer be executed", async () => {
    const stack = await Stack.start({ config: { "tunnel-edge:maxRetries": "0" } });
    const { emulator } = stack;
    const edge = stack.resource("TcpEdge", "ssh");
    await edge.up({});
    stack.next();
    emulator.fail({ method: "PATCH", resetAfter: true });
    const unreadable = emulator.fail({ method: "GET", status: 403, times: Number.POSITIVE_INFINITY });
    expect(await errorOf(edge.up({ description: "d" }))).toContain("It may have been updated.");
    unreadable.cancel();
    await stack.resource("TcpEdgeIpRestriction", "office").up({ edgeId: edge.id, ipPolicyIds });
    const timeOf = (wanted: string) => Date.parse(emulator.requests.find(({ method }) => method === wanted)!.time);
    expect(timeOf("PUT") - timeOf("PATCH")).toBeGreaterThanOrEqual(10_000);
  });
});
