/** What `pulumi up --debug` shows: the planned calls, with the ids that are known. */
import { startHost } from "../../support/engine/emulatorHost";
import { waitUntil } from "../../support/waitUntil";

test("the plan of a new module names the edge", async () => {
  const { emulator, host } = await startHost();
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", {});
  await host.resource("TcpEdgeIpRestriction").up({ edgeId: id, ipPolicyIds: ["ipp_a"] });
  await waitUntil(() => host.debugLogs.length > 0);
  expect(host.debugLogs).toEqual([
    expect.stringMatching(new RegExp(`plan: PUT /edges/tcp/${id}/ip_restriction \\(sets ipPolicyIds\\)$`)),
  ]);
});

test("the plan of a new edge has no id", async () => {
  const { host } = await startHost();
  await host.resource("TcpEdge").up({ description: "ssh" });
  await waitUntil(() => host.debugLogs.length > 0);
  expect(host.debugLogs).toEqual([expect.stringMatching(/plan: POST \/edges\/tcp \(sets description\)$/)]);
});
