/**
 * What a resource of the program has is never deleted; what no resource has any more is.
 * Promise: "An object that the program still has is not deleted".
 */
import {
  createStack,
  declare,
  extractChangedLines,
  extractErrors,
  startService,
  urnOf,
  wrapProgram,
} from "../support/cli/cliStack";
import { type Result, Stack } from "../support/cli/pulumi";
import { publicKey } from "../support/data/publicKey";

const imported = { import: "edgtcp_x" };
const key = (name: string) => declare("SshCredential", "key", { publicKey: publicKey(name) });
/** Fails after another resource is done, so that this one is in the state, whoever is faster. */
const failingAfter = (name: string) => declare("TlsEdge", "failing", {}, { dependsOn: `=${name}` });
const inSite = (statement: string) =>
  `class Site extends pulumi.ComponentResource {
    constructor(name) { super("test:index:Site", name); const site = this; ${statement} }
  }
  const site = new Site("site");`;
const moved = (description: string) =>
  inSite(declare("TcpEdge", "edge", { description }, { ...imported, parent: "=site" }));
const messages = ({ diagnostics }: Result) => diagnostics.map(({ message }) => message);

test("an object is deleted only when the program no longer has it", async () => {
  const emulator = await startService();
  emulator.seed({ tcpEdges: [{ id: "edgtcp_x", description: "ssh" }] });
  const { stack, calls } = await createStack(emulator, declare("TcpEdge", "edge", { description: "ssh" }, imported));
  const ids = () => emulator.account.tcpEdges.map(({ id }) => id);
  const writes = () => calls().filter((call) => !call.startsWith("GET"));
  const entries = async () => (await stack.export()).resources!.filter(({ id }) => id === "edgtcp_x").length;
  const upWhileAnotherFails = async (statements: string, after: string, args: string[] = []) => {
    stack.write(`${statements}\n${failingAfter(after)}`);
    emulator.fail({ method: "POST", path: "/edges/tls", status: 400 });
    expect(extractErrors(await stack.up({ fails: true, args }))).toHaveLength(1);
    stack.write(statements);
    expect(await entries()).toBe(2);
    writes();
  };
  await stack.up();

  // A forced replacement imports the object again, and the old entry is deleted in the next deployment.
  const edge = declare("TcpEdge", "edge", { description: "ssh" }, imported);
  await upWhileAnotherFails(edge, "edge", ["--replace", urnOf("TcpEdge", "edge")]);
  expect(messages(await stack.up())).toEqual([]);
  expect(writes()).toEqual([]);
  expect([ids(), await entries()]).toEqual([["edgtcp_x"], 1]);

  // The resource moves into a component.
  await upWhileAnotherFails(moved("ssh"), "site");
  expect(messages(await stack.up())).toEqual([
    'TcpEdge "edge": TCP edge edgtcp_x was not deleted, because TcpEdge "edge" still declares it.',
  ]);
  expect(writes()).toEqual([]);
  expect([ids(), await entries()]).toEqual([["edgtcp_x"], 1]);

  // The parents, which a refresh does not know, are no change.
  expect((await stack.refresh()).summary).toEqual({ same: 3 });
  stack.write(moved("shell"));
  expect(extractChangedLines(await stack.preview({ diff: true }))).toEqual([
    "~ pulumi-nodejs:dynamic/tunnel-edge:TcpEdge: (update)",
    '~ description: "ssh" => "shell"',
  ]);
  stack.write(moved("ssh"));
  await stack.preview({ expectNoChanges: true });

  // What leaves the program is deleted, and so is what is replaced.
  stack.write(key("AAAA"));
  expect(messages(await stack.up({ args: ["--refresh"] }))).toEqual([]);
  expect(ids()).toEqual([]);
  const [{ id } = { id: "" }] = emulator.account.sshCredentials;
  stack.write(key("BBBB"));
  await stack.up({ args: ["--refresh"] });
  stack.write(key("CCCC"));
  await stack.up();
  expect(emulator.account.sshCredentials).toMatchObject([{ public_key: publicKey("CCCC") }]);
  expect(emulator.account.sshCredentials[0]!.id).not.toBe(id);

  // A rename that was not finished leaves two entries of one object. They are deleted together, with or without the program.
  const [one, other] = ["one", "other"].map((name) => declare("TcpEdge", name, {}, imported)) as [string, string];
  for (const args of [[], ["--run-program"]]) {
    emulator.seed({ tcpEdges: [{ id: "edgtcp_x" }] });
    stack.write(one);
    await stack.up();
    await upWhileAnotherFails(other, "other");
    stack.write([one, other].join("\n"));
    await stack.destroy({ args });
    expect([ids(), await entries().catch(() => 0)]).toEqual([[], 0]);
  }
});

test("modules of one name under different parents are kept apart", async () => {
  const emulator = await startService();
  emulator.seed({ tcpEdges: [{ id: "edgtcp_1" }, { id: "edgtcp_2" }] });
  const restriction = (name: string, edgeId: string, opts = {}) =>
    declare("TcpEdgeIpRestriction", name, { edgeId, ipPolicyIds: ["ipp_a"] }, opts);
  const site = (type: string, edgeId: string) =>
    `const ${type} = new pulumi.ComponentResource("test:index:${type}", "${type}");
    { ${restriction("r", edgeId, { parent: `=${type}` })} }`;
  const { stack } = await createStack(emulator, restriction("dup", "edgtcp_1"));
  await stack.up();
  // It is renamed while another resource fails, so that the state has both.
  stack.write([site("A", "edgtcp_1"), failingAfter("A")].join("\n"));
  emulator.fail({ method: "POST", path: "/edges/tls", status: 400 });
  await stack.up({ fails: true });
  stack.write([site("A", "edgtcp_1"), site("B", "edgtcp_2")].join("\n"));
  const { diagnostics } = await stack.up();
  const restricted = { ip_restriction: { enabled: true } };
  expect(emulator.account.tcpEdges).toMatchObject([restricted, restricted]);
  expect(diagnostics).toMatchObject([{ severity: "info", message: expect.stringContaining("still declares it") }]);
});

/** Pulumi neither checks nor diffs what it leaves out, so the provider cannot know of it (docs/options.md). */
test.each(["dynamic", "plugin"] as const)(
  "%s: what --exclude and --target leave out is not known, so what it has can be deleted",
  async (provider) => {
    const emulator = await startService();
    const program = (...statements: string[]) => wrapProgram(statements.join("\n"), provider);
    const edge = (name: string, opts = {}) => declare("TcpEdge", name, { description: "ssh" }, opts);
    const urn = (name: string) =>
      provider === "dynamic" ? urnOf("TcpEdge", name) : `urn:pulumi:dev::test::tunnel-edge:index:TcpEdge::${name}`;
    const stack = await Stack.create({ program: program(), emulator });
    const names = async () =>
      (await stack.export()).resources!.filter(({ type }) => type.endsWith(":TcpEdge")).map((each) => each.urn);
    /** Leaves both in the state, with one object, and only the second in the program. */
    const renameInPart = async () => {
      emulator.reset();
      emulator.seed({ tcpEdges: [{ id: "edgtcp_x", description: "ssh" }] });
      stack.write(program(edge("first", imported)));
      await stack.up();
      stack.write(program(edge("second", imported), failingAfter("second")));
      emulator.fail({ method: "POST", path: "/edges/tls", status: 400 });
      await stack.up({ fails: true });
      expect((await names()).sort()).toEqual([urn("first"), urn("second")]);
      stack.write(program(edge("second")));
      emulator.clearRequests();
    };
    const writes = () => emulator.calls().filter((call) => !call.startsWith("GET"));

    for (const args of [
      ["--exclude", urn("second")],
      ["--target", urn("first")],
    ]) {
      await renameInPart();
      const { diagnostics } = await stack.up({ args });
      expect([writes(), diagnostics]).toEqual([["DELETE /edges/tcp/{id}"], []]);
      expect([emulator.account.tcpEdges, await names()]).toEqual([[], [urn("second")]]);
      // As the page says.
      await stack.refresh();
      await stack.up();
      expect(emulator.account.tcpEdges).toMatchObject([{ description: "ssh" }]);
      await stack.destroy();
    }

    // The entry in the state that the program no longer has is removed without a call.
    await renameInPart();
    await stack.run(["state", "delete", urn("first"), "--yes"]);
    await stack.up({ args: ["--exclude", urn("second")] });
    expect(writes()).toEqual([]);
    expect(await names()).toEqual([urn("second")]);
  },
);

test.each(["dynamic", "plugin"] as const)(
  "%s: an edge keeps what only the resource declared that leaves",
  async (provider) => {
    const emulator = await startService();
    const hostports = ["1.tcp.example.com:20022"];
    const args = {
      hostports,
      description: "ssh",
      backend: { backendId: "bkdtg_a" },
      ipRestriction: { ipPolicyIds: ["ipp_a"] },
      policy: { inbound: [{ name: "deny", actions: [{ type: "deny" }] }] },
    };
    const { stack, calls } = await createStack(emulator, declare("TcpEdge", "old", args), { provider });
    await stack.up();
    const [edge] = structuredClone(emulator.account.tcpEdges);
    // A rename that was not finished: the new name declares only the hostports.
    stack.write(declare("TcpEdge", "renamed", { hostports }, { import: edge!.id }));
    await stack.up({ args: ["--target", urnOf("TcpEdge", "renamed", provider)] });
    calls();
    const result = await stack.up();
    expect(messages(result).join("\n")).toContain(
      `TCP edge ${edge!.id} was not deleted, because TcpEdge "renamed" still declares it. ` +
        "It keeps its backend, ipRestriction and policy, which no resource declares.",
    );
    expect(calls().filter((call) => !call.startsWith("GET"))).toEqual([]);
    expect(emulator.account.tcpEdges).toEqual([edge]);
    expect((await stack.export()).resources!.filter(({ id }) => id === edge!.id)).toHaveLength(1);
    await stack.preview({ expectNoChanges: true });
  },
);
