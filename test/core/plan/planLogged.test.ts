/** What `pulumi up --debug` shows: the planned calls of a change, with ids. */
import { startHost } from "../../support/engine/emulatorHost";
import { waitUntil } from "../../support/waitUntil";

test("a create has no plan, because the engine shows what it has; an update has one", async () => {
  const { host } = await startHost();
  const edge = host.resource("TcpEdge");
  await edge.up({ description: "ssh" });
  await host.resource("TcpEdgeIpRestriction").up({ edgeId: edge.id, ipPolicyIds: ["ipp_a"] });
  await edge.up({ description: "changed" });
  await waitUntil(() => host.debugLogs.length > 0);
  expect(host.debugLogs).toEqual([
    expect.stringMatching(new RegExp(`plan: PATCH /edges/tcp/${edge.id} \\(sets description\\)$`)),
  ]);
});
