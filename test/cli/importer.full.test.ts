/** Accounts imported by the program that the command writes. Promise: "Existing objects can be imported". */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Account, Emulator } from "pulumi-tunnel-edge/emulator";
import { importables } from "../../src/commands/importer/account";
import { emulator as emulated, folder, removeOption, runCommand } from "../commands/importer/support";
import { Stack } from "../support/cli/pulumi";
import { listWrites } from "../support/cli/yamlStack";
import { publicKey } from "../support/data/publicKey";
import { objectSamples } from "../support/data/samples";
import { declareMissing } from "../support/engine/declareSamples";
import { esbuild } from "../support/preload/preload";
import { root } from "../support/root";

/** Strings that are hard to write in a program. Samples declare the other objects. */
const program = `
const tunnel = require("pulumi-tunnel-edge");
new tunnel.ApiKey("ci", { description: "ci", metadata: "line\\nbreak" });
new tunnel.ApiKey("other", { description: "ci", ownerId: "usr_other" });
new tunnel.SshCredential("bob", { publicKey: "${publicKey("bob")}\\n", acl: ["bind:b.example.com", "bind:a=*"] });
new tunnel.SshCredential("free", { publicKey: "${publicKey("free")}", acl: ["*"], description: "await" });
new tunnel.TcpEdge("bare");
new tunnel.TcpEdge("ssh", {
  description: 'SSH to "Zürich" \\u2028',
  metadata: '{"team":"edge"}',
  hostports: ["2.tcp.example.com:20023", "1.tcp.example.com:20022"],
  backend: { backendId: "bkdhr_1", enabled: false },
  ipRestriction: { ipPolicyIds: ["ipp_b", "ipp_a"] },
  policy: {
    enabled: false,
    inbound: [{ name: "no", expressions: ['conn.ip == "1.2.3.4"'], actions: [{ type: "deny", config: { "some_Key-1": [1, { a: null }] } }] }],
    outbound: [{}],
  },
});
new tunnel.TlsEdge("api", {
  hostports: ["api.example.com:443"],
  mutualTls: { certificateAuthorityIds: ["ca_2", "ca_1"] },
  tlsTermination: { terminateAt: "edge", minVersion: "1.2" },
  policy: {},
});
new tunnel.TlsEdge("through", { description: "module", tlsTermination: { terminateAt: "upstream" } });
new tunnel.HttpsEdgeTlsTermination("https", { edgeId: "edghts_1", enabled: false, minVersion: "1.3" });
const route = { edgeId: "edghts_1", routeId: "edghtsrt_1" };
new tunnel.HttpsEdgeRouteOidc("login", {
  ...route,
  optionsPassthrough: true,
  inactivityTimeout: 60,
  issuer: "https://id.example.com",
  clientId: "edge",
  clientSecret: "hush-hush",
  scopes: ["profile", "email"],
});
new tunnel.HttpsEdgeRouteRequestHeaders("headers", { ...route, add: { "X-Api_Key": "s3cret", "x-b": "" }, remove: ["Cookie"] });
new tunnel.HttpsEdgeRouteUserAgentFilter("agents", { ...route, deny: ["(?i)bot", "a\\\\.b"] });
`;

const secrets = {
  oidc1ClientSecret: { secret: "hush-hush" },
  requestHeaders1XApiKey: { secret: "s3cret" },
  requestHeaders1XB: { secret: "" },
};

/** The account that a program has made, of which no state is left. */
async function createWithoutState(statements: string) {
  const emulator = await emulated({ pageSize: 2 });
  emulator.seed({ httpsEdges: [{ id: "edghts_1", routes: [{ id: "edghtsrt_1" }] }] });
  const others = declareMissing(statements, emulator, "sample", objectSamples).map(({ statement }) => statement);
  const whole = [statements, ...others].join("\n");
  const stack = await Stack.create({ program: whole, emulator });
  await stack.up();
  await stack.remove();
  return { emulator, before: emulator.account, objects: whole.split("new tunnel.").length - 1 };
}

const everything = ["--include-api-keys", "--https-edge", "edghts_1", "--route", "edghts_1/edghtsrt_1"];

/** Nothing differs after the import, also without its options, and destroy deletes nothing. */
async function expectUnchanged(stack: Stack, emulator: Emulator, before: Account): Promise<void> {
  expect(listWrites(emulator)).toEqual([]);
  expect(emulator.account).toEqual(before);
  emulator.clearRequests();
  await stack.preview({ expectNoChanges: true });
  removeOption(stack.dir, "import");
  await stack.preview({ expectNoChanges: true });
  expect(emulator.calls()).toEqual([]);
  await stack.refresh({ args: ["--expect-no-changes"] });
  expect((await stack.destroy({ fails: true })).stdout).toMatch(/cannot be deleted\s+because it is protected/);
  expect(emulator.account).toEqual(before);
}

test("create, lose the state, import: nothing is written to the service, and nothing differs afterwards", async () => {
  const { emulator, before, objects } = await createWithoutState(program);
  const dir = join(folder(), "project");
  const printed = await runCommand(emulator, "--out", dir, ...everything);
  for (const key of Object.keys(secrets)) expect(printed).toContain(`pulumi config set --secret ${key}\n`);

  emulator.clearRequests();
  // The types of such programs are tested without the CLI.
  const stack = await Stack.create({ dir, emulator, config: secrets, env: esbuild });
  const up = await stack.up({ preview: true });
  // Those of the program, the key that the account started with, and the stack.
  expect(up.summary).toEqual({ create: objects + 2 });
  expect(new Set(up.steps.map(({ type }) => type.split(":").pop()))).toEqual(
    new Set(importables.map(({ definition }) => definition.type)),
  );
  await expectUnchanged(stack, emulator, before);
  expect(readFileSync(join(dir, "index.ts"), "utf8")).not.toContain("import:");
}, 300_000);

test("create, lose the state, import as YAML: nothing is written, and nothing differs afterwards", async () => {
  const { emulator, before } = await createWithoutState(program.replace("{ a: null }", "{ a: true }"));
  const dir = join(folder(), "project");
  await runCommand(emulator, "--yaml", "--out", dir, ...everything);
  const file = join(dir, "Pulumi.yaml");
  const readme = readFileSync(join(dir, "README.md"), "utf8");
  const [plugins] = /^plugins:\n(?: +.*\n)+/m.exec(readme)!;
  const nearby = plugins.replace("node_modules/pulumi-tunnel-edge/plugin", join(root, "plugin"));
  writeFileSync(file, `${readFileSync(file, "utf8")}${nearby}`);

  emulator.clearRequests();
  const stack = await Stack.create({ dir, emulator, config: secrets });
  const { steps, summary } = await stack.up({ preview: true });
  const imported = steps.filter(({ op }) => op === "import");
  // The README says so: Pulumi shows the record of what is declared as an update of each.
  expect(readme).toContain("Pulumi displays each import twice");
  expect(summary).toMatchObject({ import: imported.length, update: imported.length });
  const names = JSON.parse(readFileSync(join(dir, "imported.json"), "utf8")) as Record<string, Record<string, string>>;
  expect(imported.map(({ type, name, new: now }) => [type.split(":").pop(), now!.id, name]).sort()).toEqual(
    Object.entries(names)
      .flatMap(([type, ids]) => Object.entries(ids).map(([id, name]) => [type, id, name]))
      .sort(),
  );
  expect(JSON.stringify(await stack.export())).not.toMatch(/hush-hush|s3cret/);
  await expectUnchanged(stack, emulator, before);
  expect(readFileSync(file, "utf8")).not.toContain("import:");
}, 300_000);

test("a login whose secret the service masks is imported, and `pulumi destroy` deletes everything without protection", async () => {
  const emulator = await emulated({ oidcSecrets: "masked" });
  const login = { issuer: "https://id.example.com", client_secret: "hush-hush" };
  emulator.seed({
    tcpEdges: [{ description: "ssh" }, { ip_restriction: { ip_policy_ids: ["ipp_office"], enabled: false } }],
    sshCredentials: [{ public_key: publicKey("ssh") }],
    httpsEdges: [{ id: "edghts_1", routes: [{ id: "edghtsrt_1", oidc: login }] }],
  });
  const before = emulator.account;
  const dir = join(folder(), "project");
  const printed = await runCommand(emulator, "--out", dir, "--route", "edghts_1/edghtsrt_1");
  expect(printed).toContain("a Pulumi project for 4 existing objects");

  emulator.clearRequests();
  const config = { oidc1ClientSecret: { secret: "hush-hush" } };
  const stack = await Stack.create({ dir, emulator, config, env: esbuild });
  expect((await stack.up()).summary).toEqual({ create: 5 });
  expect(new Set(emulator.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
  expect(emulator.account).toEqual(before);

  removeOption(dir, "import");
  removeOption(dir, "protect");
  emulator.clearRequests();
  await stack.up();
  expect(emulator.calls()).toEqual([]);
  await stack.destroy();
  // The key in use was not imported.
  expect(emulator.account).toMatchObject({
    tcpEdges: [],
    sshCredentials: [],
    apiKeys: [{}],
    httpsEdges: [{ routes: [{ oidc: null }] }],
  });
}, 300_000);

test("a project that is written into the folder of another one is imported by its program", async () => {
  const emulator = await emulated();
  emulator.seed({ tcpEdges: [{ description: "ssh" }] });
  const before = emulator.account.tcpEdges;
  const dir = folder();
  const own = 'import * as tunnel from "pulumi-tunnel-edge";\nnew tunnel.TcpEdge("own");\n';
  writeFileSync(join(dir, "Pulumi.yaml"), "name: office\nruntime: nodejs\n");
  writeFileSync(join(dir, "package.json"), '{ "private": true }');
  await runCommand(emulator, "--out", join(dir, "imported"));
  const [, line] = /^(import "\.\/imported";)$/m.exec(readFileSync(join(root, "docs/import.md"), "utf8"))!;
  writeFileSync(join(dir, "index.ts"), `${line}\n${own}`);

  emulator.clearRequests();
  const stack = await Stack.create({ dir, emulator, env: esbuild });
  const up = await stack.up();
  expect(up.steps.map(({ name }) => name).sort()).toEqual(["own", "ssh"]);
  expect(listWrites(emulator)).toEqual(["POST /edges/tcp"]);
  expect(emulator.account.tcpEdges).toEqual(expect.arrayContaining(before));
  await stack.preview({ expectNoChanges: true });
});

test("an import file adds an account to a project that uses the plugin", async () => {
  const emulator = await emulated();
  emulator.seed({
    tcpEdges: [{ description: "ssh" }, { description: "ssh" }],
    httpsEdges: [{ id: "edghts_1", routes: [{ id: "edghtsrt_1", user_agent_filter: { deny: ["(?i)bot"] } }] }],
  });
  const before = emulator.account;
  const dir = folder();
  const program = `name: office
runtime: yaml
plugins:
  providers:
    - name: tunnel-edge
      path: ${join(root, "plugin")}
`;
  writeFileSync(join(dir, "Pulumi.yaml"), program);
  const file = join(dir, "import.json");
  const printed = await runCommand(emulator, "--import-file", file, "--route", "edghts_1/edghtsrt_1");
  const [, args] = /^ {2}pulumi (import --file \S+)$/m.exec(printed)!;

  emulator.clearRequests();
  const stack = await Stack.create({ dir, emulator });
  await stack.run([...args!.split(" "), "--yes", "--skip-preview", "--generate-code=false"]);
  const { resources = [] } = await stack.export();
  const imported = resources.filter((each) => "protect" in each).map(({ id }) => id);
  expect(imported.sort()).toEqual([...before.tcpEdges.map(({ id }) => id), "edghts_1/edghtsrt_1"].sort());
  expect(listWrites(emulator)).toEqual([]);
  expect(emulator.account).toEqual(before);
}, 300_000);
