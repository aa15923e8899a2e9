/**
 * What the engine deletes, in its own order, with both providers.
 * Promises: "An edge that stays keeps its restriction", "An object that the program still has is not deleted".
 */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { createStack, declare, extractErrors, startService, urnOf } from "../support/cli/cliStack";
import type { Result } from "../support/cli/pulumi";
import { listWrites } from "../support/cli/yamlStack";

const providers = ["dynamic", "plugin"] as const;
const hostports = ["1.tcp.example.com:20022"];
const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const ssh = (opts: object = {}) => declare("TcpEdge", "ssh", { hostports }, opts);
const restrict = (name: string, edgeId: string) =>
  declare("TcpEdgeIpRestriction", name, { edgeId, ...ipRestriction }, {});
const messages = ({ diagnostics }: Result) => diagnostics.map(({ message }) => message);
const leftToEdge = expect.stringMatching(
  /is deleted with its edge\. If the edge is not deleted, this stays with it, and Pulumi no longer/,
);

/** What was sent since the last call, in any order, and which edges are restricted. */
function look(emulator: Emulator) {
  const sent = listWrites(emulator).sort();
  emulator.clearRequests();
  const restricted = emulator.account.tcpEdges.filter(({ ip_restriction }) => ip_restriction?.enabled);
  return { sent, restricted: restricted.map(({ id }) => id) };
}

describe.each(providers)("%s", (provider) => {
  const start = async (...statements: string[]) => {
    const emulator = await startService();
    emulator.seed({ tcpEdges: [{ id: "edgtcp_theirs" }] });
    const { stack } = await createStack(emulator, statements.join("\n"), { provider });
    await stack.up();
    const edge = emulator.account.tcpEdges.find((each) => each.hostports?.length)!;
    emulator.clearRequests();
    return { emulator, stack, edge };
  };

  // The engine looks at `protect` only when it comes to the edge, after all that depends on it.
  test("a protected edge keeps a restriction that Pulumi deletes before it comes to the edge", async () => {
    const { emulator, stack, edge } = await start(
      ssh({ protect: true }),
      restrict("office", "=ssh.id"),
      declare("TcpEdge", "theirs", {}, { id: "edgtcp_theirs" }),
      restrict("ofTheirs", "=theirs.id"),
    );
    const destroyed = await stack.destroy({ fails: true });
    // The classes leave it to the engine, with the option deletedWith.
    if (provider === "plugin") expect(messages(destroyed)).toContainEqual(leftToEdge);
    // The other edge is not the program's, and stays without the restriction that was.
    expect(look(emulator)).toEqual({ sent: ["DELETE /edges/tcp/{id}/ip_restriction"], restricted: [edge.id] });
  });

  // In a replacement that deletes first, the option deletedWith has no effect, and what depends on the edge is not checked.
  test("an edge whose replacement fails keeps its restriction, and the next `pulumi up` sets it again", async () => {
    const { emulator, stack, edge } = await start(ssh({ deleteBeforeReplace: true }), restrict("office", "=ssh.id"));
    emulator.fail({ method: "DELETE", path: "/edges/tcp/*", status: 403 });
    const failed = await stack.up({ fails: true, args: ["--replace", urnOf("TcpEdge", "ssh", provider)] });
    expect(messages(failed)).toContainEqual(leftToEdge);
    expect(look(emulator)).toEqual({ sent: ["DELETE /edges/tcp/{id}"], restricted: [edge.id] });
    await stack.up();
    expect(look(emulator)).toEqual({ sent: ["PUT /edges/tcp/{id}/ip_restriction"], restricted: [edge.id] });
    await stack.preview({ expectNoChanges: true });
  });

  test("an edge that another resource imports keeps the modules that only the removed resource declared", async () => {
    const args = { hostports, description: "ssh", backend: { backendId: "bkdtg_a" }, ipRestriction };
    const { emulator, stack, edge } = await start(declare("TcpEdge", "old", args));
    // A rename that was not finished: the new name declares only the hostports.
    stack.write(declare("TcpEdge", "renamed", { hostports }, { import: edge.id }));
    await stack.up({ args: ["--target", urnOf("TcpEdge", "renamed", provider)] });
    expect(messages(await stack.up()).join("\n")).toContain(
      `TCP edge ${edge.id} was not deleted, because TcpEdge "renamed" still declares it. ` +
        "It keeps its backend and ipRestriction, which no resource declares.",
    );
    expect(look(emulator)).toEqual({ sent: [], restricted: [edge.id] });
    expect((await stack.export()).resources!.filter(({ id }) => id === edge.id)).toHaveLength(1);
    await stack.preview({ expectNoChanges: true });
    await stack.destroy();
    expect(look(emulator)).toEqual({ sent: ["DELETE /edges/tcp/{id}"], restricted: [] });
  });

  // Pulumi neither checks nor diffs what these options leave out, so the provider cannot know of it (docs/options.md).
  const option = { dynamic: "--target", plugin: "--exclude" }[provider];
  test(`an edge that ${option} leaves out, but another resource has, is deleted`, async () => {
    const edgeOf = (name: string, opts: object = {}) => declare("TcpEdge", name, { hostports }, opts);
    const { emulator, stack, edge } = await start(edgeOf("first"));
    const [first, second] = ["first", "second"].map((name) => urnOf("TcpEdge", name, provider)) as [string, string];
    stack.write(edgeOf("second", { import: edge.id }));
    await stack.up({ args: ["--target", second] });
    stack.write(edgeOf("second"));
    emulator.clearRequests();
    const { diagnostics } = await stack.up({ args: [option, provider === "dynamic" ? first : second] });
    expect({ ...look(emulator), diagnostics }).toEqual({
      sent: ["DELETE /edges/tcp/{id}"],
      restricted: [],
      diagnostics: [],
    });
  });

  test("an edge that was retained when it was replaced can be imported, as the errors advise", async () => {
    const e = (opts: object) => declare("TcpEdge", "e", { hostports }, { retainOnDelete: true, ...opts });
    const { emulator, stack, edge } = await start(e({ deleteBeforeReplace: true }));
    const urn = urnOf("TcpEdge", "e", provider);
    const fail = async (args: string[] = []) => extractErrors(await stack.up({ fails: true, args }));
    const usedBy = `is already used by TCP edge ${edge.id}, which`;
    const fix = `import it with the option import: "${edge.id}"`;
    const [first] = await fail(["--replace", urn]);
    expect(first).toContain(`${usedBy} also has everything else that is declared.`);
    expect(first).toContain(fix);
    const [second] = await fail();
    expect(second).toContain(`${usedBy} this resource had before.`);
    expect(second).toContain(`If Pulumi has retained it, ${fix} (with the plugin, after \`pulumi state delete\``);

    if (provider === "plugin") await stack.run(["state", "delete", urn, "--yes"]);
    stack.write(e({ import: edge.id }));
    emulator.clearRequests();
    await stack.up();
    expect(look(emulator).sent).toEqual([]);
    expect((await stack.export()).resources).toContainEqual(expect.objectContaining({ urn, id: edge.id }));
  });
});
