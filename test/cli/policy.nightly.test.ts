/** The example's policy pack with the real CLI. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeIn } from "../docs/pages";
import { createStack, declare, startService } from "../support/cli/cliStack";
import { copyExample, editFile } from "../support/cli/example";
import { findPackArgument } from "../support/cli/policyPack";
import { Stack } from "../support/cli/pulumi";
import { createYamlStack, yamlExpression, yamlResource } from "../support/cli/yamlStack";
import { esbuild } from "../support/preload/preload";
import { root } from "../support/root";

/** A repository with the pack in a folder. */
const repository = copyExample("yaml");
const pack = join(repository, "policy");
cpSync(copyExample("policy"), pack, { recursive: true });

const getPack = (stack: Stack) => (found ??= findPackArgument(stack, pack));
let found: Promise<string> | undefined;

test("the quickstart is accepted, and rejected before any change if it is open", async () => {
  const emulator = await startService();
  emulator.seed(JSON.parse(readFileSync(join(root, "examples/quickstart/account.json"), "utf8")));
  const dir = copyExample("quickstart");
  const stack = await Stack.create({ dir, emulator, env: esbuild });
  const args = ["--policy-pack", await getPack(stack)];
  expect((await stack.preview({ args })).stdout).toContain("✅ edges@v0.0.1");

  editFile(dir, "index.ts", "ipRestriction: {", "ipRestriction: { enabled: false,");
  editFile(dir, "index.ts", 'mutualTls: { certificateAuthorityIds: ["ca_partners"] },', "");
  emulator.clearRequests();
  const { stdout } = await stack.up({ args, preview: true, fails: true });
  expect(stdout).toContain("ssh is open to everybody. Anyone can connect to 1.tcp.tunnel.example:20022.");
  expect(stdout).toContain("api is open to everybody. Anyone can connect to api.tunnel.example:443.");
  expect(emulator.calls()).toEqual(["GET /tunnels"]);
});

test("an edge with a separate restriction is accepted, before it has an id and afterwards", async () => {
  const edge = declare("TcpEdge", "ssh", { hostports: ["1.tcp.example.com:1"], backend: { backendId: "bkdtg_a" } });
  const office = declare("TcpEdgeIpRestriction", "office", { edgeId: "=ssh.id", ipPolicyIds: ["ipp_office"] });
  const { stack } = await createStack(await startService(), `${edge}\n${office}`);
  const args = ["--policy-pack", await getPack(stack)];
  await stack.preview({ args });
  await stack.up({ args });
  await stack.preview({ args, expectNoChanges: true });
  stack.write(edge);
  const { stdout } = await stack.preview({ args, fails: true });
  expect(stdout).toContain("ssh is open to everybody");
});

test("an open edge of a YAML program is rejected, unless the list has its address", async () => {
  const edge = { hostports: ["www.example.com:443"], backend: { backendId: "bkdtg_a" } };
  const restricted = { edgeId: yamlExpression("ssh.id"), ipPolicyIds: ["ipp_a"] };
  const { stack } = await createYamlStack({
    resources: {
      www: yamlResource("TlsEdge", edge),
      ssh: yamlResource("TcpEdge", { ...edge, hostports: ["1.tcp.example.com:1"] }),
      office: yamlResource("TcpEdgeIpRestriction", restricted),
    },
  });
  const args = ["--policy-pack", await getPack(stack)];
  const { stdout } = await stack.preview({ args, fails: true });
  expect(stdout).toContain("www is open to everybody. Anyone can connect to www.example.com:443.");
  expect(stdout).not.toContain("ssh is open");

  writeFileSync(join(stack.dir, "policy.json"), codeIn("docs/exposure.md", "json"));
  writeFileSync(join(repository, "open.txt"), "# The website\nwww.example.com:443\n");
  await stack.up({ args: [...args, "--policy-pack-config", "policy.json"] });
  await stack.preview({ args: [...args, "--policy-pack-config", "policy.json"], expectNoChanges: true });
});
