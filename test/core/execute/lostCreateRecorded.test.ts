/** What is recorded of a call whose outcome is not known, and what is waited for. */
import { withoutResponse } from "../../../src/api/callError";
import type { ListItem } from "../../../src/api/client";
import type { JsonObject } from "../../../src/base/json";
import { type Create, PendingCreates } from "../../../src/core/deployment/pendingCreates";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { tlsEdge } from "../../../src/definitions/tlsEdge";
import { publicKey } from "../../support/data/publicKey";
import { Stack } from "../../support/engine/stack";
import { describe, test } from "../../support/engine/testedProvider";

async function start() {
  const stack = await Stack.start({ config: { "tunnel-edge:maxRetries": "0" } });
  return { stack, emulator: stack.emulator };
}
const forever = Number.POSITIVE_INFINITY;

test.each([
  { edges: "/edges/tls", name: "tls_termination", type: "TlsEdgeTlsTermination", declared: {} },
  { edges: "/edges/tcp", name: "ip_restriction", type: "TcpEdgeIpRestriction", declared: { ipPolicyIds: ["ipp_1"] } },
])("$type: a module whose PUT was lost, and that cannot be read, is set by the next `pulumi up`", async (module) => {
  const { edges, name, type, declared } = module;
  const { stack, emulator } = await start();
  const { id } = emulator.api<{ id: string }>("POST", edges, {});
  const path = `${edges}/${id}/${name}`;
  const args = { edgeId: id, ...declared };
  const resource = stack.resource(type);
  const put = emulator.fail({ method: "PUT", path, resetBefore: true });
  const get = emulator.fail({ method: "GET", path, status: 500, times: forever });
  await expect(resource.up(args)).rejects.toThrow("could not be created");
  expect(put.hits).toBe(1);
  expect(resource.state!.id).toBe(id);
  get.cancel();
  stack.next();
  expect(await resource.up(args)).toBe("update");
  expect(emulator.calls()).toEqual([`PUT ${edges}/{id}/${name}`]);
});

test("a protection whose PUT was lost goes with its edge, not before it", async () => {
  const { stack, emulator } = await start();
  const [edge, restriction] = [stack.resource("TcpEdge"), stack.resource("TcpEdgeIpRestriction")];
  await edge.up({});
  const { id } = edge.state!;
  const path = `/edges/tcp/${id}/ip_restriction`;
  emulator.fail({ method: "PUT", path, resetAfter: true });
  const get = emulator.fail({ method: "GET", path, status: 500, times: forever });
  await expect(restriction.up({ edgeId: id, ipPolicyIds: ["ipp_1"] })).rejects.toThrow("could not be created");
  get.cancel();
  // A destroy: the next deployment declares neither.
  stack.next();
  await restriction.delete();
  expect(emulator.calls()).toEqual([]);
  expect(emulator.api("GET", `/edges/tcp/${id}`)).toMatchObject({ ip_restriction: { enabled: true } });
});

test("an edge whose DELETE was lost, and that the service still has, is not cleared instead", async () => {
  const { stack, emulator } = await start();
  const edge = stack.resource("TcpEdge");
  await edge.up({ hostports: ["kept.example.com:1"], ipRestriction: { ipPolicyIds: ["ipp_1"] } });
  const { id } = edge.state!;
  const deletion = emulator.fail({ method: "DELETE", path: `/edges/tcp/${id}`, resetBefore: true });
  stack.next();
  await expect(edge.delete()).rejects.toThrow("DELETE");
  expect(deletion.hits).toBe(1);
  expect(new Set(emulator.calls())).toEqual(new Set(["DELETE /edges/tcp/{id}", "GET /edges/tcp/{id}"]));
  expect(emulator.api("GET", `/edges/tcp/${id}`)).toMatchObject({
    hostports: ["kept.example.com:1"],
    ip_restriction: { enabled: true },
  });
});

test("of several calls, one that succeeds confirms only what it is about", async () => {
  const { stack, emulator } = await start();
  const edge = stack.resource("TcpEdge");
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
  const { stack } = await start();
  const hostports = ["1.tcp.example.com:20022"];
  const oldOwner = stack.resource("TcpEdge", "old");
  await oldOwner.up({ hostports });
  stack.next();
  // The edge gives its hostport up, but its turn comes only after the other's time is over.
  const waits = async () => {
    const started = stack.time.now();
    const waiting = stack.resource("TlsEdge").up({ hostports }, { customTimeouts: { create: "5s" } });
    await expect(waiting).rejects.toThrow("which has not released it yet");
    expect(stack.time.now() - started).toBeLessThanOrEqual(5_000);
  };
  expect(await oldOwner.up({ hostports: ["1.tcp.example.com:20023"] }, {}, waits)).toBe("update");
});

test("an object that was deleted after a list was read counts as deleted", async () => {
  const { stack, emulator } = await start();
  const [stays, goes] = [stack.resource("SshCredential", "stays"), stack.resource("SshCredential", "goes")];
  for (const resource of [stays, goes]) await resource.up({ publicKey: publicKey(resource.name) });
  stack.next();
  const [pathThatStays, pathThatGoes] = [stays, goes].map(({ state }) => `/ssh_credentials/${state!.id}`);
  // A gateway answers in place of the service.
  const missing = { status: 404, body: "", times: forever };
  emulator.fail({ path: pathThatStays!, ...missing });
  await expect(stays.delete()).rejects.toThrow("could not be deleted");
  emulator.fail({ method: "DELETE", path: pathThatGoes!, ...missing, processed: true });
  emulator.fail({ method: "GET", path: pathThatGoes!, ...missing });
  await goes.delete();
  expect(emulator.account.sshCredentials).toHaveLength(1);
});

describe("creates of one deployment", () => {
  const createOf = (key: string, desired: JsonObject, definition: Create["definition"] = tcpEdge): Create => ({
    key,
    definition,
    desired,
    sentAt: 0,
  });

  test("a lost one may have made an object of the same type with everything that is desired, and no other", async () => {
    const creates = new PendingCreates();
    const [lost, unsent] = [withoutResponse("no response", "lost"), withoutResponse("no connection", "unsent")];
    const desired = { description: "a", metadata: "m" };
    await expect(creates.track(createOf("one", desired), Promise.reject(lost))).rejects.toBe(lost);
    await expect(creates.track(createOf("never", desired), Promise.reject(unsent))).rejects.toBe(unsent);
    expect(creates.countLost(createOf("other", { description: "a" }))).toBe(1);
    expect(creates.countLost(createOf("other", { description: "b" }))).toBe(0);
    expect(creates.countLost(createOf("other", { description: "a" }, tlsEdge))).toBe(0);
    await expect(creates.track(createOf("other", { description: "a" }), Promise.reject(lost))).rejects.toBe(lost);
    expect(creates.countLost(createOf("other", { description: "a" }))).toBe(2);
  });

  test("one that may make the same object is waited for, until its resource has the object", async () => {
    const creates = new PendingCreates();
    let respond: (created: ListItem) => void = () => undefined;
    const sent = new Promise<ListItem>((resolve) => {
      respond = resolve;
    });
    const tracked = creates.track(createOf("one", { description: "a" }), sent);
    let isSettled = false;
    const settled = creates.settle(createOf("other", { description: "a" })).then(() => {
      isSettled = true;
    });
    await creates.settle(createOf("other", { description: "b" }));
    expect([creates.isManaged("edgtcp_1"), isSettled]).toEqual([false, false]);
    respond({ id: "edgtcp_1" });
    await settled;
    expect(creates.isManaged("edgtcp_1")).toBe(true);
    expect(await tracked).toEqual({ id: "edgtcp_1" });
  });
});
