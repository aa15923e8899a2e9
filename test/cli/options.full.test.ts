/** Pulumi's resource options with the real CLI: each works as in Pulumi's documentation. */
import { createStack, declare, extractErrors, startService, urnOf } from "../support/cli/cliStack";
import type { Result } from "../support/cli/pulumi";
import { listWrites } from "../support/cli/yamlStack";

/** What was done to each resource. A replacement is several steps, in order. */
function listOperations({ steps }: Result): Record<string, string> {
  const done: Record<string, string> = {};
  for (const { name, op } of steps) done[name] = name in done ? `${done[name]}, ${op}` : op;
  return done;
}

const countCalls = (calls: string[]) =>
  Object.fromEntries([...new Set(calls)].map((call) => [call, calls.filter((each) => each === call).length]));

const component = (opts = "{}") => `const entry = new pulumi.ComponentResource("test:Entry", "entry", {}, ${opts});`;
const inEntry = (type: string, name: string) =>
  urnOf(type, name).replace("::pulumi-nodejs", "::test:Entry$pulumi-nodejs");
const program = (...statements: string[]) => statements.join("\n");

test("aliases and state rename: another name, another parent, the same object", async () => {
  const emulator = await startService();
  const office = (edge: string, opts: object) =>
    declare("TcpEdgeIpRestriction", "office", { edgeId: `=${edge}.id`, ipPolicyIds: ["ipp_a"] }, opts);
  const { stack, calls } = await createStack(
    emulator,
    program(declare("TcpEdge", "ssh", { description: "ssh" }), office("ssh", {})),
  );
  await stack.up();
  calls();

  const root = { parent: "=pulumi.rootStackResource" };
  const moveEdge = (edge: string, aliases: object[]) =>
    program(
      component(),
      declare("TcpEdge", edge, { description: "ssh" }, { parent: "=entry", aliases }),
      office(edge, { parent: `=${edge}`, aliases: [root] }),
    );
  stack.write(moveEdge("shell", [{ name: "ssh", ...root }]));
  expect(listOperations(await stack.up())).toEqual({ entry: "create", shell: "same", office: "same" });

  await stack.run(["state", "rename", inEntry("TcpEdge", "shell"), "terminal", "--yes"]);
  stack.write(moveEdge("terminal", []));
  await stack.preview({ expectNoChanges: true });
  expect(calls()).toEqual([]);
  // The parents, which a refresh does not know, are no change.
  expect((await stack.refresh()).summary).toEqual({ same: 4 });
});

test("protect, retainOnDelete and deletedWith: protected and retained objects are not deleted", async () => {
  const emulator = await startService();
  const ssh = declare("TcpEdge", "ssh", {}, { parent: "=entry" });
  const { stack, calls } = await createStack(emulator, program(component("{ protect: true }"), ssh));
  await stack.up();
  calls();
  const failed = await stack.destroy({ fails: true });
  expect(extractErrors(failed).join()).toContain(inEntry("TcpEdge", "ssh"));
  expect(failed.stdout).toMatch(/protected/);

  stack.write(
    program(
      component(),
      ssh,
      declare("TcpEdgeIpRestriction", "office", { edgeId: "=ssh.id", ipPolicyIds: ["ipp_a"] }, { deletedWith: "=ssh" }),
      declare("ApiKey", "kept", { description: "kept" }, { retainOnDelete: true }),
    ),
  );
  expect(calls()).toEqual([]);
  expect(listOperations(await stack.up())).toMatchObject({ ssh: "same", office: "create", kept: "create" });
  calls();
  await stack.destroy();
  expect(calls()).toEqual(["DELETE /edges/tcp/{id}"]);
  expect(emulator.account.apiKeys).toContainEqual(expect.objectContaining({ description: "kept" }));
});

test("ignoreChanges, additionalSecretOutputs, and drift with refresh --preview-only and up --refresh", async () => {
  const emulator = await startService();
  const source = (description: string, policy: string) =>
    declare(
      "TcpEdge",
      "ssh",
      { description, metadata: `by ${policy}`, ipRestriction: { enabled: true, ipPolicyIds: [policy] } },
      { ignoreChanges: ["ipRestriction.ipPolicyIds", "metadata"], additionalSecretOutputs: ["description"] },
    );
  const { stack, calls } = await createStack(emulator, source("one", "ipp_a"));
  await stack.up();
  const state = await stack.export();
  const found = state.resources?.find(({ urn }) => urn === urnOf("TcpEdge", "ssh"));
  expect(found?.outputs).toMatchObject({ description: { ciphertext: expect.any(String) }, metadata: "by ipp_a" });
  calls();

  stack.write(source("two", "ipp_b"));
  expect((await stack.up()).steps).toMatchObject([{ op: "update", changed: ["description"] }]);
  expect(emulator.requests).toMatchObject([{ method: "PATCH", body: { description: "two" } }]);
  const [edge] = emulator.account.tcpEdges;
  expect(edge).toMatchObject({
    description: "two",
    metadata: "by ipp_a",
    ip_restriction: { ip_policies: [{ id: "ipp_a" }] },
  });

  // One change from outside is repaired, the other is ignored.
  emulator.api("PATCH", `/edges/tcp/${edge?.id}`, {
    description: "theirs",
    ip_restriction: { ip_policy_ids: ["ipp_c"] },
  });
  calls();
  const before = await stack.export();
  const shown = await stack.run(["refresh", "--preview-only"]);
  expect(shown.stdout).toMatch(/~ .*TcpEdge ssh update .*diff: ~description,ipRestriction/);
  expect(await stack.export()).toEqual(before);
  expect(calls()).toEqual(["GET /edges/tcp/{id}"]);
  await stack.up({ args: ["--refresh"] });
  expect(calls()).toEqual(["GET /edges/tcp/{id}", "PATCH /edges/tcp/{id}"]);
  expect(emulator.account.tcpEdges).toMatchObject([
    { description: "two", ip_restriction: { ip_policies: [{ id: "ipp_c" }] } },
  ]);
  await stack.preview({ expectNoChanges: true });
});

test("replacements: replaceOnChanges, deleteBeforeReplace, replacementTrigger, replaceWith, --replace and state taint", async () => {
  const emulator = await startService();
  const restrictTo = (policy: string, enabled = true) => ({ ipRestriction: { enabled, ipPolicyIds: [policy] } });
  const source = ({ policy = "ipp_a", enabled = true, text = "one" } = {}) =>
    program(
      declare("TcpEdge", "nested", restrictTo(policy, enabled), { replaceOnChanges: ["ipRestriction.ipPolicyIds"] }),
      declare("TcpEdge", "any", { description: text, hostports: ["1.tcp.example.com:1"] }, { replaceOnChanges: ["*"] }),
      declare("TcpEdge", "after", {}, { deleteBeforeReplace: false, replacementTrigger: text }),
      declare("ApiKey", "first", { keepers: { text } }, { deleteBeforeReplace: true }),
      declare("ApiKey", "along", {}, { replaceWith: ["=after"] }),
      declare("TcpEdge", "bare", { hostports: ["1.tcp.example.com:2"] }),
      declare(
        "TcpEdgeIpRestriction",
        "apart",
        { edgeId: "=bare.id", ipPolicyIds: [policy] },
        { replaceOnChanges: ["*"] },
      ),
    );
  const { stack, calls } = await createStack(emulator, source());
  await stack.up({ args: ["--parallel=1"] });
  calls();

  stack.write(source({ enabled: false }));
  expect(listOperations(await stack.preview())).toMatchObject({ nested: "update", any: "same", apart: "same" });
  stack.write(source({ enabled: false, policy: "ipp_b", text: "two" }));
  const replaced = await stack.up({ args: ["--parallel=1"] });
  const deletedFirst = "delete-replaced, replace, create-replacement";
  const createdFirst = "create-replacement, replace, delete-replaced";
  expect(listOperations(replaced)).toEqual({
    nested: deletedFirst,
    any: deletedFirst,
    after: createdFirst,
    first: deletedFirst,
    along: createdFirst,
    bare: "same",
    apart: createdFirst,
  });
  expect(countCalls(calls())).toEqual({
    "POST /edges/tcp": 3,
    "DELETE /edges/tcp/{id}": 3,
    "POST /api_keys": 2,
    "DELETE /api_keys/{id}": 2,
    // The module's new PUT has replaced the old module: there is nothing to delete.
    "PUT /edges/tcp/{id}/ip_restriction": 1,
  });

  // By force: in the user's own order, and an edge together with its module.
  const forced = await stack.up({
    args: ["--replace", urnOf("TcpEdge", "after"), "--replace", urnOf("ApiKey", "first")],
  });
  expect(listOperations(forced)).toMatchObject({
    after: createdFirst,
    along: createdFirst,
    first: deletedFirst,
    any: "same",
  });
  calls();
  await stack.run(["state", "taint", urnOf("TcpEdge", "bare"), "--yes"]);
  await stack.up();
  // The restriction goes with its edge.
  expect(calls()).toEqual(["DELETE /edges/tcp/{id}", "POST /edges/tcp", "PUT /edges/tcp/{id}/ip_restriction"]);

  expect((await stack.refresh()).summary).toEqual({ same: 8 });
});

test("customTimeouts: a read and a delete have those of the state, and only their change is an update", async () => {
  const emulator = await startService();
  const source = (customTimeouts: object) => declare("TcpEdge", "ssh", {}, { customTimeouts });
  // The setting is the timeout of a request, and longer than this test.
  const { stack, calls } = await createStack(emulator, source({ read: "1s", delete: "2s" }), {
    env: { TUNNEL_EDGE_TIMEOUT_SECONDS: "3600" },
  });
  const hangRequests = (method: string) => emulator.fail({ method, hang: "headers", processed: false });
  await stack.up();

  hangRequests("GET");
  expect(extractErrors(await stack.refresh({ fails: true }))).toEqual([
    expect.stringContaining("Timed out after 1s (customTimeouts.read)."),
  ]);
  stack.write(source({ create: "5m", update: "5m", read: "1s", delete: "2s" }));
  await stack.preview({ expectNoChanges: true });
  calls();
  stack.write(source({ read: "1s", delete: "500ms" }));
  expect(listOperations(await stack.up())).toEqual({ ssh: "update" });
  expect(calls()).toEqual([]);
  hangRequests("DELETE");
  expect(extractErrors(await stack.destroy({ fails: true }))).toEqual([
    expect.stringContaining("Timed out after 500ms (customTimeouts.delete)."),
  ]);
});

describe.each(["dynamic", "plugin"] as const)("%s", (provider) => {
  const ipRestriction = { ipPolicyIds: ["ipp_a"] };
  const ssh = (args: object, opts: object = {}) => declare("TcpEdge", "ssh", args, opts);

  test("ignoreChanges of everything: nothing is replaced, and ignored arguments are not managed afterwards", async () => {
    const emulator = await startService();
    const { stack } = await createStack(emulator, ssh({ description: "a", ipRestriction }), { provider });
    await stack.up();
    emulator.clearRequests();
    stack.write(ssh({ description: "b" }, { ignoreChanges: ["*"], replaceOnChanges: ["*"] }));
    await stack.up();
    await stack.refresh();
    expect(listWrites(emulator)).toEqual([]);
    stack.write(ssh({ description: "b" }));
    await stack.up();
    expect(listWrites(emulator)).toEqual(["PATCH /edges/tcp/{id}"]);
    expect(emulator.account.tcpEdges).toMatchObject([{ description: "b", ip_restriction: { enabled: true } }]);
  });

  test("import: arguments that only its own run declares are removed, and undeclared ones stay", async () => {
    const emulator = await startService();
    emulator.seed({
      tcpEdges: [
        { id: "edgtcp_x", description: "a", metadata: "theirs", ip_restriction: { ip_policy_ids: ["ipp_a"] } },
      ],
    });
    const imported = ssh({ description: "a" }, { import: "edgtcp_x", ignoreChanges: ["ipRestriction"] });
    const { stack } = await createStack(emulator, imported, { provider });
    await stack.up();
    expect(listWrites(emulator)).toEqual([]);
    stack.write(ssh({}));
    await stack.up();
    expect(listWrites(emulator)).toEqual(["PATCH /edges/tcp/{id}"]);
    expect(emulator.account.tcpEdges).toMatchObject([
      { description: "", metadata: "theirs", ip_restriction: { enabled: true } },
    ]);
  });
});

const transforming: Record<string, (transform: string) => string> = {
  // A program that this repository's language host runs cannot register a transform for the stack.
  transforms: (transform) =>
    `const site = new pulumi.ComponentResource("test:Site", "site", {}, { transforms: [${transform}] });`,
  transformations: (transform) =>
    `pulumi.runtime.registerStackTransformation(${transform});
     const site = new pulumi.ComponentResource("test:Site", "site");`,
};

test.each(Object.keys(transforming))("the provider obeys options that %s set", async (kind) => {
  const emulator = await startService();
  emulator.seed({ tcpEdges: [{ id: "edgtcp_a", description: "ssh", metadata: "theirs" }] });
  const source = (opts: string, args: object = {}) =>
    program(
      transforming[kind]!(`({ type, props, opts }) => type.endsWith(":TcpEdge") ?
        { props, opts: { ...opts, ${opts} } } : type.endsWith(":ApiKey") ? { props, opts: { parent: opts.parent } } : undefined`),
      declare("TcpEdge", "edge", { description: "ssh", ...args }, { parent: "=site" }),
      declare("ApiKey", "key", {}, { parent: "=site" }),
    );
  const { stack, calls } = await createStack(emulator, source('import: "edgtcp_a"'));
  const writes = () => calls().filter((call) => !call.startsWith("GET"));
  await stack.up();
  expect(writes()).toEqual(["POST /api_keys"]);
  // A transform may leave out the options that it was given: the token stays secret.
  const key = (await stack.export()).resources!.find(({ type }) => type.endsWith(":ApiKey"));
  expect(key).toHaveProperty("outputs.token.ciphertext");

  stack.write(source('customTimeouts: { update: "x" }'));
  expect(extractErrors(await stack.preview({ fails: true }))).toEqual([
    'customTimeouts.update of TcpEdge "edge" must be a duration such as "1h30m", not "x".',
  ]);
  stack.write(source('ignoreChanges: ["metadata"]', { metadata: "ours" }));
  await stack.up();
  expect([writes(), emulator.account.tcpEdges]).toMatchObject([[], [{ id: "edgtcp_a", metadata: "theirs" }]]);
  stack.write(source('replaceOnChanges: ["description"]', { description: "shell" }));
  await stack.up();
  expect(writes()).toEqual(["DELETE /edges/tcp/{id}", "POST /edges/tcp"]);
});

test("providers through components, transformations, dependsOn and --target", async () => {
  const [emulator, partner] = [
    await startService({ apiKey: "key-of-ours" }),
    await startService({ apiKey: "key-of-partner" }),
  ];
  const source = (description: string) =>
    program(
      `const partner = new tunnel.Provider("partner", { apiKey: "key-of-partner", baseUrl: "${partner.url}" });`,
      `pulumi.runtime.registerStackTransformation(({ type, props, opts }) => type.endsWith(":TcpEdge") ?
         { props: { ...props, metadata: "transformed" }, opts: { ...opts, retainOnDelete: true } } : undefined);`,
      component("{ provider: partner }"),
      `const inner = new pulumi.ComponentResource("test:Inner", "inner", {}, { parent: entry });`,
      `const transform = ({ props, opts, custom }) => custom ?
         { props: { ...props, description: props.description + ", too" }, opts: { ...opts, protect: true } } : undefined;`,
      `const list = new pulumi.ComponentResource("test:Inner", "list", {}, { providers: [partner], transforms: [transform] });`,
      declare("TcpEdge", "one", { description }, { parent: "=inner" }),
      declare("TcpEdge", "two", { description }, { parent: "=list" }),
      declare("TcpEdge", "ours", { description }),
      declare("ApiKey", "key", { description }, { dependsOn: ["=ours"] }),
    );
  const { stack, calls } = await createStack(emulator, source("made"));
  emulator.fail({ method: "POST", path: "/edges/tcp", delayMs: 1_000 });
  await stack.up();
  const made = (description: string) => ({ description, metadata: "transformed" });
  const byDescription = partner.account.tcpEdges.sort((a, b) => (a.description < b.description ? -1 : 1));
  expect(byDescription).toMatchObject([made("made"), made("made, too")]);
  expect(emulator.account.tcpEdges).toMatchObject([made("made")]);
  expect(calls()).toEqual(["POST /edges/tcp", "POST /api_keys"]);
  const { resources = [] } = await stack.export();
  const { one, two } = Object.fromEntries(resources.map((resource) => [resource.urn.split("::").pop(), resource]));
  expect([one, two]).toMatchObject([{ retainOnDelete: true }, { retainOnDelete: true, protect: true }]);

  stack.write(source("changed"));
  partner.clearRequests();
  const targeted = await stack.up({ args: ["--target", urnOf("ApiKey", "key")] });
  expect(targeted.summary).toMatchObject({ update: 1 });
  expect([calls(), partner.calls()]).toEqual([["PATCH /api_keys/{id}"], []]);
});
