/** The plugin with the real CLI and YAML programs. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { parse } from "yaml";
import { codeIn, read } from "../docs/pages";
import { declare, startService, wrapProgram } from "../support/cli/cliStack";
import { Stack } from "../support/cli/pulumi";
import { createYamlStack, listWrites, writeYaml, yamlExpression, yamlResource } from "../support/cli/yamlStack";
import { sampleOf, samples } from "../support/data/samples";
import { configOf } from "../support/emulators";
import { Processes } from "../support/engine/processes";
import { root } from "../support/root";
import { waitUntil } from "../support/waitUntil";

/** A plugin that creates what others have created before. */
const connectPlugin = (emulator: Emulator) => new Processes().start("plugin", configOf(emulator));

test("a YAML program with a function and a secret, and a module whose removal fails before the next `pulumi up`", async () => {
  const [args] = sampleOf("TcpEdge").programs("a");
  const program = (edge: object) => ({
    variables: { edges: { "fn::invoke": { function: "tunnel-edge:getTcpEdges", arguments: {}, return: "tcpEdges" } } },
    resources: { ssh: yamlResource("TcpEdge", edge), ci: yamlResource("ApiKey", { description: "ci" }) },
    outputs: { token: yamlExpression("ci.token"), edges: yamlExpression("edges") },
  });
  const { emulator, stack } = await createYamlStack(program(args));
  await stack.up();
  const { token, edges } = await stack.outputs({ showSecrets: true });
  expect({ token, edges }).toEqual({ token: expect.any(String), edges: [] });
  expect(JSON.stringify(await stack.export())).not.toContain(token);

  // The engine does not keep the inputs of an update that has failed.
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
});

test("`pulumi import` of every resource, with an empty next preview", async () => {
  const { emulator, stack } = await createYamlStack({ resources: {} });
  const plugin = connectPlugin(emulator);
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

test("a CLI is killed between an import and its update: undeclared arguments stay", async () => {
  const emulator = await startService();
  const { tcpEdges, apiKeys } = emulator.seed({
    tcpEdges: [{ description: "theirs", hostports: ["a.example.com:1"], ip_restriction: { ip_policy_ids: ["ipp_a"] } }],
    apiKeys: [{ description: "theirs" }],
  });
  const before = emulator.account;
  const imported = (type: string, { id }: { id: string }) => yamlResource(type, { metadata: "ours" }, { import: id });
  const resources = { ssh: imported("TcpEdge", tcpEdges[0]!), key: imported("ApiKey", apiKeys[0]!) };
  const { stack } = await createYamlStack({ resources }, { emulator });
  const hanging = emulator.fail({
    method: "PATCH",
    hang: "headers",
    processed: false,
    times: Number.POSITIVE_INFINITY,
  });
  const running = stack.startOperation(["up", "--yes", "--skip-preview"]);
  await waitUntil(() => hanging.hits === 2);
  process.kill(running.pid, "SIGKILL");
  await running.result;
  hanging.cancel();
  expect(emulator.account).toEqual(before);
  const { resources: saved = [] } = await stack.export();
  expect(saved.filter(({ inputs }) => inputs?.["__imported"])).toHaveLength(2);

  await stack.run(["cancel", "--yes"]);
  await stack.up();
  const ours = ({ id }: { id: string }) => ([...tcpEdges, ...apiKeys].some((each) => each.id === id) ? "ours" : "");
  expect(emulator.account).toEqual({
    ...before,
    tcpEdges: before.tcpEdges.map((edge) => ({ ...edge, metadata: ours(edge) })),
    apiKeys: before.apiKeys.map((key) => ({ ...key, metadata: ours(key) })),
  });
  await stack.refresh();
  emulator.clearRequests();
  expect((await stack.up()).summary).toEqual({ same: 3 });
  expect(emulator.calls()).toEqual([]);
});

test("Ctrl-C ends retries, and waits for sent requests, which the state has", async () => {
  const program = (description: string, others: object = {}) => ({
    resources: { ssh: yamlResource("TcpEdge", { description }), ...others },
  });
  const maxRetries = 20; // which take more than a minute
  const env = { TUNNEL_EDGE_MAX_RETRIES: String(maxRetries) };
  const { emulator, stack } = await createYamlStack(program("a"), { env });
  await stack.up();
  writeYaml(stack, program("b", { ci: yamlResource("ApiKey", { description: "ci" }) }));
  const busy = emulator.fail({ method: "PATCH", status: 503, times: Number.POSITIVE_INFINITY });
  const slow = emulator.fail({ method: "POST", delayMs: 8_000 });
  const running = stack.startOperation(["up", "--yes", "--skip-preview"]);
  await waitUntil(() => busy.hits > 1 && slow.hits > 0);
  expect(emulator.requests.find(({ path }) => path === "/api_keys")!.status).toBe("pending");
  running.kill("SIGINT");
  const { code, stdout } = await running.result;
  expect(code).not.toBe(0);
  // The message depends on when Ctrl-C arrives.
  expect(stdout).toMatch(/TCP edge \S+ could not be updated: PATCH \S+ (returned 503|was cancelled)/);
  expect(busy.hits).toBeLessThan(maxRetries);
  busy.cancel();
  expect(emulator.account.tcpEdges).toMatchObject([{ description: "a" }]);
  const { resources = [] } = await stack.export({ showSecrets: true });
  const key = resources.find(({ urn }) => urn.endsWith("::ci"))!;
  expect(emulator.account.apiKeys.filter(({ description }) => description === "ci")).toMatchObject([{ id: key.id }]);
  expect(JSON.stringify(key.outputs["token"])).toContain("plaintext");
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
    expect(JSON.stringify(await stack.export())).not.toContain(other.apiKey);
    expect(plugin.exitCode).toBeNull();
    plugin.kill("SIGINT");
    await new Promise((done) => plugin.once("exit", done));
  } finally {
    plugin.kill();
  }
});

test("pulumi schema check accepts the package schema", async () => {
  const { stack } = await createYamlStack({ resources: {} });
  const { stdout, stderr } = await stack.run(["schema", "check", join(root, "plugin/schema.json")]);
  expect(stdout + stderr).toBe("");
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
