/** Replacements that the user forces with `pulumi up --target-replace`, or with `replaceOnChanges`. */
import type { TcpEdge } from "pulumi-tunnel-edge/emulator";
import { createStack, declare, extractErrors, startService, urnOf } from "../support/cli/cliStack";
import { createYamlStack, writeYaml, yamlResource } from "../support/cli/yamlStack";

test("a forced replacement leaves one edge, with each module", async () => {
  const emulator = await startService();
  const { stack, calls } = await createStack(
    emulator,
    [
      declare("TcpEdge", "inline", {
        hostports: ["1.tcp.example.com:1"],
        backend: { backendId: "bkdhr_a" },
        ipRestriction: { ipPolicyIds: ["ipp_a", "ipp_b"] },
      }),
      declare("TcpEdge", "bare", { hostports: ["1.tcp.example.com:2"] }),
      declare("TcpEdgeIpRestriction", "apart", { edgeId: "=bare.id", ipPolicyIds: ["ipp_a"] }),
    ].join("\n"),
  );
  await stack.up();
  const before = emulator.account.tcpEdges;
  calls();
  await stack.up({ args: ["--target-replace", urnOf("TcpEdge", "inline")] });
  expect(calls()).toEqual(["DELETE /edges/tcp/{id}", "POST /edges/tcp"]);
  await stack.up({ args: ["--target-replace", urnOf("TcpEdgeIpRestriction", "apart")] });
  expect(calls()).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
  await stack.up({ args: ["--target-replace", urnOf("TcpEdge", "bare"), "--target-dependents"] });
  // The restriction goes with its edge.
  expect(calls()).toEqual(["DELETE /edges/tcp/{id}", "POST /edges/tcp", "PUT /edges/tcp/{id}/ip_restriction"]);
  const after = emulator.account.tcpEdges;
  const held = (edges: TcpEdge[]) =>
    edges.map(({ hostports, ip_restriction }) => [hostports?.[0], ip_restriction?.ip_policies.length]).sort();
  expect(held(after)).toEqual(held(before));
  expect(after.map(({ id }) => id)).not.toEqual(expect.arrayContaining([before[0]?.id]));
  expect((await stack.refresh()).summary).toEqual({ same: 4 });
  await stack.destroy();
  expect(emulator.account.tcpEdges).toEqual([]);
});

test("an edge in one component and its module in another are replaced together", async () => {
  const emulator = await startService();
  const program = (hostport: string) =>
    [
      'const first = new pulumi.ComponentResource("test:index:Part", "first");',
      'const second = new pulumi.ComponentResource("test:index:Part", "second");',
      declare("TcpEdge", "edge", { hostports: [hostport] }, { parent: "=first", replaceOnChanges: ["hostports"] }),
      declare("TcpEdgeIpRestriction", "office", { edgeId: "=edge.id", ipPolicyIds: ["ipp_a"] }, { parent: "=second" }),
    ].join("\n");
  const { stack, calls } = await createStack(emulator, program("1.tcp.example.com:1"));
  await stack.up();
  calls();
  stack.write(program("1.tcp.example.com:2"));
  await stack.up();
  expect(calls()).toContain("POST /edges/tcp");
  expect(emulator.account.tcpEdges).toMatchObject([
    { hostports: ["1.tcp.example.com:2"], ip_restriction: { ip_policies: [{ id: "ipp_a" }] } },
  ]);
});

describe("an edge that was retained when it was replaced can be imported, as each run's message says", () => {
  const hostports = ["1.tcp.example.com:1"];
  const retained = { retainOnDelete: true };
  const start = async (provider: string) => {
    if (provider === "classes") {
      const emulator = await startService();
      const program = (opts: object) => declare("TcpEdge", "e", { hostports }, { ...retained, ...opts });
      const { stack } = await createStack(emulator, program({}));
      return { emulator, stack, urn: urnOf("TcpEdge", "e"), write: (opts: object) => stack.write(program(opts)) };
    }
    const program = (opts: object) => ({
      resources: { e: yamlResource("TcpEdge", { hostports }, { ...retained, deleteBeforeReplace: true, ...opts }) },
    });
    const { emulator, stack } = await createYamlStack(program({}));
    const urn = "urn:pulumi:dev::test::tunnel-edge:index:TcpEdge::e";
    return { emulator, stack, urn, write: (opts: object) => writeYaml(stack, program(opts)) };
  };

  test.each(["classes", "plugin"])("with the %s", async (provider) => {
    const { emulator, stack, urn, write } = await start(provider);
    await stack.up();
    const { id } = emulator.account.tcpEdges[0]!;
    const fail = async (args: string[] = []) => extractErrors(await stack.up({ fails: true, args }));
    const usedBy = `is already used by TCP edge ${id}, which`;
    const fix = `import it with the option import: "${id}"`;
    const [first] = await fail(["--replace", urn]);
    expect(first).toContain(`${usedBy} also has everything else that is declared.`);
    expect(first).toContain(fix);
    const [second] = await fail();
    expect(second).toContain(`${usedBy} this resource had before.`);
    expect(second).toContain(`If Pulumi has retained it, ${fix} (with the plugin, after \`pulumi state delete\``);

    if (provider === "plugin") await stack.run(["state", "delete", urn, "--yes"]);
    write({ import: id });
    emulator.clearRequests();
    await stack.up();
    expect(emulator.calls().filter((call) => !call.startsWith("GET"))).toEqual([]);
    expect((await stack.export()).resources).toContainEqual(expect.objectContaining({ urn, id }));
    await stack.preview({ expectNoChanges: true });
  });
});
