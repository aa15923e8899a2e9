/** What the program declares, and nothing else, with both providers: ignoreChanges, imports, and moves between them. */
import { createStack, declare, extractErrors, startService, wrapProgram } from "../support/cli/cliStack";
import { listWrites } from "../support/cli/yamlStack";

const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const ssh = (args: object, opts: object = {}) => declare("TcpEdge", "ssh", args, opts);

describe.each(["dynamic", "plugin"] as const)("%s", (provider) => {
  const start = async (statements: string) => {
    const emulator = await startService();
    const { stack } = await createStack(emulator, "");
    const write = (next: string) => Object.getPrototypeOf(stack).write.call(stack, wrapProgram(next, provider));
    write(statements);
    return { emulator, stack, write };
  };

  test("what ignoreChanges covered is left alone when the option goes, and removed only after it was declared", async () => {
    const { emulator, stack, write } = await start(ssh({ ipRestriction }));
    await stack.up();
    emulator.clearRequests();
    const separate = declare("TcpEdgeIpRestriction", "office", { edgeId: "=ssh.id", ...ipRestriction });
    write([ssh({}, { ignoreChanges: ["ipRestriction"] }), separate].join("\n"));
    const begun = await stack.up({ preview: true });
    expect(begun.stdout).toContain("ipRestriction is no longer managed, because of ignoreChanges.");
    expect(listWrites(emulator)).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
    write([ssh({}), separate].join("\n"));
    const ended = await stack.up({ preview: true });
    expect(ended.stdout).toContain("ipRestriction is no longer ignored.");
    expect(listWrites(emulator)).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
    await stack.preview({ expectNoChanges: true });
    // Everything is ignored, and nothing is replaced.
    emulator.clearRequests();
    write([ssh({ description: "a" }, { ignoreChanges: ["*"], replaceOnChanges: ["*"] }), separate].join("\n"));
    await stack.up();
    await stack.refresh();
    write(ssh({ description: "b", ipRestriction }));
    await stack.up();
    expect(listWrites(emulator)).not.toContain("POST /edges/tcp");
    expect(emulator.account.tcpEdges).toMatchObject([{ description: "b", ip_restriction: { enabled: true } }]);
    write(ssh({ description: "b" }));
    await stack.up();
    expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: null }]);
  });

  test("what only the import's own run declares is removed, and what no run declares is left alone", async () => {
    const { emulator, stack, write } = await start("");
    const id = emulator.api<{ id: string }>("POST", "/edges/tcp", {
      description: "a",
      metadata: "theirs",
      ip_restriction: { ip_policy_ids: ["ipp_a"] },
    }).id;
    emulator.clearRequests();
    write(ssh({ description: "a" }, { import: id, ignoreChanges: ["ipRestriction"] }));
    await stack.up();
    await stack.preview({ expectNoChanges: true });
    expect(listWrites(emulator)).toEqual([]);
    write(ssh({}));
    await stack.up();
    expect(listWrites(emulator)).toEqual(["PATCH /edges/tcp/{id}"]);
    expect(emulator.account.tcpEdges).toMatchObject([
      { description: "", metadata: "theirs", ip_restriction: { enabled: true } },
    ]);
    // One id under two names, also of two that are new.
    write([ssh({}), declare("TcpEdge", "again", {}, { import: id })].join("\n"));
    const errors = (await stack.preview({ fails: true })).stdout;
    expect(errors).toMatch(new RegExp(`TCP edge ${id} is already declared by TcpEdge "(ssh|again)"`));
    await stack.run([
      "state",
      "delete",
      (await stack.export()).resources!.find((each) => each.id === id)!.urn,
      "--yes",
    ]);
    write(["one", "two"].map((name) => declare("TcpEdge", name, {}, { import: id })).join("\n"));
    expect((await stack.up({ fails: true })).stdout).toContain(`TCP edge ${id} is already declared by TcpEdge "`);
    emulator.clearRequests();
    await stack.destroy();
    expect(listWrites(emulator)).toEqual(["DELETE /edges/tcp/{id}"]);
  });
});

test("from the plugin to the classes: what the program drops in that run is removed, and all can be destroyed", async () => {
  const emulator = await startService();
  emulator.seed({ sessions: [{ id: "ts_1", os: "linux" }] });
  const { stack } = await createStack(emulator, "");
  const write = (next: string, provider: "dynamic" | "plugin") =>
    Object.getPrototypeOf(stack).write.call(stack, wrapProgram(next, provider));
  const command = { sessionId: "ts_1", commands: ["update"] };
  const others = (alias: (type: string) => object) => [
    declare("TlsEdge", "bare", {}, alias("TlsEdge")),
    declare("TunnelSessionCommand", "update", command, alias("TunnelSessionCommand")),
  ];
  write([ssh({ description: "a", ipRestriction }), ...others(() => ({}))].join("\n"), "plugin");
  await stack.up();
  emulator.clearRequests();
  const alias = (type: string) => ({ aliases: [{ type: `tunnel-edge:index:${type}` }] });
  write([ssh({ ipRestriction }, alias("TcpEdge")), ...others(alias)].join("\n"), "dynamic");
  await stack.up();
  expect(listWrites(emulator)).toEqual(["PATCH /edges/tcp/{id}"]);
  await stack.preview({ expectNoChanges: true });
  await stack.refresh();
  await stack.preview({ expectNoChanges: true });
  await stack.destroy();
  expect(emulator.account.tcpEdges).toEqual([]);
});

test("a file cannot declare what only the class writes", async () => {
  const emulator = await startService();
  const { stack } = await createStack(emulator, ssh({ ipRestriction, __ignored: ["ipRestriction"] }));
  expect(extractErrors(await stack.preview({ fails: true })).join()).toContain(
    'TcpEdge "ssh": __ignored is not an argument. Remove it.',
  );
});
