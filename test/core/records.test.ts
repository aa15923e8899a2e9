/** What is recorded of a call whose outcome is not known, and what is waited for. */
import { AgentSessions } from "../../src/core/deployment/agentSessions";
import { createSharedClock, createSimulatedClock } from "../support/clock";
import { publicKey } from "../support/data/publicKey";
import { shareHost } from "../support/engine/emulatorHost";
import { waitUntil } from "../support/waitUntil";

const clock = createSharedClock();
const shared = shareHost({}, { clock, config: { "tunnel-edge:maxRetries": "0" } });
const forever = Number.POSITIVE_INFINITY;

test.each([
  { edges: "/edges/tls", name: "tls_termination", type: "TlsEdgeTlsTermination", declared: {} },
  { edges: "/edges/tcp", name: "ip_restriction", type: "TcpEdgeIpRestriction", declared: { ipPolicyIds: ["ipp_1"] } },
])("$type: a module whose PUT was lost, and that cannot be read, is set by the next `pulumi up`", async (module) => {
  const { edges, name, type, declared } = module;
  const { emulator, host } = shared();
  const { id } = emulator.api<{ id: string }>("POST", edges, {});
  const path = `${edges}/${id}/${name}`;
  const args = { edgeId: id, ...declared };
  const resource = host.resource(type);
  const put = emulator.fail({ method: "PUT", path, resetBefore: true });
  const get = emulator.fail({ method: "GET", path, status: 500, times: forever });
  await expect(resource.up(args)).rejects.toThrow("could not be created");
  expect(put.hits).toBe(1);
  expect(resource.state!.id).toBe(id);
  get.cancel();
  emulator.clearRequests();
  const next = await host.next();
  await resource.useProvider(next).preview(args);
  const announcement = `PUT ${path} will be sent, because it may not be set.`;
  await waitUntil(() => next.logs.some(({ message }) => message.endsWith(announcement)));
  expect(await resource.up(args)).toBe("update");
  expect(emulator.calls()).toEqual([`PUT ${edges}/{id}/${name}`]);
});

test("of several calls, one that succeeds confirms only what it is about", async () => {
  const { emulator, host } = shared();
  const edge = host.resource("TcpEdge");
  const backend = { backendId: "bkdtg_1" };
  await edge.up({ backend });
  const path = `/edges/tcp/${edge.state!.id}`;
  emulator.fail({ method: "PUT", path: `${path}/ip_restriction`, resetAfter: true });
  const get = emulator.fail({ method: "GET", status: 500, times: forever });
  await expect(edge.up({ backend, ipRestriction: { ipPolicyIds: ["ipp_1"] } })).rejects.toThrow(
    "may have been updated",
  );
  get.cancel();
  emulator.clearRequests();
  emulator.fail({ method: "DELETE", path: `${path}/ip_restriction`, status: 403 });
  await expect(edge.up({})).rejects.toThrow("returned 403");
  expect(emulator.calls()).toEqual(["DELETE /edges/tcp/{id}/backend", "DELETE /edges/tcp/{id}/ip_restriction"]);
  expect(await edge.up({})).toBe("update");
  expect(emulator.api("GET", path)).toMatchObject({ backend: null, ip_restriction: null });
});

test("a hostport is waited for no longer than customTimeouts allows", async () => {
  const { host } = shared();
  const hostports = ["1.tcp.example.com:20022"];
  const oldOwner = host.resource("TcpEdge", "old");
  await oldOwner.up({ hostports });
  const next = await host.next();
  oldOwner.useProvider(next);
  // The edge gives its hostport up, but its turn comes only after the other's time is over.
  const waits = async () => {
    const started = clock.now();
    const waiting = next.resource("TlsEdge").up({ hostports }, { customTimeouts: { create: "5s" } });
    await expect(waiting).rejects.toThrow("which has not released it yet");
    expect(clock.now() - started).toBeLessThanOrEqual(5_000);
  };
  expect(await oldOwner.up({ hostports: ["1.tcp.example.com:20023"] }, {}, waits)).toBe("update");
});

test("an object that was deleted after a list was read counts as deleted", async () => {
  const { emulator, host } = shared();
  const [stays, goes] = [host.resource("SshCredential", "stays"), host.resource("SshCredential", "goes")];
  for (const resource of [stays, goes]) await resource.up({ publicKey: publicKey(resource.name) });
  const next = await host.next();
  const [pathThatStays, pathThatGoes] = [stays, goes].map(({ state }) => `/ssh_credentials/${state!.id}`);
  // A gateway answers in place of the service.
  const missing = { status: 404, body: "", times: forever };
  emulator.fail({ path: pathThatStays!, ...missing });
  await expect(stays.useProvider(next).delete()).rejects.toThrow("could not be deleted");
  emulator.fail({ method: "DELETE", path: pathThatGoes!, ...missing, processed: true });
  emulator.fail({ method: "GET", path: pathThatGoes!, ...missing });
  await goes.useProvider(next).delete();
  expect(emulator.account.sshCredentials).toHaveLength(1);
});

test("an older update of an agent, from the state, does not replace a newer one", () => {
  const time = createSimulatedClock();
  const sessions = new AgentSessions(time);
  sessions.markUpdated("ts_1", time.now() - 1_000);
  sessions.markUpdated("ts_1", time.now() - 60_000);
  expect(sessions.busyFor("ts_1")).toBe(9_000);
});
