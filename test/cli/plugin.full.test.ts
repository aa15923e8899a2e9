/** The plugin with the real CLI and YAML programs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { type createStack, extractChangedLines, startService } from "../support/cliStack";
import { Plugin } from "../support/plugin";
import type { Properties } from "../support/provider";
import { Stack } from "../support/pulumi";
import { normalize, type Sample, sampleOf, samples } from "../support/samples";
import { waitUntil } from "../support/waitUntil";

const createYamlStack = async (yaml: object, options: Partial<Parameters<typeof createStack>[2]> = {}) => {
  const emulator = await startService();
  return { emulator, stack: await Stack.create({ yaml: toYaml(yaml), emulator, ...options }) };
};

/** A plugin that creates what others have created before. */
const connectPlugin = ({ url, apiKey }: Emulator) =>
  Plugin.start({ config: { "tunnel-edge:baseUrl": url, "tunnel-edge:apiKey": apiKey } });

/** The sections of a YAML program, each of which may be JSON. */
const toYaml = (sections: object) =>
  Object.entries(sections)
    .map(([name, section]) => `${name}: ${JSON.stringify(section)}`)
    .join("\n");

const resource = (type: string, properties: object, options?: object) => ({
  type: `tunnel-edge:${type}`,
  properties,
  ...(options && { options }),
});

/** What a YAML program writes as an expression. */
const ref = (expression: string) => ["$", "{", expression, "}"].join("");

const write = (stack: Stack, yaml: object) => stack.write(toYaml(yaml));

test("up, drift, a changed line, a dropped module whose DELETE fails once, secrets, functions and destroy", async () => {
  const [args] = sampleOf("TcpEdge").programs("a");
  const program = (edge: object) => ({
    variables: { edges: { "fn::invoke": { function: "tunnel-edge:getTcpEdges", arguments: {}, return: "tcpEdges" } } },
    resources: { ssh: resource("TcpEdge", edge), ci: resource("ApiKey", { description: "ci" }) },
    outputs: { token: ref("ci.token"), id: ref("ssh.id"), edges: ref("edges") },
  });
  const { emulator, stack } = await createYamlStack(program(args));
  const writes = () => emulator.calls().filter((call) => !call.startsWith("GET "));

  expect((await stack.preview()).summary).toEqual({ create: 3 });
  expect(writes()).toEqual([]);
  await stack.up();
  expect(writes().sort()).toEqual(["POST /api_keys", "POST /edges/tcp"]);
  expect(await stack.outputs({ showSecrets: true })).toMatchObject({ token: expect.any(String), edges: [] });
  expect(JSON.stringify(await stack.export())).not.toContain((await stack.outputs({ showSecrets: true }))["token"]);
  expect((await stack.preview({ expectNoChanges: true })).summary).toEqual({ same: 3 });

  const [edge] = emulator.account.tcpEdges;
  emulator.api("PATCH", `/edges/tcp/${edge!.id}`, { description: "theirs" });
  await stack.refresh();
  const drift = await stack.preview({ diff: true });
  expect(extractChangedLines(drift)).toContain('~ description: "theirs" => "ssh"');

  const { ipRestriction: _, ...rest } = args;
  write(stack, program(rest));
  emulator.fail({ method: "DELETE", path: /ip_restriction$/, status: 403 });
  const failed = await stack.up({ fails: true });
  expect(failed.diagnostics.find(({ severity }) => severity === "error")!.urn).toContain("::ssh");
  await stack.refresh();
  emulator.clearRequests();
  await stack.up();
  expect(writes()).toEqual(["DELETE /edges/tcp/{id}/ip_restriction"]);
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
  write(stack, { resources: Object.fromEntries(declared) });
  expect((await stack.preview({ expectNoChanges: true })).summary).toEqual({ same: samples.length + 1 });
  await stack.up();
  expect(emulator.calls()).toEqual([]);
  const none = await stack.import("tunnel-edge:index:TcpEdge", "none", "edgtls_1", { fails: true });
  expect(none.stdout).toContain("There is no TCP edge edgtls_1. Check the id.");
});

test("the option import leaves alone what the program does not declare", async () => {
  const emulator = await startService();
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", {
    description: "ssh",
    ip_restriction: { ip_policy_ids: ["ipp_a"] },
  });
  const yaml = { resources: { ssh: resource("TcpEdge", { description: "ssh" }, { import: id }) } };
  const stack = await Stack.create({ yaml: toYaml(yaml), emulator });
  const before = emulator.account;
  emulator.clearRequests();
  await stack.up();
  await stack.refresh();
  await stack.up();
  write(stack, { resources: { ssh: resource("TcpEdge", { description: "ssh" }) } });
  await stack.up();
  expect(emulator.calls().filter((call) => !call.startsWith("GET "))).toEqual([]);
  expect(emulator.account).toEqual(before);
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
    return [type, resource(type, { ...parents, ...kept, ...change }, { import: id })];
  });
  const stack = await Stack.create({ yaml: toYaml({ resources: Object.fromEntries(resources) }), emulator });
  const objects = () =>
    imports.map(({ sample, parents }) => normalize(sample.findObjects(emulator.account, "theirs", parents)[0]!.object));
  const before = objects();
  const hanging = ["PATCH", "PUT"].map((method) =>
    emulator.fail({ method, hang: "headers", processed: false, times: Number.POSITIVE_INFINITY }),
  );
  const running = stack.startOperation(["up", "--yes", "--skip-preview"]);
  await waitUntil(() => hanging.reduce((hits, fault) => hits + fault.hits, 0) === samples.length);
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
  const { emulator, stack } = await createYamlStack({ resources: { ci: resource("ApiKey", { description: "ci" }) } });
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

test("a wrong setting, a misspelt property, and two providers with two accounts", async () => {
  const [emulator, other] = await Promise.all([startService(), startService()]);
  const program = (properties: object, provider: object) => ({
    resources: {
      account: { type: "pulumi:providers:tunnel-edge", properties: provider },
      here: resource("ApiKey", properties),
      there: resource("ApiKey", { description: "there" }, { provider: ref("account") }),
    },
  });
  const settings = { apiKey: other.apiKey, baseUrl: other.url };
  const stack = await Stack.create({ yaml: toYaml(program({}, { ...settings, maxRetries: 99 })), emulator });
  expect((await stack.preview({ fails: true })).stdout).toContain("maxRetries must be a whole number from 0 to 20");
  write(stack, program({ descripton: "x" }, settings));
  expect((await stack.preview({ fails: true })).stdout).toContain("descripton");
  write(stack, program({ description: "here" }, settings));
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
