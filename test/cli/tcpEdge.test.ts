/** The lifecycle of a program with the real CLI: what a user does, the requests, and what the user sees. */
import type { TcpEdge } from "pulumi-tunnel-edge/emulator";
import { createStack, declare, extractChangedLines, extractErrors, startService, urnOf } from "../support/cli/cliStack";
import type { Result } from "../support/cli/pulumi";
import { readSaved } from "../support/cli/saved";

const ssh = {
  description: "ssh",
  hostports: ["1.tcp.example.com:20022"],
  backend: { backendId: "bkdhr_a" },
  ipRestriction: { ipPolicyIds: ["ipp_a", "ipp_b"] },
};

/** A TCP edge with all kinds of arguments, and a TLS edge without hostports, whose outputs are used. */
const program = (args: object) => `const make = () => {
${declare("TcpEdge", "ssh", args)}
return ssh;
};
const ssh = make();
for (const name of ["description", "backend", "createdAt"]) ssh[name].apply((value) => console.log(name + "=" + value));
${declare("TlsEdge", "api", { policy: { inbound: [{ name: "all" }] } })}
exports.first = ssh.hostports[0];
exports.rules = api.policy.apply(({ inbound, outbound }) => [inbound[0].actions.length, outbound.length]);
exports.none = api.hostports.apply((hostports) => hostports.length);`;

/** The messages that the program did not print. */
const extractMessages = ({ diagnostics }: Result) => diagnostics.filter(({ message }) => !/^\w+=/.test(message));

/** What the program printed in a preview, without the order and the repetitions. */
const extractPrinted = ({ stdout }: Result) => [...new Set(stdout.split(/^Updating /m)[0]!.match(/\w+=\w+/g))].sort();

test("a program is created, repaired after drift, changed in two attempts and destroyed", async () => {
  const emulator = await startService({ apiKey: "key-of-the-environment" });
  const { stack, calls } = await createStack(emulator, program(ssh));
  const readResource = async (type: string, name: string) =>
    (await stack.export()).resources!.find(({ urn }) => urn === urnOf(type, name))!;

  const created = await stack.up({ preview: true });
  expect(created.summary).toEqual({ create: 3 });
  expect(extractPrinted(created)).toEqual(["description=ssh"]);
  expect(extractMessages(created)).toEqual([]);
  expect(calls().sort()).toEqual(["POST /edges/tcp", "POST /edges/tls"]);
  const [{ id } = {} as TcpEdge] = emulator.account.tcpEdges;

  // A list that is not set is empty, and what is unset is not in the state.
  const outputs = { first: "1.tcp.example.com:20022", rules: [0, 0], none: 0 };
  expect(await stack.outputs()).toEqual(outputs);
  expect((await readResource("TlsEdge", "api")).outputs).not.toHaveProperty("hostports");
  const inState = await readResource("TcpEdge", "ssh");
  expect(Object.values(inState.outputs)).not.toContain(null);

  // Changes from outside are displayed and repaired. What the program never declared is ignored.
  const theirs = { inbound: [{ name: "theirs", expressions: ["true"], actions: [{ type: "deny", config: null }] }] };
  emulator.api("PATCH", `/edges/tcp/${id}`, {
    description: "by hand",
    ip_restriction: { enabled: false, ip_policy_ids: ["ipp_a", "ipp_b"] },
    policy: theirs,
  });
  emulator.api("DELETE", `/edges/tls/${emulator.account.tlsEdges[0]!.id}`);
  const refresh = await stack.refresh();
  expect(refresh.summary).toEqual({ same: 1, update: 1, delete: 1 });
  expect(refresh.stdout).not.toMatch(/policy/i);
  calls();
  const repaired = await stack.up({ preview: true, args: ["--diff"] });
  const [preview = ""] = repaired.stdout.split(/^Updating /m);
  const row = preview.split(/^(?= {4}\S.*: \([\w -]+\)$)/m).find((each) => each.includes("TcpEdge: (update)"))!;
  expect(extractChangedLines({ ...repaired, stdout: row })).toEqual([
    "~ pulumi-nodejs:dynamic/tunnel-edge:TcpEdge: (update)",
    '~ description  : "by hand" => "ssh"',
    "~ ipRestriction: {",
    "- enabled: false",
  ]);
  expect(row).not.toMatch(/policy |__/);
  expect(calls().sort()).toEqual(["PATCH /edges/tcp/{id}", "POST /edges/tls"]);
  expect(emulator.account).toMatchObject({
    tcpEdges: [{ id, description: "ssh", ip_restriction: { enabled: true }, policy: theirs }],
    tlsEdges: [{ id: (await readResource("TlsEdge", "api")).id }],
  });

  // An update that fails halfway leaves a correct state, and the next `pulumi up` continues from there.
  const { backend: _, ...changed } = { ...ssh, description: "shell" };
  stack.write(program(changed));
  const body = { error_code: "ERR_NO", msg: `Not now, Bearer ${emulator.apiKey}.` };
  emulator.fail({ method: "DELETE", path: "**/backend", status: 400, body });
  const failed = await stack.up({
    fails: true,
    args: ["-v=3", "--logtostderr"],
    env: { TUNNEL_EDGE_LOG_REQUESTS: "1" },
  });
  expect(failed.steps.find(({ op }) => op === "update")?.changed).toEqual(["backend", "description"]);
  expect(extractErrors(failed)).toEqual([
    `TCP edge ${id} could not be updated: DELETE /edges/tcp/${id}/backend returned 400 ERR_NO: Not now, Bearer [secret].`,
  ]);
  for (const text of [failed.stdout, failed.stderr, readSaved(stack)]) expect(text).not.toContain(emulator.apiKey);
  expect(emulator.account.tcpEdges).toMatchObject([{ description: "shell", backend: { enabled: true } }]);
  expect(await readResource("TcpEdge", "ssh")).toMatchObject({
    id,
    outputs: { description: "shell", backend: ssh.backend },
  });
  calls();
  await stack.up();
  expect(calls()).toEqual(["DELETE /edges/tcp/{id}/backend"]);
  expect(emulator.account.tcpEdges).toMatchObject([{ id, description: "shell", backend: null, policy: theirs }]);
  expect((await readResource("TcpEdge", "ssh")).outputs).not.toHaveProperty("backend");
  expect(await stack.outputs()).toEqual(outputs);
  const unchanged = await stack.preview({ expectNoChanges: true });
  expect(extractPrinted(unchanged)).toEqual([
    "backend=undefined",
    `createdAt=${new Date().getUTCFullYear()}`,
    "description=shell",
  ]);
  expect(calls()).toEqual([]);

  expect((await stack.destroy()).summary).toEqual({ delete: 3 });
  expect(calls().sort()).toEqual(["DELETE /edges/tcp/{id}", "DELETE /edges/tls/{id}"]);
  expect(emulator.account).toMatchObject({ tcpEdges: [], tlsEdges: [] });
});
