/** Accounts imported by the program that the command writes. Promise: "Existing objects can be imported". */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { importables } from "../../src/commands/importer/account";
import { emulator as emulated, folder, removeOption, runCommand } from "../commands/importer/support";
import { Stack } from "../support/cli/pulumi";
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

test("create, lose the state, import: nothing is written to the service, and nothing differs afterwards", async () => {
  const emulator = await emulated({ pageSize: 2 });
  emulator.seed({ httpsEdges: [{ id: "edghts_1", routes: [{ id: "edghtsrt_1" }] }] });
  const writes = () => emulator.calls({ ids: true }).filter((call) => !call.startsWith("GET "));
  const others = declareMissing(program, emulator, "sample", objectSamples).map(({ statement }) => statement);
  const whole = [program, ...others].join("\n");
  const first = await Stack.create({ program: whole, emulator });
  await first.up();
  await first.remove();
  const before = emulator.account;

  const dir = join(folder(), "project");
  const printed = await runCommand(
    emulator,
    "--out",
    dir,
    "--include-api-keys",
    "--https-edge",
    "edghts_1",
    "--route",
    "edghts_1/edghtsrt_1",
  );
  for (const key of Object.keys(secrets)) expect(printed).toContain(`pulumi config set --secret ${key}\n`);

  emulator.clearRequests();
  // The types of such programs are tested without the CLI.
  const stack = await Stack.create({ dir, emulator, config: secrets, env: esbuild });
  const up = await stack.up({ preview: true });
  // Those of the program, the key that the account started with, and the stack.
  expect(up.summary).toEqual({ create: whole.split("new tunnel.").length - 1 + 2 });
  expect(new Set(up.steps.map(({ type }) => type.split(":").pop()))).toEqual(
    new Set(importables.map(({ definition }) => definition.type)),
  );
  expect(writes()).toEqual([]);
  expect(emulator.account).toEqual(before);

  emulator.clearRequests();
  removeOption(dir, "import");
  expect(readFileSync(join(dir, "index.ts"), "utf8")).not.toContain("import:");
  await stack.preview({ expectNoChanges: true });
  expect(emulator.calls()).toEqual([]);
  await stack.refresh({ args: ["--expect-no-changes"] });

  const destroy = await stack.destroy({ fails: true });
  expect(destroy.stdout).toMatch(/cannot be deleted\s+because it is protected/);
  expect(writes()).toEqual([]);
  expect(emulator.account).toEqual(before);
}, 300_000);

test("create, lose the state, import as YAML: nothing is written, and nothing differs afterwards", async () => {
  const emulator = await emulated({ pageSize: 2 });
  emulator.seed({ httpsEdges: [{ id: "edghts_1", routes: [{ id: "edghtsrt_1" }] }] });
  const withoutNull = program.replace("{ a: null }", "{ a: true }");
  const others = declareMissing(withoutNull, emulator, "sample", objectSamples).map(({ statement }) => statement);
  const first = await Stack.create({ program: [withoutNull, ...others].join("\n"), emulator });
  await first.up();
  await first.remove();
  const before = emulator.account;

  const dir = join(folder(), "project");
  const parents = ["--https-edge", "edghts_1", "--route", "edghts_1/edghtsrt_1"];
  await runCommand(emulator, "--yaml", "--out", dir, "--include-api-keys", ...parents);
  const file = join(dir, "Pulumi.yaml");
  const [plugins] = /^plugins:\n(?: +.*\n)+/m.exec(readFileSync(join(dir, "README.md"), "utf8"))!;
  const nearby = plugins.replace("node_modules/pulumi-tunnel-edge/plugin", join(root, "plugin"));
  writeFileSync(file, `${readFileSync(file, "utf8")}${nearby}`);

  emulator.clearRequests();
  const stack = await Stack.create({ dir, emulator, config: secrets });
  const { steps, summary } = await stack.up({ preview: true });
  const imported = steps.filter(({ op }) => op === "import");
  // The README says so: Pulumi shows the record of what is declared as an update of each.
  expect(readFileSync(join(dir, "README.md"), "utf8")).toContain("Pulumi displays each import twice");
  expect(summary).toMatchObject({ import: imported.length, update: imported.length });
  const names = JSON.parse(readFileSync(join(dir, "imported.json"), "utf8")) as Record<string, Record<string, string>>;
  expect(imported.map(({ type, name, new: now }) => [type.split(":").pop(), now!.id, name]).sort()).toEqual(
    Object.entries(names)
      .flatMap(([type, ids]) => Object.entries(ids).map(([id, name]) => [type, id, name]))
      .sort(),
  );
  const writes = () => emulator.calls().filter((call) => !call.startsWith("GET "));
  expect(writes()).toEqual([]);
  expect(emulator.account).toEqual(before);
  expect(JSON.stringify(await stack.export())).not.toMatch(/hush-hush|s3cret/);

  emulator.clearRequests();
  await stack.preview({ expectNoChanges: true });
  removeOption(dir, "import");
  expect(readFileSync(file, "utf8")).not.toContain("import:");
  await stack.preview({ expectNoChanges: true });
  expect(emulator.calls()).toEqual([]);
  await stack.refresh({ args: ["--expect-no-changes"] });
  expect((await stack.destroy({ fails: true })).stdout).toMatch(/cannot be deleted\s+because it is protected/);
  expect(emulator.account).toEqual(before);
}, 300_000);

test("120 edges, and a login whose secret the service masks, are imported without a write and without a difference", async () => {
  const emulator = await emulated({ oidcSecrets: "masked" });
  emulator.seed({
    tcpEdges: Array.from({ length: 120 }, (_, at) => ({
      description: at % 3 === 0 ? `edge ${at}` : "one of many",
      hostports: [`1.tcp.example.com:${20_000 + at}`],
      backend: { backend_id: "bkdhr_1" },
      ...(at % 2 === 0 && { ip_restriction: { ip_policy_ids: ["ipp_office"], enabled: at % 4 === 0 } }),
    })),
    httpsEdges: [
      {
        id: "edghts_1",
        routes: [{ id: "edghtsrt_1", oidc: { issuer: "https://id.example.com", client_secret: "hush-hush" } }],
      },
    ],
  });
  const before = emulator.account;
  const dir = join(folder(), "project");
  const printed = await runCommand(emulator, "--out", dir, "--route", "edghts_1/edghtsrt_1");
  expect(printed).toContain("a Pulumi project for 121 existing objects");

  emulator.clearRequests();
  const config = { oidc1ClientSecret: { secret: "hush-hush" } };
  const stack = await Stack.create({ dir, emulator, config, env: esbuild });
  const up = await stack.up();
  expect(up.summary).toEqual({ create: 122 });
  expect(new Set(emulator.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
  expect(emulator.account).toEqual(before);

  emulator.clearRequests();
  await stack.preview({ expectNoChanges: true });
  removeOption(dir, "import");
  for (const file of readdirSync(dir).filter((name) => name.endsWith(".ts"))) {
    expect(readFileSync(join(dir, file), "utf8")).not.toContain("import:");
  }
  await stack.preview({ expectNoChanges: true });
  expect(emulator.requests).toEqual([]);
}, 600_000);

test("the protection is removed without a write, and then destroy deletes what was imported", async () => {
  const emulator = await emulated();
  emulator.seed({ tcpEdges: [{ description: "ssh" }], sshCredentials: [{ public_key: publicKey("ssh") }] });
  const dir = join(folder(), "project");
  await runCommand(emulator, "--out", dir);
  const stack = await Stack.create({ dir, emulator, env: esbuild });
  await stack.up();
  removeOption(dir, "protect");
  emulator.clearRequests();
  await stack.up();
  expect(emulator.calls()).toEqual([]);
  await stack.destroy();
  // The key in use was not imported.
  expect(emulator.account).toMatchObject({ tcpEdges: [], sshCredentials: [], apiKeys: [{}] });
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
  expect(emulator.calls().filter((call) => !call.startsWith("GET "))).toEqual(["POST /edges/tcp"]);
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
  expect(emulator.calls().filter((call) => !call.startsWith("GET "))).toEqual([]);
  expect(emulator.account).toEqual(before);
}, 300_000);
