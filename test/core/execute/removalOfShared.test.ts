import { publicKey } from "../../support/data/publicKey";
import { Stack } from "../../support/engine/stack";
import { test, testedProvider } from "../../support/engine/testedProvider";

const ipRestriction = { ipPolicyIds: ["ipp_a"] };

/** An edge, and a separate resource that declares one of its modules. */
async function createEdgeWithModule(types: [string, string], args: object) {
  const stack = await Stack.start();
  const { emulator } = stack;
  const [edge, separate] = [stack.resource(types[0]), stack.resource(types[1])];
  await edge.up({});
  const { id } = edge.state!;
  await separate.up({ edgeId: id, ...args });
  return { stack, emulator, edge, separate, id };
}

const tcp: [string, string] = ["TcpEdge", "TcpEdgeIpRestriction"];

test.each(["in the same deployment", "in a later deployment"])(
  "a module that an edge declares is kept when its separate resource is removed, %s",
  async (when) => {
    const { stack, emulator, edge, separate, id } = await createEdgeWithModule(tcp, ipRestriction);
    // In a run of the CLI, the edge is updated first, and what was removed from the program is deleted at the end.
    stack.next();
    expect(await edge.up({ ipRestriction })).toBe("update");
    if (when === "in a later deployment") {
      stack.next();
      expect(await edge.up({ ipRestriction })).toBe("same");
    }
    await separate.delete();
    expect(emulator.api("GET", `/edges/tcp/${id}`)).toMatchObject({ ip_restriction: { enabled: true } });
  },
);

test("an edge that is declared elsewhere leaves the state, also if its module has become a separate resource", async () => {
  const stack = await Stack.start();
  const { emulator } = stack;
  const old = stack.resource("TcpEdge", "ssh");
  await old.up({ ipRestriction });
  const { id } = old.state!;
  // Under another parent it is another resource. A run before this one has imported it.
  const moved = stack.resource("TcpEdge", "ssh");
  const opts = { parents: "demo:App::app", import: id, ignoreChanges: ["ipRestriction"] };
  stack.next();
  await moved.up({}, opts);
  stack.next();
  expect(await moved.up({}, opts)).toBe("same");
  const separate = stack.resource("TcpEdgeIpRestriction", "office");
  await separate.up({ edgeId: id, ...ipRestriction });
  await old.delete();
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_a" }] } }]);
});

test("resources of one name under different parents are different owners", async () => {
  const stack = await Stack.start();
  const { emulator } = stack;
  emulator.seed({ tcpEdges: [{ id: "edgtcp_1" }, { id: "edgtcp_2" }] });
  const [a, dup] = [stack.resource("TcpEdgeIpRestriction", "r"), stack.resource("TcpEdgeIpRestriction", "dup")];
  await a.up({ edgeId: "edgtcp_1", ...ipRestriction }, { parents: "test:index:A::site" });
  stack.next();
  await dup.up({ edgeId: "edgtcp_1", ...ipRestriction });
  stack.next();
  await a.up({ edgeId: "edgtcp_1", ...ipRestriction }, { parents: "test:index:A::site" });
  const b = stack.resource("TcpEdgeIpRestriction", "r");
  await b.up({ edgeId: "edgtcp_2", ...ipRestriction }, { parents: "test:index:B::site" });
  await dup.delete();
  const restricted = { ip_restriction: { enabled: true } };
  expect(emulator.account.tcpEdges).toMatchObject([restricted, restricted]);
});

test("what the engine diffs only to refresh it is deleted, also if its resource was checked", async () => {
  const stack = await Stack.start();
  const { emulator } = stack;
  const credential = stack.resource("SshCredential", "key");
  await credential.up({ publicKey: publicKey("one") });
  stack.next();
  await credential.register({ publicKey: publicKey("two") });
  const [old] = credential.pendingDeletes;
  await stack.provider.diff(credential, old!, old!.inputs);
  await credential.deleteReplaced();
  expect(emulator.account.sshCredentials).toMatchObject([{ id: credential.state!.id }]);
  expect(stack.said).toEqual([]);
});
test("a module whose edge failed is checked without the edge's id, and one without an edge is rejected", async () => {
  const stack = await Stack.start();
  const { emulator } = stack;
  const check = async () =>
    (await stack.provider.check(stack.resource("TcpEdgeIpRestriction"), {}, ipRestriction)).failures;
  expect(await check()).toEqual([expect.stringContaining("edgeId is required")]);
  emulator.fail({ method: "POST", status: 403 });
  await expect(stack.resource("TcpEdge").up({})).rejects.toThrow("403");
  // The engine skips it after the check, with --continue-on-error.
  expect(await check()).toEqual([]);
});

test("what was removed from the program is deleted, also after a refresh, and a restriction with its edge", async () => {
  const { stack, emulator, edge, separate } = await createEdgeWithModule(tcp, ipRestriction);
  stack.next();
  for (const resource of [edge, separate]) {
    await resource.refresh();
    await stack.provider.diff(resource, resource.state!, resource.state!.inputs); // without a check, as the engine refreshes
  }
  emulator.clearRequests();
  await separate.delete();
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { enabled: true } }]);
  await edge.delete();
  expect(emulator.account.tcpEdges).toEqual([]);
  expect(emulator.calls()).toEqual(["DELETE /edges/tcp/{id}"]);
});

test.each(["before", "after"])(
  "a replaced object is deleted %s its replacement, even if nothing has changed",
  async (order) => {
    const stack = await Stack.start();
    const { emulator } = stack;
    const edge = stack.resource("TcpEdge", "ssh");
    await edge.up({ hostports: ["a.example.com:1"] });
    stack.next();
    // The engine decides this by itself, for example for replaceWith and replacementTrigger.
    expect(await edge.preview({ hostports: ["a.example.com:1"] })).toMatchObject({ step: "same" });
    const opts = { targetReplace: true, deleteBeforeReplace: order === "before" };
    await edge.up({ hostports: [`a.example.com:${order === "before" ? 1 : 2}`] }, opts);
    expect(emulator.account.tcpEdges).toMatchObject([{ id: edge.state!.id }]);
  },
);

test("notices name the resource, and are only in previews", async () => {
  const stack = await Stack.start();
  stack.emulator.seed({ tcpEdges: [{ id: "edgtcp_1" }] });
  const edge = stack.resource("TcpEdge", "ssh");
  await edge.preview({}, { import: "edgtcp_1" });
  const message = 'TcpEdge "ssh": TCP edge edgtcp_1 will be imported unchanged (Pulumi displays this as "create").';
  // The engine displays the import of a plugin.
  const notices = testedProvider() === "dynamic" ? [message] : [];
  expect(stack.said).toEqual(notices);
  await edge.up({}, { import: "edgtcp_1" });
  expect(stack.said).toEqual(notices);
});
