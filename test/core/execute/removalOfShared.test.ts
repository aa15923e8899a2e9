import { publicKey } from "../../support/data/publicKey";
import { startHost } from "../../support/engine/emulatorHost";
import { waitUntil } from "../../support/waitUntil";

const ipRestriction = { ipPolicyIds: ["ipp_a"] };

/** An edge, and a separate resource that declares one of its modules. */
async function createEdgeWithModule(types: [string, string], args: object) {
  const { emulator, host } = await startHost();
  const [edge, separate] = [host.resource(types[0]), host.resource(types[1])];
  await edge.up({});
  const { id } = edge.state!;
  await separate.up({ edgeId: id, ...args });
  return { emulator, host, edge, separate, id };
}

const tcp: [string, string] = ["TcpEdge", "TcpEdgeIpRestriction"];

test.each(["in the same deployment", "in a later deployment"])(
  "a module that an edge declares is kept when its separate resource is removed, %s",
  async (when) => {
    const { emulator, host, edge, separate, id } = await createEdgeWithModule(tcp, ipRestriction);
    // In a run of the CLI, the edge is updated first, and what was removed from the program is deleted at the end.
    let run = await host.next();
    expect(await edge.useProvider(run).up({ ipRestriction })).toBe("update");
    if (when === "in a later deployment") {
      run = await run.next();
      expect(await edge.useProvider(run).up({ ipRestriction })).toBe("same");
    }
    await separate.delete(run);
    expect(emulator.api("GET", `/edges/tcp/${id}`)).toMatchObject({ ip_restriction: { enabled: true } });
  },
);

test("an edge that is declared elsewhere leaves the state, also if its module has become a separate resource", async () => {
  const { emulator, host } = await startHost();
  const old = host.resource("TcpEdge", "ssh");
  await old.up({ ipRestriction });
  const { id } = old.state!;
  // Under another parent it is another resource. A run before this one has imported it.
  const moved = host.resource("TcpEdge", "ssh");
  const opts = { parents: "demo:App::app", import: id, ignoreChanges: ["ipRestriction"] };
  const before = await host.next();
  await moved.useProvider(before).up({}, opts);
  const separate = host.resource("TcpEdgeIpRestriction", "office");
  const run = await before.next();
  expect(await moved.useProvider(run).up({}, opts)).toBe("same");
  await separate.useProvider(run).up({ edgeId: id, ...ipRestriction });
  await old.delete(run);
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_a" }] } }]);
});

test("resources of one name under different parents are different owners", async () => {
  const { emulator, host } = await startHost();
  emulator.seed({ tcpEdges: [{ id: "edgtcp_1" }, { id: "edgtcp_2" }] });
  const [a, dup] = [host.resource("TcpEdgeIpRestriction", "r"), host.resource("TcpEdgeIpRestriction", "dup")];
  await a.up({ edgeId: "edgtcp_1", ...ipRestriction }, { parents: "test:index:A::site" });
  await dup.useProvider(await host.next()).up({ edgeId: "edgtcp_1", ...ipRestriction });
  const run = await (await host.next()).next();
  await a.useProvider(run).up({ edgeId: "edgtcp_1", ...ipRestriction }, { parents: "test:index:A::site" });
  const b = run.resource("TcpEdgeIpRestriction", "r");
  await b.up({ edgeId: "edgtcp_2", ...ipRestriction }, { parents: "test:index:B::site" });
  await dup.delete(run);
  const restricted = { ip_restriction: { enabled: true } };
  expect(emulator.account.tcpEdges).toMatchObject([restricted, restricted]);
});

test("what the engine diffs only to refresh it is deleted, also if its resource was checked", async () => {
  const { emulator, host } = await startHost();
  const credential = host.resource("SshCredential", "key");
  await credential.up({ publicKey: publicKey("one") });
  const run = await host.next();
  await credential.useProvider(run).register({ publicKey: publicKey("two") });
  const [old] = credential.pendingDeletes;
  await run.diff(credential, old!, old!.inputs);
  await credential.deleteReplaced();
  expect(emulator.account.sshCredentials).toMatchObject([{ id: credential.state!.id }]);
  expect(run.logs).toEqual([]);
});
test("a module whose edge failed is checked without the edge's id, and one without an edge is rejected", async () => {
  const { emulator, host } = await startHost();
  const check = async () => (await host.check(host.resource("TcpEdgeIpRestriction"), {}, ipRestriction)).failures;
  expect(await check()).toEqual([expect.stringContaining("edgeId is required")]);
  emulator.fail({ method: "POST", status: 403 });
  await expect(host.resource("TcpEdge").up({})).rejects.toThrow("403");
  // The engine skips it after the check, with --continue-on-error.
  expect(await check()).toEqual([]);
});

test("what was removed from the program is deleted, also after a refresh, and a restriction with its edge", async () => {
  const { emulator, host, edge, separate } = await createEdgeWithModule(tcp, ipRestriction);
  const run = await host.next();
  for (const resource of [edge, separate]) {
    await resource.useProvider(run).refresh();
    await run.diff(resource, resource.state!, resource.state!.inputs); // without a check, as the engine refreshes
  }
  emulator.clearRequests();
  await separate.delete(run);
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { enabled: true } }]);
  await edge.delete(run);
  expect(emulator.account.tcpEdges).toEqual([]);
  expect(emulator.calls()).toEqual(["DELETE /edges/tcp/{id}"]);
});

test.each(["before", "after"])(
  "a replaced object is deleted %s its replacement, even if nothing has changed",
  async (order) => {
    const { emulator, host } = await startHost();
    const edge = host.resource("TcpEdge", "ssh");
    await edge.up({ hostports: ["a.example.com:1"] });
    const run = await host.next();
    // The engine decides this by itself, for example for replaceWith and replacementTrigger.
    expect(await edge.useProvider(run).preview({ hostports: ["a.example.com:1"] })).toMatchObject({ step: "same" });
    const opts = { targetReplace: true, deleteBeforeReplace: order === "before" };
    await edge.up({ hostports: [`a.example.com:${order === "before" ? 1 : 2}`] }, opts);
    expect(emulator.account.tcpEdges).toMatchObject([{ id: edge.state!.id }]);
  },
);

test("notices name the resource, and are only in previews", async () => {
  const { emulator, host } = await startHost();
  emulator.seed({ tcpEdges: [{ id: "edgtcp_1" }] });
  const edge = host.resource("TcpEdge", "ssh");
  await edge.preview({}, { import: "edgtcp_1" });
  await waitUntil(() => host.logs.length > 0);
  const message = 'TcpEdge "ssh": TCP edge edgtcp_1 will be imported unchanged (Pulumi displays this as "create").';
  expect(host.logs).toEqual([{ severity: "INFO", message, ephemeral: false }]);
  await edge.up({}, { import: "edgtcp_1" });
  expect(host.logs).toHaveLength(1);
});
