/** The lifecycle of a TCP edge with the real CLI: what a user does, the requests, and what the user sees. */
import type { TcpEdge } from "pulumi-tunnel-edge/emulator";
import { createStack, declare, extractChangedLines, extractErrors, startService, urnOf } from "../support/cliStack";

const ssh = {
  description: "ssh",
  hostports: ["1.tcp.example.com:20022"],
  backend: { backendId: "bkdhr_a" },
  ipRestriction: { ipPolicyIds: ["ipp_a", "ipp_b"] },
};
const edge = (args: object, opts: object = {}) => `${declare("TcpEdge", "ssh", args, opts)}\nexports.id = ssh.id;`;

test("every change makes the requests it needs, and no change makes none", async () => {
  const emulator = await startService();
  const { stack, calls } = await createStack(emulator, edge(ssh));

  expect((await stack.up()).summary).toEqual({ create: 2 });
  expect(calls()).toEqual(["POST /edges/tcp"]);
  const again = await stack.up({ preview: true });
  expect(again.summary).toEqual({ same: 2 });
  expect(again.diagnostics).toEqual([]);
  expect(calls()).toEqual([]);
  expect((await stack.refresh()).summary).toEqual({ same: 2 });
  expect(calls()).toEqual(["GET /edges/tcp/{id}"]);

  stack.write(edge({ ...ssh, ipRestriction: { ipPolicyIds: ["ipp_a", "ipp_c"] } }));
  const preview = await stack.preview({ diff: true });
  expect(extractChangedLines(preview)).toEqual([
    "~ pulumi-nodejs:dynamic/tunnel-edge:TcpEdge: (update)",
    "~ ipRestriction: {",
    "~ ipPolicyIds: [",
    '~ [1]: "ipp_b" => "ipp_c"',
  ]);
  expect(preview.stdout).not.toMatch(/__/);
  expect(calls()).toEqual([]);
  await stack.up();
  expect(calls()).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);

  const three = { ...ssh, description: "secure shell", backend: { backendId: "bkdhr_b" }, policy: {} };
  stack.write(edge(three));
  expect((await stack.up()).steps[0]?.changed).toEqual(["backend", "description", "ipRestriction", "policy"]);
  expect(calls()).toEqual(["PATCH /edges/tcp/{id}"]);

  const { backend: _, ...dropped } = three;
  stack.write(edge(dropped));
  await stack.up();
  expect(calls()).toEqual(["DELETE /edges/tcp/{id}/backend"]);
  expect(emulator.account.tcpEdges).toMatchObject([{ description: "secure shell", backend: null }]);

  expect((await stack.destroy()).summary).toEqual({ delete: 2 });
  expect(calls()).toEqual(["DELETE /edges/tcp/{id}"]);
  expect(emulator.account.tcpEdges).toEqual([]);
});

test("changes from outside are displayed and repaired; what the program never declared is ignored", async () => {
  const emulator = await startService();
  const { stack, calls } = await createStack(emulator, edge(ssh));
  await stack.up();
  const [{ id } = {} as TcpEdge] = emulator.account.tcpEdges;
  const path = `/edges/tcp/${id}`;
  const theirs = { inbound: [{ name: "theirs", expressions: ["true"], actions: [{ type: "deny", config: null }] }] };
  emulator.api("PATCH", path, {
    description: "by hand",
    ip_restriction: { enabled: false, ip_policy_ids: ["ipp_a", "ipp_b"] },
    policy: theirs,
  });
  const expectPolicyKept = () => expect(emulator.account.tcpEdges).toMatchObject([{ policy: theirs }]);

  const refresh = await stack.refresh();
  expect(refresh.summary).toEqual({ same: 1, update: 1 });
  expect(refresh.stdout).not.toMatch(/policy/i);
  expectPolicyKept();
  const preview = await stack.preview({ diff: true });
  expect(extractChangedLines(preview)).toEqual([
    "~ pulumi-nodejs:dynamic/tunnel-edge:TcpEdge: (update)",
    '~ description  : "by hand" => "ssh"',
    "~ ipRestriction: {",
    "- enabled: false",
  ]);
  expect(preview.stdout).not.toMatch(/policy /);
  calls();
  await stack.up();
  expect(calls()).toEqual([`PATCH /edges/tcp/{id}`]);
  expect(emulator.account.tcpEdges).toMatchObject([{ id, description: "ssh", ip_restriction: { enabled: true } }]);
  expectPolicyKept();
  const { ipRestriction: _, ...open } = ssh;
  stack.write(edge(open));
  const dropped = await stack.up({ preview: true });
  expect(dropped.steps.map(({ op, changed }) => [op, changed])).toContainEqual(["update", ["ipRestriction"]]);
  expect(emulator.account.tcpEdges).toMatchObject([{ id, ip_restriction: null }]);
  expectPolicyKept();
  expect((await stack.refresh()).summary).toEqual({ same: 2 });

  emulator.api("DELETE", path);
  expect((await stack.refresh()).summary).toEqual({ same: 1, delete: 1 });
  calls();
  expect((await stack.up()).summary).toEqual({ same: 1, create: 1 });
  expect(calls()).toEqual(["POST /edges/tcp"]);
  expect(emulator.account.tcpEdges).toMatchObject([{ description: "ssh", policy: null }]);
});

test("a failure halfway leaves a correct state, and the next `pulumi up` continues from there", async () => {
  const emulator = await startService();
  const { stack, calls } = await createStack(emulator, edge(ssh));
  const inState = async () => {
    const found = (await stack.export()).resources?.find(({ urn }) => urn === urnOf("TcpEdge", "ssh"));
    return found && { id: found.id, ...found.outputs };
  };

  // The response to the create is lost: the edge is found and imported instead of created twice.
  emulator.fail({ method: "POST", path: "/edges/tcp", resetAfter: true });
  expect((await stack.up()).summary).toEqual({ create: 2 });
  expect(calls()).toEqual(["POST /edges/tcp", "GET /edges/tcp"]);
  const [{ id } = {} as TcpEdge, ...others] = emulator.account.tcpEdges;
  expect(others).toEqual([]);
  expect(await inState()).toMatchObject({ id, ...ssh });

  const { backend: _, ...wanted } = { ...ssh, description: "secure shell" };
  stack.write(edge(wanted));
  emulator.fail({ method: "DELETE", path: "**/backend", status: 400, body: { error_code: "ERR_NO", msg: "Not now." } });
  const failed = await stack.up({ fails: true });
  expect(extractErrors(failed)).toEqual([
    `TCP edge ${id} could not be updated: DELETE /edges/tcp/${id}/backend returned 400 ERR_NO: Not now.`,
  ]);
  expect(emulator.account.tcpEdges).toMatchObject([{ description: "secure shell", backend: { enabled: true } }]);
  expect(await inState()).toMatchObject({ id, description: "secure shell", backend: ssh.backend });

  calls();
  await stack.up();
  expect(calls()).toEqual(["DELETE /edges/tcp/{id}/backend"]);
  expect(emulator.account.tcpEdges).toMatchObject([{ id, description: "secure shell", backend: null }]);
  expect(await inState()).toMatchObject({ id, description: "secure shell" });
  expect(await inState()).not.toHaveProperty("backend");
  await stack.preview({ expectNoChanges: true });
  expect(calls()).toEqual([]);
});

test("invalid arguments, invalid settings and a wrong key are each reported in one sentence", async () => {
  const emulator = await startService();
  const bad = {
    description: "ü".repeat(128),
    metadata: { team: "edge" },
    hostports: ["tcp://1.tcp.example.com:20022"],
    backend: { backendID: "bkdhr_a" },
    ipRestriction: { ipPolicyIds: ["ip_a"] },
    polcy: {},
  };
  const { stack, calls } = await createStack(emulator, edge(bad));
  expect(extractErrors(await stack.preview({ fails: true }))).toEqual([
    "description must be at most 255 bytes, not 256",
    "metadata must be a string, not an object",
    'hostports[0]: "tcp://1.tcp.example.com:20022" has a scheme; use "1.tcp.example.com:20022"',
    'backend.backendID is not an argument: did you mean "backendId"?',
    'ipRestriction.ipPolicyIds[0] must be the id of an IP policy ("ipp_…"), not "ip_a"',
    'polcy is not an argument: did you mean "policy"?',
  ]);

  stack.write(edge(ssh));
  const env = { TUNNEL_EDGE_API_KEY: undefined, TUNNEL_EDGE_BASE_URL: "http://service.example.com" };
  expect(extractErrors(await stack.preview({ fails: true, env }))).toEqual([
    "tunnel-edge:apiKey is not set: run `pulumi config set --secret tunnel-edge:apiKey`, or set " +
      "TUNNEL_EDGE_API_KEY in the environment.",
    'tunnel-edge:baseUrl must start with "https://", because every request contains the API key; "http://" is ' +
      "allowed only for this machine (localhost).",
  ]);
  expect(calls()).toEqual([]);

  const rejected = await stack.up({ fails: true, env: { TUNNEL_EDGE_API_KEY: "no-such-key" } });
  expect(extractErrors(rejected).map((error) => error.replace(/op_\w+/, "op_…"))).toEqual([
    "TCP edge could not be created: POST /edges/tcp returned 401 ERR_TUNNEL_UNAUTHENTICATED: The header " +
      '"Authorization" carries no valid API key (operation op_…). Check the API key (tunnel-edge:apiKey, ' +
      "TUNNEL_EDGE_API_KEY or the Provider's apiKey). `pulumi refresh`, `pulumi destroy` and --refresh use the " +
      "settings of the last `pulumi up`; add --run-program to use the current ones.",
  ]);
  expect(rejected.stdout).not.toContain("no-such-key");
  expect(calls()).toEqual(["POST /edges/tcp"]);
});

test("an existing edge can be read and imported", async () => {
  const emulator = await startService();
  emulator.seed({
    tcpEdges: [
      { id: "edgtcp_mine", description: "ssh", hostports: ["1.tcp.example.com:1"], policy: { inbound: [] } },
      { id: "edgtcp_theirs", description: "theirs", backend: { backend_id: "bkdhr_a" } },
    ],
  });
  const theirs = `const theirs = tunnel.TcpEdge.get("theirs", "edgtcp_theirs");\nexports.theirs = theirs.backend;`;
  const source = (args: object, opts: object) => `${edge(args, opts)}\n${theirs}`;
  const { stack, calls } = await createStack(
    emulator,
    source(
      { description: "mine", metadata: "x", hostports: ["1.tcp.example.com:1"], backend: { backendId: "bkdhr_a" } },
      { import: "edgtcp_mine" },
    ),
  );
  expect(extractErrors(await stack.preview({ fails: true }))).toEqual([
    "description differs from that of TCP edge edgtcp_mine; declare what it has, or leave it out",
    "metadata is declared, but TCP edge edgtcp_mine does not have it; leave it out",
    "backend is declared, but TCP edge edgtcp_mine does not have it; leave it out",
  ]);

  const mine = { description: "ssh", hostports: ["1.tcp.example.com:1"] };
  stack.write(source(mine, { import: "edgtcp_mine" }));
  await stack.up();
  expect(await stack.outputs()).toEqual({
    id: "edgtcp_mine",
    theirs: { backendId: "bkdhr_a", enabled: true },
  });
  stack.write(source(mine, {}));
  await stack.preview({ expectNoChanges: true });
  stack.write(source(mine, { import: "edgtcp_theirs" }));
  expect(extractErrors(await stack.up({ fails: true }))).toEqual([
    "This resource is TCP edge edgtcp_mine already, so it cannot import edgtcp_theirs. Remove the import option, " +
      "or declare the imported TCP edge as a resource of its own.",
  ]);
  expect(calls().filter((call) => !call.startsWith("GET"))).toEqual([]);
  await stack.destroy();
  expect(calls()).toEqual(["DELETE /edges/tcp/{id}"]);
  expect(emulator.account.tcpEdges).toMatchObject([{ id: "edgtcp_theirs" }]);
});

test("a forced replacement leaves one edge, with each module", async () => {
  const emulator = await startService();
  const { stack, calls } = await createStack(
    emulator,
    [
      declare("TcpEdge", "inline", { ...ssh, hostports: ["1.tcp.example.com:1"] }),
      declare("TcpEdge", "bare", { hostports: ["1.tcp.example.com:2"] }),
      declare("TcpEdgeIpRestriction", "apart", { edgeId: "=bare.id", ipPolicyIds: ["ipp_a"] }),
    ].join("\n"),
  );
  await stack.up();
  const before = emulator.account.tcpEdges;
  calls();
  await stack.up({ args: ["--target-replace", urnOf("TcpEdge", "inline")] });
  expect(calls()).toEqual(["DELETE /edges/tcp/{id}", "POST /edges/tcp"]);
  await stack.up({ args: ["--target-replace", urnOf("TcpEdgeIpRestriction", "apart")] });
  expect(calls()).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
  await stack.up({ args: ["--target-replace", urnOf("TcpEdge", "bare"), "--target-dependents"] });
  expect(calls()).toEqual([
    "DELETE /edges/tcp/{id}/ip_restriction",
    "DELETE /edges/tcp/{id}",
    "POST /edges/tcp",
    "PUT /edges/tcp/{id}/ip_restriction",
  ]);
  const after = emulator.account.tcpEdges;
  const held = (edges: TcpEdge[]) =>
    edges.map(({ hostports, ip_restriction }) => [hostports?.[0], ip_restriction?.ip_policies.length]).sort();
  expect(held(after)).toEqual(held(before));
  expect(after.map(({ id }) => id)).not.toEqual(expect.arrayContaining([before[0]?.id]));
  expect((await stack.refresh()).summary).toEqual({ same: 4 });
  await stack.destroy();
  expect(emulator.account.tcpEdges).toEqual([]);
});

test("explicit providers: two accounts in one program", async () => {
  const [one, two] = [await startService({ apiKey: "key-of-one" }), await startService({ apiKey: "key-of-two" })];
  const { stack } = await createStack(
    one,
    [
      `const account = new tunnel.Provider("account", { apiKey: "key-of-two", baseUrl: "${two.url}" });`,
      declare("TcpEdge", "one", { description: "one" }),
      declare("TcpEdge", "two", { description: "two" }, { provider: "=account" }),
    ].join("\n"),
  );
  await stack.up();
  expect([one, two].map(({ account }) => account.tcpEdges.map(({ description }) => description))).toEqual([
    ["one"],
    ["two"],
  ]);
  for (const emulator of [one, two]) emulator.clearRequests();
  await stack.preview({ expectNoChanges: true });
  expect([...one.calls(), ...two.calls()]).toEqual([]);
  await stack.destroy();
  expect([one.account.tcpEdges, two.account.tcpEdges]).toEqual([[], []]);
  expect([one.calls(), two.calls()]).toEqual([["DELETE /edges/tcp/{id}"], ["DELETE /edges/tcp/{id}"]]);
});

test("the state has only what is set; what is unset is known anyway", async () => {
  const emulator = await startService();
  const printOutputs = ["description", "policy", "createdAt"]
    .map((name) => `ssh.${name}.apply((value) => console.log("${name} is", value));`)
    .join("\n");
  const createInFunction = (args: object) => `const make = () => {\n${declare("TcpEdge", "ssh", args)}\nreturn ssh;\n};
const ssh = make();\n${printOutputs}`;
  const { stack } = await createStack(emulator, createInFunction(ssh));
  const year = new Date().getUTCFullYear();
  const extractPrinted = ({ stdout }: { stdout: string }) => [...new Set(stdout.match(/\w+ is \w+/g))].sort();

  expect(extractPrinted(await stack.preview())).toEqual(["description is ssh"]);
  await stack.up();
  expect(extractPrinted(await stack.preview())).toEqual([
    `createdAt is ${year}`,
    "description is ssh",
    "policy is undefined",
  ]);
  stack.write(createInFunction({ ...ssh, description: "shell" }));
  expect(extractPrinted(await stack.preview())).toEqual(["description is shell"]);

  const { resources = [] } = await stack.export();
  const { outputs, sourcePosition, stackTrace } = resources.find(({ urn }) => urn === urnOf("TcpEdge", "ssh"))!;
  expect(Object.values(outputs as object)).not.toContain(null);
  expect(sourcePosition).toBe("project:///index.js#4,13");
  expect(stackTrace).toEqual([4, 7].map((line) => ({ sourcePosition: `project:///index.js#${line},13` })));
});

test("a list is never undefined: one that is not set is empty, without being in the state", async () => {
  const emulator = await startService();
  const { stack } = await createStack(
    emulator,
    `${declare("TcpEdge", "ssh", { ...ssh, policy: { inbound: [{ name: "all" }] } })}
${declare("TcpEdge", "bare")}
exports.first = ssh.hostports[0];
exports.rules = ssh.policy.apply(({ inbound, outbound }) => [inbound[0].actions.length, outbound.length]);
exports.none = bare.hostports.apply((hostports) => hostports.length);`,
  );
  const outputs = { first: "1.tcp.example.com:20022", rules: [0, 0], none: 0 };

  expect(extractErrors(await stack.preview())).toEqual([]);
  await stack.up();
  expect(await stack.outputs()).toEqual(outputs);
  expect(extractErrors(await stack.preview({ expectNoChanges: true }))).toEqual([]);
  await stack.refresh();
  expect((await stack.up({ preview: true })).summary).toEqual({ same: 3 });
  expect(await stack.outputs()).toEqual(outputs);
  const { resources = [] } = await stack.export();
  expect(resources.find(({ urn }) => urn === urnOf("TcpEdge", "bare"))!.outputs).not.toHaveProperty("hostports");
});
