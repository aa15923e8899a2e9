import { startHost } from "../support/emulatorHost";
import type { Host } from "../support/host";
import { waitUntil } from "../support/waitUntil";

const ipRestriction = { ipPolicyIds: ["ipp_a"] };

/** An edge, and a module of it that a resource of its own states. */
async function edgeWithModule(types: [string, string], args: object) {
  const { emulator, host } = await startHost();
  const [edge, apart] = [host.resource(types[0]), host.resource(types[1])];
  await edge.up({});
  const { id } = edge.state!;
  await apart.up({ edgeId: id, ...args });
  return { emulator, host, edge, apart, id };
}

const tcp: [string, string] = ["TcpEdge", "TcpEdgeIpRestriction"];

test.each(["in the same up", "in a later up"])(
  "a module that an edge states survives its own resource, %s",
  async (when) => {
    const { emulator, host, edge, apart, id } = await edgeWithModule(tcp, ipRestriction);
    // A run of the CLI: the edge is looked at and changed first, and what left the program is deleted at the end.
    let run = await host.next();
    expect(await edge.useHost(run).up({ ipRestriction })).toBe("update");
    if (when === "in a later up") {
      run = await run.next();
      expect(await edge.useHost(run).up({ ipRestriction })).toBe("same");
    }
    await run.delete(apart.state!.id, apart.state!.outputs);
    expect(emulator.api("GET", `/edges/tcp/${id}`)).toMatchObject({ ip_restriction: { enabled: true } });
  },
);

test("a module is left to its edge as the edge states it, whatever was set apart from it", async () => {
  const { emulator, host, edge, apart, id } = await edgeWithModule(tcp, ipRestriction);
  await edge.refresh();
  await apart.up({ edgeId: id, ipPolicyIds: ["ipp_b"] });
  const run = await host.next();
  // The edge's state says that it is so already.
  expect(await edge.useHost(run).up({ ipRestriction })).toBe("update");
  await run.delete(apart.state!.id, apart.state!.outputs);
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_a" }] } }]);
});

test("what a module of its own had and its edge does not mention goes with it", async () => {
  const args = { terminateAt: "edge", minVersion: "1.3" };
  const { emulator, host, edge, apart } = await edgeWithModule(["TlsEdge", "TlsEdgeTlsTermination"], args);
  await edge.refresh();
  const run = await host.next();
  await edge.useHost(run).up({ tlsTermination: { terminateAt: "edge" } });
  await run.delete(apart.state!.id, apart.state!.outputs);
  expect(emulator.account.tlsEdges).toMatchObject([{ tls_termination: { terminate_at: "edge", min_version: null } }]);
});

test("a module of an edge that is gone is left to nobody", async () => {
  const { emulator, host, edge, apart, id } = await edgeWithModule(tcp, ipRestriction);
  const run = await host.next();
  await edge.useHost(run).up({ ipRestriction: { ipPolicyIds: ["ipp_b"] } });
  emulator.api("DELETE", `/edges/tcp/${id}`);
  await run.delete(apart.state!.id, apart.state!.outputs);
  expect(emulator.account.tcpEdges).toEqual([]);
});

/** The warnings of a run: the engine is told on a way of its own. */
async function warnings(host: Host): Promise<string[]> {
  await waitUntil(() => host.logs.some(({ severity }) => severity === "WARNING"));
  return host.logs.filter(({ severity }) => severity === "WARNING").map(({ message }) => message);
}

describe("a module that two resources declare", () => {
  const both = (id: string, one: string, other: string) =>
    `The IP restriction of TCP edge ${id} is managed by both ${one} and ${other}, which overwrite each other. ` +
    "Declare it in one place.";

  test("an edge and a resource of its own: both are named, once", async () => {
    const { host } = await startHost();
    const [edge, apart] = [host.resource("TcpEdge", "ssh"), host.resource("TcpEdgeIpRestriction", "office")];
    await edge.up({ ipRestriction });
    const { id } = edge.state!;
    await apart.up({ edgeId: id, ...ipRestriction });
    await apart.up({ edgeId: id, ...ipRestriction });
    expect(await warnings(host)).toEqual([both(id, 'TcpEdge "ssh"', 'TcpEdgeIpRestriction "office"')]);
  });

  test("two of one type: both are named in the preview, and the one that remains is enforced", async () => {
    const { emulator, host, apart: office, id } = await edgeWithModule(tcp, ipRestriction);
    const hq = host.resource("TcpEdgeIpRestriction", "hq");
    const args = { edgeId: id, ipPolicyIds: ["ipp_b"] };
    let run = await host.next();
    await office.useHost(run).preview({ edgeId: id, ...ipRestriction });
    await hq.useHost(run).preview(args);
    expect(await warnings(run)).toEqual([both(id, 'TcpEdgeIpRestriction "it"', 'TcpEdgeIpRestriction "hq"')]);
    await hq.up(args);
    // The other leaves the program: the engine looks at what remains, and deletes last.
    run = await run.next();
    expect(await office.useHost(run).up({ edgeId: id, ...ipRestriction })).toBe("same");
    await hq.delete(run);
    expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_a" }] } }]);
  });

  test.each(["before", "after"])("an edge that stops declaring it, looked at %s the other", async (order) => {
    const { emulator, host, edge, apart, id } = await edgeWithModule(tcp, ipRestriction);
    await edge.up({ ipRestriction: { ipPolicyIds: ["ipp_b"] } });
    const run = await host.next();
    const looks = [() => edge.useHost(run).up({}), () => apart.useHost(run).up({ edgeId: id, ...ipRestriction })];
    for (const look of order === "before" ? looks : looks.reverse()) await look();
    expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_a" }] } }]);
    const next = await run.next();
    expect(await edge.useHost(next).up({})).toBe("same");
    expect(await apart.useHost(next).up({ edgeId: id, ...ipRestriction })).toBe("same");
  });
});

test("an object that two resources import stays when one of them goes", async () => {
  const { emulator, host } = await startHost();
  emulator.seed({ tcpEdges: [{ id: "edgtcp_1", description: "a" }] });
  const [one, other] = [host.resource("TcpEdge", "one"), host.resource("TcpEdge", "other")];
  for (const resource of [one, other]) await resource.up({ description: "a" }, { import: "edgtcp_1" });
  expect(await warnings(host)).toEqual([
    'The TCP edge edgtcp_1 is managed by both TcpEdge "one" and TcpEdge "other", which overwrite each other. ' +
      "Declare it in one place.",
  ]);
  await other.up({ description: "b", metadata: "other's" });
  const run = await host.next();
  await one.useHost(run).up({ description: "a" });
  await other.delete(run);
  expect(emulator.account.tcpEdges).toMatchObject([{ id: "edgtcp_1", description: "a", metadata: "" }]);
});

test("what left the program is deleted, also after a refresh that looked at it", async () => {
  const { emulator, host, edge, apart } = await edgeWithModule(tcp, ipRestriction);
  const run = await host.next();
  for (const { state } of [edge, apart]) {
    const { outputs } = (await run.read(state!.id, state!.outputs))!;
    await run.diff(state!.id, outputs, state!.inputs);
  }
  await apart.delete(run);
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: null }]);
  await edge.delete(run);
  expect(emulator.account.tcpEdges).toEqual([]);
});

test.each(["before", "after"])(
  "what a replacement replaces is deleted %s it, though nothing has changed",
  async (order) => {
    const { emulator, host } = await startHost();
    const edge = host.resource("TcpEdge", "ssh");
    await edge.up({ hostports: ["a.example.com:1"] });
    const run = await host.next();
    // The engine decides this by itself: replaceWith, replacementTrigger.
    expect(await edge.useHost(run).preview({ hostports: ["a.example.com:1"] })).toMatchObject({ step: "same" });
    const opts = { targetReplace: true, deleteBeforeReplace: order === "before" };
    await edge.up({ hostports: [`a.example.com:${order === "before" ? 1 : 2}`] }, opts);
    expect(emulator.account.tcpEdges).toMatchObject([{ id: edge.state!.id }]);
  },
);

test("a module that moves from its edge to a resource of its own is warned of in the preview", async () => {
  const { host } = await startHost();
  const edge = host.resource("TcpEdge", "ssh");
  await edge.up({ ipRestriction });
  const { id } = edge.state!;
  const run = await host.next();
  await edge.useHost(run).preview({});
  await run.resource("TcpEdgeIpRestriction", "office").preview({ edgeId: id, ...ipRestriction });
  expect(await warnings(run)).toEqual([
    `The IP restriction of TCP edge ${id} moves from TcpEdge "ssh" to TcpEdgeIpRestriction "office" and is not set in ` +
      "between. To move it without a gap, see node_modules/pulumi-tunnel-edge/docs/moving.md.",
  ]);
  // The safe way: the edge forgets the module without removing it.
  const safe = await run.next();
  await edge.useHost(safe).preview({}, { ignoreChanges: ["ipRestriction"] });
  await safe.resource("TcpEdgeIpRestriction", "office").preview({ edgeId: id, ...ipRestriction });
  expect(safe.logs).toEqual([]);
});

test("notices name the resource, and are for previews only", async () => {
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
