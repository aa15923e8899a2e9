/** A module moves between its edge and its own resource, and deployments are interrupted or cover only a part. */
import { createStack, declare, extractErrors, startService, urnOf } from "../support/cli/cliStack";
import { waitUntil } from "../support/waitUntil";

const ipPolicyIds = ["ipp_office"];
const separate = [
  declare("TcpEdge", "ssh", { description: "ssh" }),
  declare("TcpEdgeIpRestriction", "office", { edgeId: "=ssh.id", ipPolicyIds }),
].join("\n");
const inEdge = declare("TcpEdge", "ssh", { description: "ssh", ipRestriction: { ipPolicyIds } });

test("after the next plain `pulumi up`, what the program restricts is restricted", async () => {
  const emulator = await startService();
  const { stack, calls } = await createStack(emulator, separate);
  const isRestricted = () => emulator.account.tcpEdges[0]!.ip_restriction?.enabled === true;
  const writes = () => calls().filter((call) => !call.startsWith("GET"));
  const put = "PUT /edges/tcp/{id}/ip_restriction";
  const types = async () => (await stack.export()).resources!.map(({ type }) => type.split(":").pop());
  /** The module moves into the edge, while its resource cannot be deleted. */
  const moveIntoEdge = async () => {
    stack.write(inEdge);
    emulator.fail({ method: "GET", path: "**/ip_restriction", status: 403 });
    await stack.up({ fails: true });
    expect(await types()).toContain("TcpEdgeIpRestriction");
  };
  await stack.up();

  // One Ctrl-C while the edge removes the module.
  await moveIntoEdge();
  stack.write(separate);
  const removal = emulator.fail({ method: "DELETE", path: "**/ip_restriction", delayMs: 2_000 });
  const running = stack.startOperation(["up", "--yes", "--skip-preview"]);
  await waitUntil(() => removal.hits > 0);
  running.kill("SIGINT");
  expect((await running.result).code).not.toBe(0);
  expect(isRestricted()).toBe(false);
  calls();
  await stack.up();
  expect([isRestricted(), writes()]).toEqual([true, [put]]);

  // The edge alone is deployed.
  const removeFromEdge = async () => {
    await moveIntoEdge();
    stack.write(separate);
    await stack.up({ args: ["--target", urnOf("TcpEdge", "ssh")] });
    expect(isRestricted()).toBe(false);
    calls();
  };
  await removeFromEdge();
  await stack.up();
  expect([isRestricted(), writes()]).toEqual([true, [put]]);

  // The same with a version that did not record who wrote last: a refresh finds it.
  await removeFromEdge();
  stack.removeFromState("__marks");
  await stack.refresh();
  await stack.up();
  expect([isRestricted(), writes()]).toEqual([true, [put]]);

  // What is left of the resource is deleted by target: the edge may go too, so the module stays with it.
  await moveIntoEdge();
  const { diagnostics } = await stack.destroy({ args: ["--target", urnOf("TcpEdgeIpRestriction", "office")] });
  const [{ id } = { id: "" }] = emulator.account.tcpEdges;
  expect(diagnostics).toMatchObject([
    {
      message: expect.stringContaining(
        `The IP restriction of TCP edge ${id} is deleted with its edge. If the edge stays,`,
      ),
    },
  ]);
  await stack.refresh();
  await stack.up();
  expect(isRestricted()).toBe(true);

  // The edge's update is rejected: its resource stays until the edge has the module.
  stack.write(separate);
  await stack.up();
  stack.write(inEdge.replace('description":"ssh"', 'description":"shell"'));
  emulator.fail({ method: "PATCH", path: "/edges/tcp/{id}", status: 400 });
  const failed = await stack.up({ fails: true, args: ["--continue-on-error"] });
  expect(extractErrors(failed)).toContainEqual(expect.stringContaining('TcpEdge "ssh", which declares it too, failed'));
  expect([isRestricted(), await types()]).toEqual([true, expect.arrayContaining(["TcpEdgeIpRestriction"])]);
  await stack.up();
  expect([isRestricted(), (await types()).includes("TcpEdgeIpRestriction")]).toEqual([true, false]);
});

test.each(["dynamic", "plugin"] as const)(
  "%s: a module that an edge leaves to a new resource, which fails and is given up, is removed",
  async (provider) => {
    const emulator = await startService();
    const restricted = { description: "ssh", ipRestriction: { ipPolicyIds } };
    const { stack, calls } = await createStack(emulator, declare("TcpEdge", "ssh", restricted), { provider });
    const policies = () => emulator.account.tcpEdges[0]!.ip_restriction?.ip_policies.map(({ id }) => id);
    const writes = () => calls().filter((call) => !call.startsWith("GET"));
    await stack.up();
    const [{ id } = { id: "" }] = emulator.account.tcpEdges;
    calls();

    // The edge waits for the key, and the key until the service has rejected what the new resource declares.
    const withoutKeeper = [
      declare("ApiKey", "key", {}),
      declare("TcpEdge", "ssh", { description: "ssh" }, { dependsOn: "=key" }),
    ].join("\n");
    const keeper = declare("TcpEdgeIpRestriction", "other", { edgeId: id, ipPolicyIds: ["ipp_other"] });
    stack.write(`${keeper}\n${withoutKeeper}`);
    const gate = emulator.fail({ method: "POST", path: "/api_keys", status: 429, times: Number.POSITIVE_INFINITY });
    const rejection = emulator.fail({ method: "PUT", path: "**/ip_restriction", status: 400 });
    const running = stack.startOperation(["up", "--yes", "--skip-preview", "--continue-on-error", "--debug"]);
    await waitUntil(() => rejection.hits > 0);
    gate.cancel();
    const { code, stdout, stderr } = await running.result;
    expect(code).not.toBe(0);
    expect(policies()).toEqual(ipPolicyIds);
    expect(writes().filter((call) => call.endsWith("ip_restriction"))).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
    const printed = `${stdout}${stderr}`;
    expect(printed).toContain(
      `The ipRestriction of TCP edge ${id} was not removed, because TcpEdgeIpRestriction "other"`,
    );
    expect(printed).toContain('plan: leave ipRestriction to TcpEdgeIpRestriction "other"');

    // A refresh neither declares it again nor forgets that it was left.
    expect((await stack.refresh()).steps.map(({ op }) => op)).toEqual(["same", "same"]);
    // In a preview, the edge does not know whether the program declares it elsewhere.
    stack.write(withoutKeeper);
    const { diagnostics } = await stack.preview();
    expect(diagnostics.map(({ message }) => message)).toEqual([
      expect.stringContaining(
        `DELETE /edges/tcp/${id}/ip_restriction will be sent unless another resource declares it, because it was left to ` +
          "a resource that had not set it.",
      ),
    ]);
    await stack.up();
    expect(writes()).toEqual(["DELETE /edges/tcp/{id}/ip_restriction"]);
    expect(policies()).toBeUndefined();
    await stack.preview({ expectNoChanges: true });
  },
);
