import { emulated } from "../support/emulated";

const ipRestriction = { ipPolicyIds: ["ipp_a"] };

test.each(["in the same up", "in a later up"])(
  "a module that an edge states survives its own resource, %s",
  async (when) => {
    const { emulator, host } = await emulated();
    const [edge, apart] = [host.resource("TcpEdge"), host.resource("TcpEdgeIpRestriction")];
    await edge.up({});
    const { id } = edge.state!;
    await apart.up({ edgeId: id, ...ipRestriction });
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
