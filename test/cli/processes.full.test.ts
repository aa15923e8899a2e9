/** Deployments with several provider processes: both kinds of provider, an explicit one, and two versions of the plugin. */
import { createStack, declare, startService } from "../support/cli/cliStack";
import type { Result } from "../support/cli/pulumi";
import { createYamlStack, listWrites, writeYaml, yamlExpression, yamlResource } from "../support/cli/yamlStack";
import { waitUntil } from "../support/waitUntil";

const hostports = ["1.tcp.example.com:20022"];
const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const messages = ({ diagnostics }: Result) => diagnostics.map(({ message }) => message);
const notDeleted = (name: string, owner: string) =>
  expect.stringContaining(`${name} was not deleted, because ${owner} still declares it.`);

test("an object that another process of the deployment declares is not deleted", async () => {
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

test("an upgrade of the plugin neither opens nor deletes an edge of the new process", async () => {
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
});

test("two stacks that are deployed at once may declare the same object", async () => {
  const emulator = await startService();
  emulator.seed({ tcpEdges: [{ id: "edgtcp_x" }] });
  const ssh = declare("TcpEdge", "ssh", {}, { import: "edgtcp_x" });
  const key = declare("ApiKey", "key", {}, { dependsOn: "=ssh" });
  const { stack: one } = await createStack(emulator, [ssh, key].join("\n"));
  const { stack: two } = await createStack(emulator, ssh);
  const gate = emulator.fail({ method: "POST", path: "/api_keys", status: 429, times: Number.POSITIVE_INFINITY });
  const running = one.startOperation(["up", "--yes", "--skip-preview"]);
  await waitUntil(() => gate.hits > 0);
  await two.up();
  gate.cancel();
  expect((await running.result).code).toBe(0);
  for (const stack of [one, two])
    expect((await stack.export()).resources).toContainEqual(expect.objectContaining({ id: "edgtcp_x" }));
});
