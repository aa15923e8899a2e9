/** Deployments with several provider processes: both kinds of provider, an explicit one, and two versions of the plugin. */
import { classes, createStack, declare, extractErrors, startService } from "../support/cli/cliStack";
import { findProvider } from "../support/cli/findProvider";
import type { Result } from "../support/cli/pulumi";
import { createYamlStack, listWrites, writeYaml, yamlExpression, yamlResource } from "../support/cli/yamlStack";
import { waitUntil } from "../support/waitUntil";

const hostports = ["1.tcp.example.com:20022"];
const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const messages = ({ diagnostics }: Result) => diagnostics.map(({ message }) => message);
const notDeleted = (name: string, owner: string) =>
  expect.stringContaining(`${name} was not deleted, because ${owner} still declares it.`);

test("what another process of the deployment keeps is not deleted", async () => {
  const emulator = await startService();
  // An edge is renamed with import, and gets an explicit provider of the same account.
  const { stack: node } = await createStack(
    emulator,
    [declare("TcpEdge", "old", { hostports, ipRestriction }), declare("ApiKey", "key", {})].join("\n"),
  );
  await node.up();
  const edge = emulator.account.tcpEdges[0]!.id;
  const key = emulator.account.apiKeys.at(-1)!.id;
  const settings = JSON.stringify({ apiKey: emulator.apiKey, baseUrl: emulator.url });
  node.write(
    [
      `const account = new tunnel.Provider("account", ${settings});`,
      declare("TcpEdge", "renamed", { hostports, ipRestriction }, { import: edge, provider: "=account" }),
      declare("ApiKey", "key", {}),
    ].join("\n"),
  );
  emulator.clearRequests();
  expect(messages(await node.up())).toContainEqual(notDeleted(`TCP edge ${edge}`, 'TcpEdge "renamed"'));
  expect(listWrites(emulator)).toEqual([]);

  // The program is rewritten in YAML, with import in place of aliases.
  const { stack: yaml } = await createYamlStack(
    {
      resources: {
        ssh: yamlResource("TcpEdge", { hostports, ipRestriction }, { import: edge }),
        automation: yamlResource("ApiKey", {}, { import: key }),
      },
    },
    { emulator, env: { PULUMI_BACKEND_URL: node.env["PULUMI_BACKEND_URL"] } },
  );
  const moved = messages(await yaml.up());
  expect(moved).toContainEqual(notDeleted(`TCP edge ${edge}`, 'TcpEdge "ssh"'));
  expect(moved).toContainEqual(notDeleted(`API key ${key}`, 'ApiKey "automation"'));
  expect(listWrites(emulator)).toEqual([]);
  await yaml.destroy();
  expect(emulator.account.tcpEdges).toEqual([]);
});

test("an upgrade of the plugin neither opens nor deletes, and a replacement works with a separate module", async () => {
  const office = (version: string, edgeId = yamlExpression("ssh.id")) => ({
    office: yamlResource("TcpEdgeIpRestriction", { edgeId, ...ipRestriction }, { version }),
  });
  const { emulator, stack } = await createYamlStack({
    resources: { ssh: yamlResource("TcpEdge", { hostports }, { version: "0.1.0" }), ...office("0.1.0") },
  });
  await stack.up();
  const { id } = emulator.account.tcpEdges[0]!;
  emulator.clearRequests();

  // The restriction moves into its edge, while every resource gets the new version.
  writeYaml(stack, { resources: { ssh: yamlResource("TcpEdge", { hostports, ipRestriction }, { version: "0.2.0" }) } });
  const upgraded = messages(await stack.up());
  expect(upgraded).toContainEqual(notDeleted(`IP restriction of TCP edge ${id}`, 'TcpEdge "ssh"'));
  expect(listWrites(emulator)).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { enabled: true } }]);

  // The edge is renamed with import in the same run as the next version.
  const renamed = yamlResource("TcpEdge", { hostports, ipRestriction }, { version: "0.3.0", import: id });
  writeYaml(stack, { resources: { shell: renamed } });
  expect(messages(await stack.up())).toContainEqual(notDeleted(`TCP edge ${id}`, 'TcpEdge "shell"'));
  expect(emulator.account.tcpEdges).toHaveLength(1);

  // The engine applies replaceOnChanges after Diff has announced an update.
  const forced = { replaceOnChanges: ["description"], deleteBeforeReplace: true };
  const replaced = (description: string) => ({
    resources: {
      shell: yamlResource("TcpEdge", { hostports, description }, forced),
      ...{ office: yamlResource("TcpEdgeIpRestriction", { edgeId: yamlExpression("shell.id"), ...ipRestriction }) },
    },
  });
  writeYaml(stack, replaced("first"));
  await stack.up();
  writeYaml(stack, replaced("second"));
  await stack.up();
  expect(emulator.account.tcpEdges).toMatchObject([{ description: "second", ip_restriction: { enabled: true } }]);
  expect(emulator.account.tcpEdges[0]!.id).not.toBe(id);
  await stack.destroy();
});

describe.each(["dynamic", "plugin"] as const)("%s", (provider) => {
  const other = provider === "dynamic" ? "plugin" : "dynamic";
  const id = "edgtcp_x";
  const imported = { import: id };
  const ssh = (name: string, args: object = {}, opts: object = {}) =>
    declare("TcpEdge", name, { description: "ssh", ...args }, opts);

  test("what a process was about to set when it was killed is not removed by another one", async () => {
    const emulator = await startService();
    const office = declare("TcpEdgeIpRestriction", "office", { edgeId: "=ssh.id", ...ipRestriction });
    const inOther = `const other = ${classes[other]};\n${office.replace("new tunnel.", "new other.")}`;
    const { stack } = await createStack(emulator, [ssh("ssh"), inOther].join("\n"), { provider });
    await stack.up();
    const isRestricted = () => emulator.account.tcpEdges[0]!.ip_restriction?.enabled === true;

    // The restriction moves into the edge.
    stack.write(ssh("ssh", { ipRestriction }));
    const put = emulator.fail({ method: "PUT", path: "**/ip_restriction", hang: "headers", processed: false });
    const running = stack.startOperation(["up", "--yes", "--skip-preview", "--continue-on-error"]);
    await waitUntil(() => put.hits > 0);
    process.kill(findProvider(running.pid, provider), "SIGKILL");
    expect(extractErrors(await running.result)).toContainEqual(
      expect.stringContaining('TcpEdge "ssh" failed, or was not deployed, in this deployment. Run the command again.'),
    );
    expect(isRestricted()).toBe(true);
    emulator.clearRequests();
    expect(messages(await stack.up())).toContainEqual(
      notDeleted(`IP restriction of TCP edge ${emulator.account.tcpEdges[0]!.id}`, 'TcpEdge "ssh"'),
    );
    expect([listWrites(emulator), isRestricted()]).toEqual([["PUT /edges/tcp/{id}/ip_restriction"], true]);
  });

  test("two stacks that are deployed at once do not know of each other", async () => {
    const emulator = await startService();
    emulator.seed({ tcpEdges: [{ id, description: "ssh" }] });
    const key = declare("ApiKey", "key", {}, { dependsOn: "=one" });
    const { stack: one } = await createStack(emulator, [ssh("one", {}, imported), key].join("\n"), { provider });
    const { stack: two } = await createStack(emulator, ssh("two", {}, imported), { provider });
    const gate = emulator.fail({ method: "POST", path: "/api_keys", status: 429, times: Number.POSITIVE_INFINITY });
    const running = one.startOperation(["up", "--yes", "--skip-preview"]);
    await waitUntil(() => gate.hits > 0);
    await two.up();
    gate.cancel();
    expect((await running.result).code).toBe(0);
    for (const stack of [one, two])
      expect((await stack.export()).resources).toContainEqual(expect.objectContaining({ id }));
  });

  test("one id at two addresses can be declared twice, and is kept in doubt", async () => {
    // A service, and a restored copy of it.
    const [service, copy] = [await startService(), await startService()];
    for (const each of [service, copy]) each.seed({ tcpEdges: [{ id, description: "ssh" }] });
    const settings = JSON.stringify({ apiKey: copy.apiKey, baseUrl: copy.url });
    const inCopy = [
      `const copy = new tunnel.Provider("copy", ${settings});`,
      ssh("f", {}, { ...imported, provider: "=copy" }),
    ].join("\n");
    const { stack } = await createStack(service, [ssh("e", {}, imported), inCopy].join("\n"), { provider });
    await stack.up();
    stack.write(inCopy);
    expect(messages(await stack.up())).toContainEqual(notDeleted(`TCP edge ${id}`, 'TcpEdge "f"'));
    expect([service, copy].flatMap(listWrites)).toEqual([]);
    await stack.destroy();
    expect([service, copy].map(({ account }) => account.tcpEdges.length)).toEqual([1, 0]);
  });
});
