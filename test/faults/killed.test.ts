/** A host whose CLI is killed. How the CLI handles it is in test/cli/killed.ts. */
import { fastClock } from "../support/clock";
import { startHost } from "../support/engine/emulatorHost";
import { waitUntil } from "../support/waitUntil";

test("the host exits with its engine and does not retry", async () => {
  const { emulator, host } = await startHost({}, { env: fastClock(20) });
  const edge = host.resource("TcpEdge");
  await edge.up({ description: "old" });
  const silent = emulator.fail({ method: "PATCH", hang: "headers", processed: false, times: Number.POSITIVE_INFINITY });
  const updating = edge.up({ description: "new" }).catch((error: Error) => error);
  await waitUntil(() => silent.hits > 0);
  await host.disconnectEngine();
  expect(await updating).toBeInstanceOf(Error);
  expect(silent.hits).toBe(1);
  silent.cancel();
  expect(await edge.useProvider(await host.next()).up({ description: "new" })).toBe("update");
});

test("the host awaits the write that it has sent, and sends no other", async () => {
  const { emulator, host } = await startHost();
  const edge = host.resource("TcpEdge");
  await edge.up({ description: "old", ipRestriction: { ipPolicyIds: ["ipp_a"] } });
  emulator.clearRequests();
  const slow = emulator.fail({ method: "PATCH", delayMs: 1_000 });
  edge.up({ description: "new" }).catch(() => {});
  await waitUntil(() => slow.hits > 0);
  await host.disconnectEngine();
  expect(emulator.requests.map(({ method, status }) => `${method} ${status}`)).toEqual(["PATCH 200"]);
});
