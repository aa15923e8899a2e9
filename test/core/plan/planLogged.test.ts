/** What `pulumi up --debug` shows: the planned calls of a change, with ids. */
import { Stack } from "../../support/engine/stack";
import { test } from "../../support/engine/testedProvider";

test("a create has no plan, because the engine shows what it has; an update has one", async () => {
  const stack = await Stack.start();
  const edge = stack.resource("TcpEdge");
  await edge.up({ description: "ssh" });
  await stack.resource("TcpEdgeIpRestriction").up({ edgeId: edge.id, ipPolicyIds: ["ipp_a"] });
  await edge.up({ description: "changed" });
  expect(stack.debugged).toEqual([`plan: PATCH /edges/tcp/${edge.id} (sets description)`]);
});
