/** Deployments with several provider processes: both kinds of provider, an explicit one, and two versions of the plugin. */
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createStack, declare, startService } from "../support/cli/cliStack";
import type { Result } from "../support/cli/pulumi";
import { createYamlStack, listWrites, writeYaml, yamlExpression, yamlResource } from "../support/cli/yamlStack";
import { curlDelete } from "../support/curl";

const hostports = ["1.tcp.example.com:20022"];
const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const messages = ({ diagnostics }: Result) => diagnostics.map(({ message }) => message);
const notDeleted = (name: string, owner: string) =>
  expect.stringContaining(`${name} was not deleted, because ${owner} still declares it.`);

test("what another process of the deployment keeps is not deleted", async () => {
  const emulator = await startService();
  const temporary = mkdtempSync(join(tmpdir(), "processes-"));
  // An edge is renamed with import, and gets an explicit provider of the same account.
  const { stack: classes } = await createStack(
    emulator,
    [declare("TcpEdge", "old", { hostports, ipRestriction }), declare("ApiKey", "key", {})].join("\n"),
    { env: { TMPDIR: temporary } },
  );
  await classes.up();
  const edge = emulator.account.tcpEdges[0]!.id;
  const key = emulator.account.apiKeys.at(-1)!.id;
  const settings = JSON.stringify({ apiKey: emulator.apiKey, baseUrl: emulator.url });
  classes.write(
    [
      `const account = new tunnel.Provider("account", ${settings});`,
      declare("TcpEdge", "renamed", { hostports, ipRestriction }, { import: edge, provider: "=account" }),
      declare("ApiKey", "key", {}),
    ].join("\n"),
  );
  emulator.clearRequests();
  expect(messages(await classes.up())).toContainEqual(notDeleted(`TCP edge ${edge}`, 'TcpEdge "renamed"'));
  expect(listWrites(emulator)).toEqual([]);

  // The program is rewritten in YAML, with import in place of aliases.
  const { stack: yaml } = await createYamlStack(
    {
      resources: {
        ssh: yamlResource("TcpEdge", { hostports, ipRestriction }, { import: edge }),
        automation: yamlResource("ApiKey", {}, { import: key }),
      },
    },
    { emulator, env: { PULUMI_BACKEND_URL: classes.env["PULUMI_BACKEND_URL"], TMPDIR: temporary } },
  );
  const moved = messages(await yaml.up());
  expect(moved).toContainEqual(notDeleted(`TCP edge ${edge}`, 'TcpEdge "ssh"'));
  expect(moved).toContainEqual(notDeleted(`API key ${key}`, 'ApiKey "automation"'));
  expect(listWrites(emulator)).toEqual([]);
  await yaml.destroy();
  expect(emulator.account.tcpEdges).toEqual([]);
  // Processes that end in the usual way leave nothing behind.
  const [folder] = readdirSync(temporary);
  expect(folder).toMatch(/^pulumi-tunnel-edge-/);
  expect(readdirSync(join(temporary, folder!))).toEqual([]);
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

describe("one id at two addresses", () => {
  const id = "edgtcp_x";
  const imported = { import: id };
  const edges = { tcpEdges: [{ id, description: "ssh" }] };
  /** A service, and a restored copy of it. */
  const startTwo = async () => {
    const services = [await startService(), await startService()] as const;
    for (const service of services) service.seed(edges);
    return services;
  };
  const kept = (owner: string, there: string, here: string) =>
    expect.stringContaining(
      `TCP edge ${id} was not deleted, because TcpEdge "${owner}" at ${there} still declares it. If that is another ` +
        `service, delete it in this one with ${curlDelete(here, `/edges/tcp/${id}`)}.`,
    );

  test("classes: each resource has its own, and what another address may have is kept", async () => {
    const [service, copy] = await startTwo();
    const provider = (name: string, baseUrl: string, { apiKey } = copy) =>
      `const ${name} = new tunnel.Provider("${name}", ${JSON.stringify({ apiKey, baseUrl })});`;
    const e = declare("TcpEdge", "e", { description: "ssh" }, imported);
    const f = (description: string, options: object) => declare("TcpEdge", "f", { description }, options);
    const inCopy = (description: string) =>
      [provider("copy", copy.url), f(description, { ...imported, provider: "=copy" })].join("\n");
    const { stack } = await createStack(service, e);
    await stack.up();

    // Both can be declared.
    stack.write([e, inCopy("ssh")].join("\n"));
    expect(messages(await stack.up())).toEqual([
      expect.stringMatching(
        /^The TCP edge edgtcp_x is managed by both TcpEdge "[ef]" at http:\S+ and TcpEdge "[ef]"\. If both addresses lead to/,
      ),
    ]);
    stack.write([e, inCopy("shell")].join("\n"));
    await stack.up();
    expect([service, copy].map(({ account }) => account.tcpEdges[0]!.description)).toEqual(["ssh", "shell"]);

    // Whether it is the same one cannot be known. If it is not, the message has the call that deletes it.
    stack.write(inCopy("shell"));
    expect(messages(await stack.up())).toContainEqual(kept("f", copy.url, service.url));
    expect(service.account.tcpEdges).toHaveLength(1);

    // A service with another address, such as that of a gateway.
    const gateway = copy.url.replace("127.0.0.1", "localhost");
    expect(gateway).not.toBe(copy.url);
    const renamed = f("shell", { ...imported, provider: "=gateway" }).replaceAll('"f"', '"g"');
    stack.write([provider("copy", copy.url), provider("gateway", gateway), renamed].join("\n"));
    copy.clearRequests();
    expect(messages(await stack.up())).toContainEqual(kept("g", gateway, copy.url));
    expect(listWrites(copy)).toEqual([]);
    await stack.destroy();
    expect(copy.account.tcpEdges).toEqual([]);
  });

  test("plugin: what another address may have is kept, and both can be declared", async () => {
    const [service, copy] = await startTwo();
    const e = yamlResource("TcpEdge", { description: "ssh" }, imported);
    const { stack } = await createYamlStack({ resources: { e } }, { emulator: service });
    await stack.up();
    const settings = { apiKey: copy.apiKey, baseUrl: copy.url };
    const inCopy = {
      copy: { type: "pulumi:providers:tunnel-edge", properties: settings },
      f: yamlResource("TcpEdge", { description: "ssh" }, { ...imported, provider: yamlExpression("copy") }),
    };
    writeYaml(stack, { resources: inCopy });
    expect(messages(await stack.up())).toContainEqual(kept("f", copy.url, service.url));
    writeYaml(stack, { resources: { e, ...inCopy } });
    await stack.up();
    expect([service, copy].flatMap(listWrites)).toEqual([]);
    await stack.destroy();
    expect([service, copy].map(({ account }) => account.tcpEdges)).toEqual([[], []]);
  });
});
