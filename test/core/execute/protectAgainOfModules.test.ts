/** An edge whose deletion fails keeps, or gets back, the restriction that its own resource has removed. */
import { createRequestTime } from "../../support/clock";
import { startHost } from "../../support/engine/emulatorHost";
import { unknown } from "../../support/engine/provider";
import { failureOf } from "../../support/errorOf";
import { waitUntil } from "../../support/waitUntil";

const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const restricted = [{ ip_restriction: { enabled: true, ip_policies: [{ id: "ipp_a" }] } }];

/** An edge, and a restriction that was created in a run that did not know the edge, such as with --target. */
async function start() {
  const { emulator, host } = await startHost({}, { clock: createRequestTime() });
  const [edge, office] = [host.resource("TcpEdge", "ssh"), host.resource("TcpEdgeIpRestriction", "office")];
  await edge.up({});
  await host.startNewRun();
  await office.up({ edgeId: edge.state!.id, ...ipRestriction });
  const run = await host.next();
  emulator.clearRequests();
  return { emulator, edge, office, run, path: `/edges/tcp/${edge.state!.id}` };
}

const setAgain =
  "failed, so its ipRestriction, which this deployment had removed, was set again. Pulumi no longer manages it. If the " +
  "program declares it, run `pulumi up`.";

test.each([
  ["rejected", { status: 403 }],
  ["lost", { status: 504, times: 9 }],
])("a restriction is set again if the deletion of its edge is %s", async (_, fault) => {
  const { emulator, edge, office, run, path } = await start();
  await office.delete(run);
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: null }]);
  emulator.fail({ method: "DELETE", path, ...fault });
  await failureOf(edge.delete(run));
  expect(emulator.account.tcpEdges).toMatchObject(restricted);
  await waitUntil(() => run.logs.some(({ message }) => message.includes(setAgain)));
});

test("a restriction whose resource is replaced with its edge is left to it", async () => {
  const { emulator, edge, office, run } = await start();
  // The engine decides by itself that it replaces the edge, for example for replacementTrigger.
  expect(await edge.useProvider(run).up({})).toBe("same");
  await run.diff(office, office.state!, { ...office.state!.inputs, edgeId: unknown });
  await office.delete(run);
  expect(emulator.account.tcpEdges).toMatchObject(restricted);
  await waitUntil(() => run.logs.some(({ message }) => message.includes("is deleted with its edge.")));
});

test("nothing is said of an edge that was deleted after all", async () => {
  const { emulator, edge, office, run, path } = await start();
  await office.delete(run);
  emulator.fail({ method: "DELETE", path, status: 504, processed: true });
  emulator.fail({ method: "GET", status: 403, times: 9 });
  await edge.delete(run).catch(() => undefined);
  expect(emulator.account.tcpEdges).toEqual([]);
  expect(run.logs.filter(({ severity }) => severity === "WARNING")).toEqual([]);
});

test.each([
  ["rejected", { status: 403 }],
  ["not found by a gateway", { status: 404, body: "<html>Not found</html>" }],
  ["not applied", { status: 200, body: { enabled: false, ip_policies: [] } }],
])("a restriction that cannot be set again is named: %s", async (_, fault) => {
  const { emulator, edge, office, run, path } = await start();
  await office.delete(run);
  emulator.fail({ path, method: "DELETE", status: 403 });
  emulator.fail({ method: "PUT", ...fault });
  await expect(edge.delete(run)).rejects.toThrow("could not be deleted");
  await waitUntil(() => run.logs.some(({ message }) => message.includes("could not be set again. Anyone may be able")));
});

test("a restriction whose edge could not be deleted stays", async () => {
  const { emulator, edge, office, run, path } = await start();
  emulator.fail({ method: "DELETE", path, status: 403 });
  await failureOf(edge.delete(run));
  expect((await failureOf(office.delete(run))).message).toContain(
    "its edge could not be deleted in this deployment. Run `pulumi up` again.",
  );
  expect(emulator.account.tcpEdges).toMatchObject(restricted);
});

test("an edge that is deleted at the same time, and stays, is restricted", async () => {
  const { emulator, edge, office, run, path } = await start();
  emulator.fail({ method: "DELETE", path: `${path}/ip_restriction`, delayMs: 300 });
  emulator.fail({ method: "DELETE", path, status: 403 });
  await Promise.allSettled([office.delete(run), edge.delete(run)]);
  expect(emulator.account.tcpEdges).toMatchObject(restricted);
});
