import { emulated } from "../support/emulated";
import { until } from "../support/until";

const ipRestriction = { ipPolicyIds: ["ipp_a"] };

/** An edge, and a module of it that a resource of its own states. */
async function edgeWithModule(types: [string, string], args: object) {
  const { emulator, host } = await emulated();
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
    expect(await edge.on(run).up({ ipRestriction })).toBe("update");
    if (when === "in a later up") {
      run = await run.next();
      expect(await edge.on(run).up({ ipRestriction })).toBe("same");
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
  expect(await edge.on(run).up({ ipRestriction })).toBe("update");
  await run.delete(apart.state!.id, apart.state!.outputs);
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_a" }] } }]);
});

test("what a module of its own had and its edge does not mention goes with it", async () => {
  const args = { terminateAt: "edge", minVersion: "1.3" };
  const { emulator, host, edge, apart } = await edgeWithModule(["TlsEdge", "TlsEdgeTlsTermination"], args);
  await edge.refresh();
  const run = await host.next();
  await edge.on(run).up({ tlsTermination: { terminateAt: "edge" } });
  await run.delete(apart.state!.id, apart.state!.outputs);
  expect(emulator.account.tlsEdges).toMatchObject([{ tls_termination: { terminate_at: "edge", min_version: null } }]);
});

test("a module of an edge that is gone is left to nobody", async () => {
  const { emulator, host, edge, apart, id } = await edgeWithModule(tcp, ipRestriction);
  const run = await host.next();
  await edge.on(run).up({ ipRestriction: { ipPolicyIds: ["ipp_b"] } });
  emulator.api("DELETE", `/edges/tcp/${id}`);
  await run.delete(apart.state!.id, apart.state!.outputs);
});

test("a module that an edge and a resource of its own both state is warned of, once", async () => {
  const { host } = await emulated();
  const [edge, apart] = [host.resource("TcpEdge"), host.resource("TcpEdgeIpRestriction")];
  await edge.up({ ipRestriction });
  const { id } = edge.state!;
  await apart.up({ edgeId: id, ...ipRestriction });
  await apart.up({ edgeId: id, ...ipRestriction });
  const message =
    `/edges/tcp/${id}/ip_restriction is stated twice, by a TcpEdge and by a TcpEdgeIpRestriction: each undoes the ` +
    "other. State it in one place.";
  // The engine hears of it on a way of its own.
  await until(() => host.told.length > 0);
  expect(host.told).toEqual([{ severity: "WARNING", message, passing: false }]);
});
