import { publicKey } from "../../support/data/publicKey";
import { startHost } from "../../support/engine/emulatorHost";
import { type TestedProvider, unknown } from "../../support/engine/provider";
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

test("a module is restored as the edge declares it when its separate resource is removed", async () => {
  const { emulator, host, edge, separate, id } = await createEdgeWithModule(tcp, ipRestriction);
  await edge.refresh();
  await separate.up({ edgeId: id, ipPolicyIds: ["ipp_b"] });
  const run = await host.next();
  // According to the state, the edge has it already.
  expect(await edge.useProvider(run).up({ ipRestriction })).toBe("update");
  await separate.delete(run);
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_a" }] } }]);
});

test("a module that cannot be restored is an error of the resource that is removed", async () => {
  const { emulator, host, edge, separate, id } = await createEdgeWithModule(tcp, ipRestriction);
  await edge.refresh();
  await separate.up({ edgeId: id, ipPolicyIds: ["ipp_b"] });
  const run = await host.next();
  await edge.useProvider(run).up({ ipRestriction });
  emulator.api("PUT", `/edges/tcp/${id}/ip_restriction`, { ip_policy_ids: ["ipp_c"] });
  emulator.fail({ method: "PUT", path: `/edges/tcp/${id}/ip_restriction`, status: 403 });
  await expect(separate.delete(run)).rejects.toThrow("returned 403");
  await separate.delete(run);
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_a" }] } }]);
});

test("what the separate resource declared and the edge does not is removed with it", async () => {
  const args = { terminateAt: "edge", minVersion: "1.3" };
  const { emulator, host, edge, separate } = await createEdgeWithModule(["TlsEdge", "TlsEdgeTlsTermination"], args);
  await edge.refresh();
  const run = await host.next();
  await edge.useProvider(run).up({ tlsTermination: { terminateAt: "edge" } });
  await separate.delete(run);
  expect(emulator.account.tlsEdges).toMatchObject([{ tls_termination: { terminate_at: "edge", min_version: null } }]);
});

test("a module that the program still declares for a deleted edge is said", async () => {
  const { emulator, host, edge, separate, id } = await createEdgeWithModule(tcp, ipRestriction);
  const run = await host.next();
  expect(await separate.useProvider(run).up({ edgeId: id, ...ipRestriction })).toBe("same");
  await edge.delete(run);
  expect(emulator.account.tcpEdges).toEqual([]);
  await waitUntil(() => run.logs.length > 0);
  expect(run.logs).toMatchObject([
    {
      severity: "WARNING",
      message: expect.stringMatching(
        new RegExp(
          `TCP edge ${id} was deleted, but TcpEdgeIpRestriction "\\S+" still declares a module of it\\. Remove it`,
        ),
      ),
    },
  ]);
});

test("a module of a deleted edge is not restored", async () => {
  const { emulator, host, edge, separate, id } = await createEdgeWithModule(tcp, ipRestriction);
  const run = await host.next();
  await edge.useProvider(run).up({ ipRestriction: { ipPolicyIds: ["ipp_b"] } });
  emulator.api("DELETE", `/edges/tcp/${id}`);
  await separate.delete(run);
  expect(emulator.account.tcpEdges).toEqual([]);
});

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

/** The warnings of a run, which arrive asynchronously. */
async function waitForWarnings(host: TestedProvider): Promise<string[]> {
  await waitUntil(() => host.logs.some(({ severity }) => severity === "WARNING"));
  return host.logs.filter(({ severity }) => severity === "WARNING").map(({ message }) => message);
}

describe("a module that two resources declare", () => {
  const conflictMessage = (id: string, one: string, other: string) =>
    `The IP restriction of TCP edge ${id} is managed by both ${one} and ${other}, which overwrite each other. ` +
    "Declare it in one place.";

  const twice = (what: string, other: string) => `${what} is already declared by ${other}. Declare it in one place.`;

  test("by an edge and a separate resource: the second fails in the preview, whichever it is", async () => {
    const { emulator, host } = await startHost();
    const [edge, separate] = [host.resource("TcpEdge", "ssh"), host.resource("TcpEdgeIpRestriction", "office")];
    const ssh = { edgeKey: 'TcpEdge "ssh"' };
    // An edge that does not exist yet.
    await edge.preview({ ipRestriction });
    await expect(separate.preview({ edgeId: unknown, ...ipRestriction }, ssh)).rejects.toThrow(
      twice("The IP restriction of its edge", 'TcpEdge "ssh"'),
    );
    expect(emulator.calls()).toEqual([]);
    // An edge that exists, whose id may be written as it is.
    await edge.up({ ipRestriction });
    const args = { edgeId: edge.state!.id, ...ipRestriction };
    await expect(separate.preview(args)).rejects.toThrow(twice("The IP restriction of its edge", 'TcpEdge "ssh"'));
    const run = await host.next();
    await separate.useProvider(run).preview(args);
    await expect(edge.useProvider(run).preview({ ipRestriction })).rejects.toThrow(
      twice("ipRestriction", 'TcpEdgeIpRestriction "office"'),
    );
  });

  test("by two resources of one type: the second fails in the preview, also for an edge that does not exist", async () => {
    const { host } = await startHost();
    const ssh = { edgeKey: 'TcpEdge "ssh"' };
    const args = { edgeId: unknown, ...ipRestriction };
    await host.resource("TcpEdgeIpRestriction", "office").preview(args, ssh);
    await expect(host.resource("TcpEdgeIpRestriction", "hq").preview(args, ssh)).rejects.toThrow(
      twice("The IP restriction of its edge", 'TcpEdgeIpRestriction "office"'),
    );
  });

  test("an edge and a separate resource that the state already has: both are named, once", async () => {
    const { host, edge, separate, id } = await createEdgeWithModule(tcp, ipRestriction);
    await edge.useProvider(await host.next()).up({ ipRestriction }); // the deletion of the other fails
    const run = await (await host.next()).next();
    await edge.useProvider(run).up({ ipRestriction });
    await separate.useProvider(run).up({ edgeId: id, ...ipRestriction });
    await separate.up({ edgeId: id, ...ipRestriction });
    expect(await waitForWarnings(run)).toEqual([conflictMessage(id, 'TcpEdge "it"', 'TcpEdgeIpRestriction "it"')]);
  });

  test("two resources of one type that the state already has: both are named, and the remaining one is enforced", async () => {
    const { emulator, host, separate: office, id } = await createEdgeWithModule(tcp, ipRestriction);
    const args = { edgeId: id, ipPolicyIds: ["ipp_b"] };
    const hq = (await host.next()).resource("TcpEdgeIpRestriction", "hq");
    await hq.up(args); // the deletion of the other fails
    let run = await (await host.next()).next();
    await office.useProvider(run).preview({ edgeId: id, ...ipRestriction });
    await hq.useProvider(run).preview(args);
    expect(await waitForWarnings(run)).toEqual([
      conflictMessage(id, 'TcpEdgeIpRestriction "it"', 'TcpEdgeIpRestriction "hq"'),
    ]);
    // One is removed from the program. The engine updates what remains and deletes last.
    run = await run.next();
    expect(await office.useProvider(run).up({ edgeId: id, ...ipRestriction })).toBe("same");
    await hq.delete(run);
    expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_a" }] } }]);
  });

  test.each(["before", "after"])("an edge that stops declaring it, updated %s the separate resource", async (order) => {
    const { emulator, host, edge, separate, id } = await createEdgeWithModule(tcp, ipRestriction);
    await edge.useProvider(await host.next()).up({ ipRestriction: { ipPolicyIds: ["ipp_b"] } });
    const run = await (await host.next()).next();
    const updates = [
      () => edge.useProvider(run).up({}),
      () => separate.useProvider(run).up({ edgeId: id, ...ipRestriction }),
    ];
    for (const update of order === "before" ? updates : updates.reverse()) await update();
    expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_a" }] } }]);
    const next = await run.next();
    expect(await edge.useProvider(next).up({})).toBe("same");
    expect(await separate.useProvider(next).up({ edgeId: id, ...ipRestriction })).toBe("same");
  });
});

test("an object that two resources import is kept when one of them is removed", async () => {
  const { emulator, host } = await startHost();
  emulator.seed({ tcpEdges: [{ id: "edgtcp_1", description: "a" }] });
  const [one, other] = [host.resource("TcpEdge", "one"), host.resource("TcpEdge", "other")];
  await one.up({ description: "a" }, { import: "edgtcp_1" });
  // In one run the second of them fails.
  await expect(other.preview({ description: "a" }, { import: "edgtcp_1" })).rejects.toThrow(
    'TCP edge edgtcp_1 is already declared by TcpEdge "one". Declare it in one place.',
  );
  await other.useProvider(await host.next()).up({ description: "a" }, { import: "edgtcp_1" });
  await host.startNewRun();
  for (const resource of [one, other]) await resource.useProvider(host).up({ description: "a" });
  expect(await waitForWarnings(host)).toEqual([
    'The TCP edge edgtcp_1 is managed by both TcpEdge "one" and TcpEdge "other", which overwrite each other. ' +
      "Declare it in one place.",
  ]);
  await other.up({ description: "b", metadata: "other's" });
  const run = await (await host.next()).next();
  await one.useProvider(run).up({ description: "a" });
  await other.delete(run);
  // What is declared is set again. What only the other declared stays, and is said.
  expect(emulator.account.tcpEdges).toMatchObject([{ id: "edgtcp_1", description: "a", metadata: "other's" }]);
  expect(run.logs.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('"one" still declares it. It keeps its metadata, which no resource declares.'),
  );
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

describe("what a resource of the program has is not deleted", () => {
  const imported = { import: "edgtcp_1" };
  const start = async () => {
    const { emulator, host } = await startHost();
    emulator.seed({ tcpEdges: [{ id: "edgtcp_1" }] });
    const edge = host.resource("TcpEdge", "edge");
    await edge.up({}, imported);
    return { emulator, host, edge };
  };
  const messages = (host: TestedProvider) => host.logs.map(({ message }) => message);
  const kept = 'TcpEdge "edge": TCP edge edgtcp_1 was not deleted, because TcpEdge "edge" still declares it.';

  test("a forced replacement that imports the same object, whose deletion comes in a later deployment", async () => {
    const { emulator, host, edge } = await start();
    let run = await host.next();
    await edge.useProvider(run).register({}, { ...imported, targetReplace: true }); // and another resource fails
    run = await run.next();
    expect(await edge.useProvider(run).up({}, imported)).toBe("same");
    expect(emulator.account.tcpEdges).toMatchObject([{ id: "edgtcp_1" }]);
    expect(messages(run)).toEqual([kept]);
  });

  test("a forced replacement that imports the same object, and deletes first", async () => {
    const { emulator, host, edge } = await start();
    const run = await host.next();
    await edge.useProvider(run).up({}, { ...imported, targetReplace: true, deleteBeforeReplace: true });
    expect(emulator.account.tcpEdges).toMatchObject([{ id: edge.state!.id }]);
    expect(messages(run)).toEqual([kept]);
  });

  test("a resource of the same name under another parent imports the object", async () => {
    const { emulator, host, edge } = await start();
    const inComponent = { ...imported, parents: "test:index:Site::site" };
    const moved = (await host.next()).resource("TcpEdge", "edge");
    await moved.up({}, inComponent); // and another resource fails, so that nothing is deleted
    const run = await (await host.next()).next();
    expect(await moved.useProvider(run).up({}, inComponent)).toBe("same");
    await edge.delete(run);
    expect(emulator.account.tcpEdges).toMatchObject([{ id: "edgtcp_1" }]);
    expect(messages(run)).toEqual([kept]);
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
    expect(messages(run)).toEqual([]);
  });
});

test("a diff without a check does not replace an edge for a module that another resource declares now", async () => {
  const { host } = await startHost();
  const edge = host.resource("TcpEdge");
  await edge.up({ ipRestriction }, { replaceOnChanges: ["ipRestriction"] });
  const state = edge.state!;
  const { ipRestriction: _, ...withoutModule } = state.inputs;
  const run = await host.next();
  const diff = () => run.diff(edge, state, withoutModule);
  expect(await diff()).toMatchObject({ replaces: ["ipRestriction"] });
  await run.resource("TcpEdgeIpRestriction").up({ edgeId: state.id, ...ipRestriction });
  expect(await diff()).toMatchObject({ replaces: [] });
});

test("an edge that is kept names its modules that leave the state with it", async () => {
  const { emulator, host, edge, id } = await createEdgeWithModule(tcp, ipRestriction);
  const run = await host.next();
  await run.resource("TcpEdge", "renamed").up({}, { import: id });
  // With `deletedWith` the engine deletes only the edge.
  await edge.delete(run);
  expect(emulator.account.tcpEdges).toMatchObject([{ id, ip_restriction: { enabled: true } }]);
  expect(run.logs.map(({ message }) => message)).toContain(
    `TcpEdge "it": TCP edge ${id} was not deleted, because TcpEdge "renamed" still declares it. ` +
      "It keeps its ipRestriction, which no resource declares.",
  );
});

test("an edge that is kept and cannot be read is said to have perhaps more than is declared", async () => {
  const { emulator, host, edge, id } = await createEdgeWithModule(tcp, ipRestriction);
  const run = await host.next();
  await run.resource("TcpEdge", "renamed").up({}, { import: id });
  emulator.fail({ method: "GET", status: 403, times: Number.POSITIVE_INFINITY });
  await edge.delete(run);
  expect(run.logs.map(({ message }) => message)).toContain(
    `TcpEdge "it": TCP edge ${id} was not deleted, because TcpEdge "renamed" still declares it. ` +
      "It could not be read, so it may have more than its resources declare.",
  );
});

test("a module that leaves the program is kept if its edge, which takes its place, could not be replaced", async () => {
  const { emulator, host, edge, separate, id } = await createEdgeWithModule(tcp, ipRestriction);
  const run = await host.next();
  emulator.fail({ method: "POST", status: 403 });
  const replacing = edge
    .useProvider(run)
    .up({ description: "b", ipRestriction }, { replaceOnChanges: ["description"], deleteBeforeReplace: false });
  await expect(replacing).rejects.toThrow("403");
  // The engine continues, with --continue-on-error.
  await expect(separate.delete(run)).rejects.toThrow(
    'TcpEdge "it", which it belongs to, was not updated in this deployment. Run `pulumi up` again.',
  );
  expect(emulator.account.tcpEdges).toMatchObject([{ id, ip_restriction: { enabled: true } }]);
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

test("moving a module from its edge to a separate resource causes a warning in the preview", async () => {
  const { host } = await startHost();
  const edge = host.resource("TcpEdge", "ssh");
  await edge.up({ ipRestriction });
  const { id } = edge.state!;
  const run = await host.next();
  await edge.useProvider(run).preview({});
  await run.resource("TcpEdgeIpRestriction", "office").preview({ edgeId: id, ...ipRestriction });
  expect(await waitForWarnings(run)).toEqual([
    `The IP restriction of TCP edge ${id} moves from TcpEdge "ssh" to TcpEdgeIpRestriction "office" and is not set in ` +
      "between. To move it without a gap, see docs/moving.md in pulumi-tunnel-edge.",
  ]);
  // The safe way: the edge stops managing the module without removing it.
  const safe = await run.next();
  await edge.useProvider(safe).preview({}, { ignoreChanges: ["ipRestriction"] });
  await safe.resource("TcpEdgeIpRestriction", "office").preview({ edgeId: id, ...ipRestriction });
  expect(safe.logs.filter(({ severity }) => severity === "WARNING")).toEqual([]);
});

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
