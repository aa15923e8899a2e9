/** The plugin with the real CLI and YAML programs. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { parse } from "yaml";
import { codeIn, read } from "../docs/pages";
import { declare, extractChangedLines, startService, wrapProgram } from "../support/cli/cliStack";
import { Stack } from "../support/cli/pulumi";
import { createYamlStack, listWrites, writeYaml, yamlExpression, yamlResource } from "../support/cli/yamlStack";
import { normalize, type Sample, sampleOf, samples } from "../support/data/samples";
import { Plugin } from "../support/engine/plugin";
import type { Properties } from "../support/engine/provider";
import { root } from "../support/root";
import { waitUntil } from "../support/waitUntil";

/** A plugin that creates what others have created before. */
const connectPlugin = ({ url, apiKey }: Emulator) =>
  Plugin.start({ config: { "tunnel-edge:baseUrl": url, "tunnel-edge:apiKey": apiKey } });

test("up, drift, a changed line, a dropped module whose DELETE fails once, secrets, functions and destroy", async () => {
  const [args] = sampleOf("TcpEdge").programs("a");
  const program = (edge: object) => ({
    variables: { edges: { "fn::invoke": { function: "tunnel-edge:getTcpEdges", arguments: {}, return: "tcpEdges" } } },
    resources: { ssh: yamlResource("TcpEdge", edge), ci: yamlResource("ApiKey", { description: "ci" }) },
    outputs: { token: yamlExpression("ci.token"), id: yamlExpression("ssh.id"), edges: yamlExpression("edges") },
  });
  const { emulator, stack } = await createYamlStack(program(args));

  expect((await stack.preview()).summary).toEqual({ create: 3 });
  expect(listWrites(emulator)).toEqual([]);
  await stack.up();
  expect(listWrites(emulator).sort()).toEqual(["POST /api_keys", "POST /edges/tcp"]);
  expect(await stack.outputs({ showSecrets: true })).toMatchObject({ token: expect.any(String), edges: [] });
  expect(JSON.stringify(await stack.export())).not.toContain((await stack.outputs({ showSecrets: true }))["token"]);
  expect((await stack.preview({ expectNoChanges: true })).summary).toEqual({ same: 3 });

  const [edge] = emulator.account.tcpEdges;
  emulator.api("PATCH", `/edges/tcp/${edge!.id}`, { description: "theirs" });
  await stack.refresh();
  const drift = await stack.preview({ diff: true });
  expect(extractChangedLines(drift)).toContain('~ description: "theirs" => "ssh"');

  const { ipRestriction: _, ...rest } = args;
  writeYaml(stack, program(rest));
  emulator.fail({ method: "DELETE", path: /ip_restriction$/, status: 403 });
  const failed = await stack.up({ fails: true });
  expect(failed.diagnostics.find(({ severity }) => severity === "error")!.urn).toContain("::ssh");
  await stack.refresh();
  emulator.clearRequests();
  await stack.up();
  expect(listWrites(emulator)).toEqual(["DELETE /edges/tcp/{id}/ip_restriction"]);
  expect((await stack.preview({ expectNoChanges: true })).summary).toEqual({ same: 3 });

  await stack.destroy();
  expect(emulator.account.tcpEdges).toEqual([]);
});

test("`pulumi import` of every resource, with an empty next preview", async () => {
  const { emulator, stack } = await createYamlStack({ resources: {} });
  const plugin = await connectPlugin(emulator);
  const resources: { type: string; name: string; id: string }[] = [];
  for (const { type, programs, parents } of samples) {
    const [args] = programs("theirs");
    const made = plugin.resource(type);
    await made.up({ ...parents?.(emulator), ...args });
    resources.push({ type: `tunnel-edge:index:${type}`, name: type.toLowerCase(), id: made.state!.id });
  }
  writeFileSync(join(stack.dir, "import.json"), JSON.stringify({ resources }));
  await stack.run(["import", "--file", "import.json", "--yes", "--skip-preview", "--generate-code=false"]);
  const { resources: saved = [] } = await stack.export({ showSecrets: true });
  const declared = resources.map(({ type, name }) => {
    const { inputs } = saved.find(({ urn }) => urn.endsWith(`::${name}`))!;
    const { __imported, ...properties } = reveal(inputs) as Record<string, unknown>;
    expect(__imported).toBe(true);
    return [name, { type, properties, options: { protect: true } }];
  });
  emulator.clearRequests();
  writeYaml(stack, { resources: Object.fromEntries(declared) });
  expect((await stack.preview({ expectNoChanges: true })).summary).toEqual({ same: samples.length + 1 });
  await stack.up();
  expect(emulator.calls()).toEqual([]);
  const none = await stack.import("tunnel-edge:index:TcpEdge", "none", "edgtls_1", { fails: true });
  expect(none.stdout).toContain("There is no TCP edge edgtls_1: that is the id of a TLS edge. Check the id.");
});

test("the option import leaves alone what the program does not declare", async () => {
  const emulator = await startService();
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", {
    description: "ssh",
    ip_restriction: { ip_policy_ids: ["ipp_a"] },
  });
  const yaml = { resources: { ssh: yamlResource("TcpEdge", { description: "ssh" }, { import: id }) } };
  const { stack } = await createYamlStack(yaml, { emulator });
  const before = emulator.account;
  emulator.clearRequests();
  await stack.up();
  await stack.refresh();
  await stack.up();
  writeYaml(stack, { resources: { ssh: yamlResource("TcpEdge", { description: "ssh" }) } });
  await stack.up();
  expect(listWrites(emulator)).toEqual([]);
  expect(emulator.account).toEqual(before);
});

test("the engine passes customTimeouts.read on for the option import and for a refresh", async () => {
  const emulator = await startService();
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", {});
  const source = (read: string) => declare("TcpEdge", "ssh", {}, { import: id, customTimeouts: { read } });
  const program = wrapProgram(source("1s"), "plugin");
  const stack = await Stack.create({ program, emulator, env: { TUNNEL_EDGE_TIMEOUT_SECONDS: "3600" } });
  const hang = () => emulator.fail({ method: "GET", hang: "headers", processed: false });
  hang();
  expect((await stack.preview({ fails: true })).stdout).toContain("Timed out after 1s (customTimeouts.read).");
  await stack.up();
  stack.write(wrapProgram(source("2s"), "plugin"));
  hang();
  // A refresh has the state's value.
  expect((await stack.refresh({ fails: true })).stdout).toContain("Timed out after 1s (customTimeouts.read).");
});

test("a CLI is killed between an import and its update: what the program does not declare is left alone", async () => {
  const emulator = await startService();
  const plugin = await connectPlugin(emulator);
  const imports: { sample: Sample; parents: Properties; args: Properties; change: Properties; id: string }[] = [];
  for (const sample of samples) {
    const [parents, [args]] = [sample.parents?.(emulator) ?? {}, sample.programs("theirs")];
    const made = plugin.resource(sample.type);
    await made.up({ ...parents, ...args });
    const change = sample.parents ? { enabled: false } : { metadata: "ours" };
    imports.push({ sample, parents, args, change, id: made.state!.id });
  }
  const resources = imports.map(({ sample: { type }, parents, args, change, id }) => {
    // A module is declared whole.
    const kept = "edgeId" in parents ? args : { publicKey: args.publicKey };
    return [type, yamlResource(type, { ...parents, ...kept, ...change }, { import: id })];
  });
  const { stack } = await createYamlStack({ resources: Object.fromEntries(resources) }, { emulator });
  const objects = () =>
    imports.map(({ sample, parents }) => normalize(sample.findObjects(emulator.account, "theirs", parents)[0]!.object));
  const before = objects();
  const hanging = ["PATCH", "PUT"].map((method) =>
    emulator.fail({ method, hang: "headers", processed: false, times: Number.POSITIVE_INFINITY }),
  );
  // All of them at once: what has no slot is not imported yet.
  const running = stack.startOperation(["up", "--yes", "--skip-preview", "--parallel=100"]);
  await waitUntil(() => hanging.reduce((hits, fault) => hits + fault.hits, 0) >= samples.length);
  process.kill(running.pid, "SIGKILL");
  await running.result;
  for (const fault of hanging) fault.cancel();
  expect(objects()).toEqual(before);
  const { resources: saved = [] } = await stack.export();
  expect(saved.filter(({ inputs }) => inputs?.["__imported"])).toHaveLength(samples.length);

  await stack.run(["cancel", "--yes"]);
  await stack.up();
  expect(objects()).toEqual(imports.map(({ args, change }) => normalize({ ...args, ...change })));
  await stack.refresh();
  emulator.clearRequests();
  expect((await stack.up()).summary).toEqual({ same: samples.length + 1 });
  expect(emulator.calls()).toEqual([]);
});

test("Ctrl-C during a slow POST of a key: the key and its token are in the state", async () => {
  const { emulator, stack } = await createYamlStack({
    resources: { ci: yamlResource("ApiKey", { description: "ci" }) },
  });
  emulator.fail({ method: "POST", delayMs: 3_000 });
  const running = stack.startOperation(["up", "--yes", "--skip-preview"]);
  await waitUntil(() => emulator.requests.length > 0);
  running.kill("SIGINT");
  await running.result;
  const { resources = [] } = await stack.export({ showSecrets: true });
  const key = resources.find(({ urn }) => urn.endsWith("::ci"))!;
  const made = emulator.account.apiKeys.filter(({ description }) => description === "ci");
  expect(made).toMatchObject([{ id: key.id }]);
  expect(JSON.stringify(key.outputs["token"])).toContain("plaintext");
});

test("Ctrl-C while a call is retried: retries stop, and nothing is changed", async () => {
  const program = (description: string) => ({ resources: { ssh: yamlResource("TcpEdge", { description }) } });
  const maxRetries = 20; // which take more than a minute
  const env = { TUNNEL_EDGE_MAX_RETRIES: String(maxRetries) };
  const { emulator, stack } = await createYamlStack(program("a"), { env });
  await stack.up();
  writeYaml(stack, program("b"));
  const busy = emulator.fail({ method: "PATCH", status: 503, times: Number.POSITIVE_INFINITY });
  const running = stack.startOperation(["up", "--yes", "--skip-preview"]);
  await waitUntil(() => busy.hits > 1);
  running.kill("SIGINT");
  const { code, stdout } = await running.result;
  expect(code).not.toBe(0);
  // The message depends on when Ctrl-C arrives.
  expect(stdout).toMatch(/TCP edge \S+ could not be updated: PATCH \S+ (returned 503|was cancelled)/);
  expect(busy.hits).toBeLessThan(maxRetries);
  busy.cancel();
  expect(emulator.account.tcpEdges).toMatchObject([{ description: "a" }]);
  await stack.up();
  expect(emulator.account.tcpEdges).toMatchObject([{ description: "b" }]);
});

test("a plugin that was started by hand serves one deployment after another, and each provider's account", async () => {
  const [emulator, other] = await Promise.all([startService(), startService()]);
  const program = (description: string) => ({
    variables: { edges: { "fn::invoke": { function: "tunnel-edge:getTcpEdges", arguments: {} } } },
    resources: {
      account: {
        type: "pulumi:providers:tunnel-edge",
        properties: { apiKey: other.apiKey, baseUrl: other.url },
      },
      here: yamlResource("TcpEdge", { description }),
      there: yamlResource("ApiKey", { description }, { provider: yamlExpression("account") }),
    },
    outputs: { edges: yamlExpression("edges.tcpEdges") },
  });
  const { stack } = await createYamlStack(program("a"), { emulator });
  const plugin = spawn(join(root, "plugin/pulumi-resource-tunnel-edge"), { env: stack.env as NodeJS.ProcessEnv });
  try {
    const port = await new Promise((done) => plugin.stdout.once("data", (text) => done(String(text).trim())));
    const env = { PULUMI_DEBUG_PROVIDERS: `tunnel-edge:${port}` };
    await stack.up({ env, preview: true });
    expect([listWrites(emulator), listWrites(other)]).toEqual([["POST /edges/tcp"], ["POST /api_keys"]]);
    // A function of the next deployment reads, too.
    writeYaml(stack, program("b"));
    const { stdout } = await stack.up({ env, args: ["--refresh"] });
    expect(stdout).toContain('description: "a"');
    expect(listWrites(emulator)).toEqual(["POST /edges/tcp", "PATCH /edges/tcp/{id}"]);
    expect(listWrites(other)).toEqual(["POST /api_keys", "PATCH /api_keys/{id}"]);
    expect(plugin.exitCode).toBeNull();
    plugin.kill("SIGINT");
    await new Promise((done) => plugin.once("exit", done));
  } finally {
    plugin.kill();
  }
});

test("a wrong setting, a misspelt property, and two providers with two accounts", async () => {
  const [emulator, other] = await Promise.all([startService(), startService()]);
  const program = (properties: object, provider: object) => ({
    resources: {
      account: { type: "pulumi:providers:tunnel-edge", properties: provider },
      here: yamlResource("ApiKey", properties),
      there: yamlResource("ApiKey", { description: "there" }, { provider: yamlExpression("account") }),
    },
  });
  const settings = { apiKey: other.apiKey, baseUrl: other.url };
  const { stack } = await createYamlStack(program({}, { ...settings, maxRetries: 99 }), { emulator });
  expect((await stack.preview({ fails: true })).stdout).toContain("maxRetries must be a whole number from 0 to 20");
  writeYaml(stack, program({ descripton: "x" }, settings));
  expect((await stack.preview({ fails: true })).stdout).toContain("descripton");
  writeYaml(stack, program({ description: "here" }, settings));
  await stack.up();
  expect(emulator.account.apiKeys.map(({ description }) => description)).toContain("here");
  expect(other.account.apiKeys.map(({ description }) => description)).toContain("there");
  expect(JSON.stringify(await stack.export())).not.toContain(other.apiKey);
});

/** The values in a state, without the marks of secrets. */
function reveal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reveal);
  if (typeof value !== "object" || value === null) return value;
  if ("plaintext" in value) return JSON.parse(String(value.plaintext));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, reveal(inner)]));
}

test("the YAML program of docs/languages.md deploys", async () => {
  const { name, runtime, ...program } = parse(codeIn("docs/languages.md", "yaml"));
  expect([name, runtime]).toEqual(["edges", "yaml"]);
  const { emulator, stack } = await createYamlStack(program);
  await stack.up();
  expect(await stack.outputs()).toEqual({ hostports: ["1.tcp.example.com:20022"] });
  expect(emulator.account.tcpEdges).toMatchObject([{ backend: { backend: { id: "bkdtg_2QSB…" } } }]);
});

test("the YAML program of two accounts in docs has an edge of each provider, with the key in the configuration", async () => {
  const { name, runtime, ...program } = parse(
    /```yaml\n(name: [\s\S]*?)```/.exec(read("docs/installation-configuration.md"))![1]!,
  );
  expect([name, runtime]).toEqual(["edges", "yaml"]);
  const emulator = await startService();
  const { stack } = await createYamlStack(program, { emulator });
  for (const key of ["stagingKey", "productionKey"])
    await stack.run(["config", "set", "--secret", key, emulator.apiKey]);
  const { summary } = await stack.up();
  expect(summary).toEqual({ create: 5 });
  expect(emulator.account.tcpEdges).toMatchObject([{ description: "SSH" }, { description: "SSH" }]);
  expect(JSON.stringify(await stack.export())).not.toContain(emulator.apiKey);
});

test("YAML uses a value of the stack's configuration, and pulumi import prints a declaration", async () => {
  const { emulator, stack } = await createYamlStack(
    {
      config: { officePolicy: { type: "string" } },
      resources: {
        ssh: yamlResource("TcpEdge", { ipRestriction: { ipPolicyIds: [yamlExpression("officePolicy")] } }),
      },
    },
    { config: { officePolicy: "ipp_office" } },
  );
  await stack.up();
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_office" }] } }]);
  emulator.seed({ tcpEdges: [{ id: "edgtcp_db", description: "db" }] });
  const args = ["import", "tunnel-edge:index:TcpEdge", "db", "edgtcp_db", "--yes", "--skip-preview"];
  const { stdout } = await stack.run(args);
  const [printed] = /^resources:[\s\S]*/m.exec(stdout)!;
  expect(parse(printed)).toEqual({
    resources: { db: { ...yamlResource("TcpEdge", { description: "db" }), options: { protect: true } } },
  });
});
