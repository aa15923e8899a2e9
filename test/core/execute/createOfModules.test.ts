/** A module's own resource sets what its edge, or somebody else, has set before. */
import { Stack } from "../../support/engine/stack";
import { describe, test } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";

const put = "PUT /edges/tcp/{id}/ip_restriction";

describe("a module that is set already", () => {
  test("and whose PUT was lost is sent again: it may still be executed, whatever the service shows", async () => {
    const stack = await Stack.start({ config: { "tunnel-edge:maxRetries": "0" } });
    const { emulator } = stack;
    const edge = stack.resource("TcpEdge", "ssh");
    await edge.up({});
    emulator.api("PUT", `/edges/tcp/${edge.id}/ip_restriction`, { ip_policy_ids: ["ipp_before"] });
    const office = stack.resource("TcpEdgeIpRestriction", "office");
    const args = { edgeId: edge.id, ipPolicyIds: ["ipp_new"] };
    emulator.fail({ method: "PUT", resetBefore: true });
    expect(await errorOf(office.up(args))).toContain("could not be created");
    stack.next();
    await office.up({ ...args, ipPolicyIds: ["ipp_before"] });
    expect(stack.calls).toEqual([put]);
  });
});
