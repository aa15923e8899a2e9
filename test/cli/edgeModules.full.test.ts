/** An edge and its modules as separate resources: what belongs together, and what cannot be declared together. */
import { createStack, declare, extractErrors, startService } from "../support/cli/cliStack";

const ipPolicyIds = ["ipp_a"];
const restriction = (name: string, opts: object = {}, edgeId = "=ssh.id") =>
  declare("TcpEdgeIpRestriction", name, { edgeId, ipPolicyIds }, opts);
const ssh = (args: object = {}, opts: object = {}) => declare("TcpEdge", "ssh", args, opts);
const program = (...statements: string[]) => statements.join("\n");

test.each(["dynamic", "plugin"] as const)("%s: what two resources declare fails in the preview", async (provider) => {
  const emulator = await startService();
  const hostports = ["1.tcp.example.com:1"];
  const { stack, calls } = await createStack(emulator, ssh(), { provider });
  // The classes know in the first preview to which edge an unknown id belongs.
  if (provider === "plugin") await stack.up();
  calls();
  const settings = JSON.stringify({ apiKey: emulator.apiKey, baseUrl: emulator.url });
  const restricted = ssh({ ipRestriction: { ipPolicyIds } });
  const programs: Record<string, [string[], RegExp]> = {
    "a hostport": [
      [ssh({ hostports }), declare("TlsEdge", "api", { hostports })],
      /^hostports: "1.tcp.example.com:1" is already declared by T\w+Edge "\w+"\. Declare it in one place\.$/,
    ],
    "an edge and its module": [
      [restricted, restriction("office")],
      /^The IP restriction of its edge is already declared by TcpEdge "ssh"\. Declare it in one place\.$/,
    ],
    "two modules": [
      [ssh(), restriction("office"), restriction("hq", { dependsOn: ["=office"] })],
      /^The IP restriction of its edge is already declared by TcpEdgeIpRestriction "office"\. Declare it in one place\.$/,
    ],
    "two processes": [
      [
        `const other = new tunnel.Provider("other", ${settings});`,
        restricted,
        restriction("office", { provider: "=other" }),
      ],
      /^The IP restriction of its edge is already declared by TcpEdge "ssh"\. Declare it in one place\. Another provider process of this deployment says so in \S+\. If it is from an interrupted run, remove that file\.$/,
    ],
  };
  for (const [step, [statements, message]] of Object.entries(programs)) {
    stack.write(program(...statements));
    const errors = extractErrors(await stack.preview({ fails: true }));
    expect({ step, errors }).toEqual({ step, errors: [expect.stringMatching(message)] });
  }
  expect(calls()).toEqual([]);
});

test("a module is deleted with its edge, so that a rejected deletion opens nothing", async () => {
  const emulator = await startService();
  emulator.seed({ tcpEdges: [{ id: "edgtcp_read" }] });
  const read = 'const read = tunnel.TcpEdge.get("read", "edgtcp_read");';
  const retained = declare("TcpEdge", "retained", {}, { retainOnDelete: true });
  const { stack, calls } = await createStack(
    emulator,
    program(
      ssh(),
      restriction("office"),
      read,
      restriction("ofRead", {}, "=read.id"),
      retained,
      restriction("ofRetained", {}, "=retained.id"),
    ),
  );
  await stack.up();
  calls();
  emulator.fail({ method: "DELETE", path: "/edges/tcp/{id}", status: 403 });
  await stack.destroy({ fails: true });
  const restricted = emulator.account.tcpEdges.filter(({ ip_restriction }) => ip_restriction?.enabled);
  // An edge of the program that stays, for whatever reason, keeps its restriction.
  expect(restricted).toHaveLength(2);
  await stack.destroy();
  expect(calls().sort()).toEqual([
    "DELETE /edges/tcp/{id}",
    "DELETE /edges/tcp/{id}",
    "DELETE /edges/tcp/{id}/ip_restriction",
  ]);
  const left = emulator.account.tcpEdges.map(({ id, ip_restriction }) => [
    id === "edgtcp_read",
    ip_restriction !== null,
  ]);
  expect(left.sort()).toEqual([
    [false, true],
    [true, false],
  ]);
});
