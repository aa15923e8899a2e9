/** An edge and its modules as separate resources: what belongs together, and what cannot be declared together. */
import { createStack, declare, extractErrors, startService } from "../support/cli/cliStack";

const ipPolicyIds = ["ipp_a"];
const restriction = (name: string, opts: object = {}, edgeId = "=ssh.id") =>
  declare("TcpEdgeIpRestriction", name, { edgeId, ipPolicyIds }, opts);
const ssh = (args: object = {}, opts: object = {}) => declare("TcpEdge", "ssh", args, opts);
const program = (...statements: string[]) => statements.join("\n");

test("what two resources declare fails in the first preview, and what ignoreChanges covers is not declared", async () => {
  const emulator = await startService();
  const hostports = ["1.tcp.example.com:1"];
  const { stack, calls } = await createStack(
    emulator,
    program(ssh({ hostports }), declare("TlsEdge", "api", { hostports })),
  );
  const failures = async () => extractErrors(await stack.preview({ fails: true }));
  expect(await failures()).toEqual([
    expect.stringMatching(
      /^hostports: "1.tcp.example.com:1" is already declared by T\w+Edge "\w+"\. Declare it in one place\.$/,
    ),
  ]);
  const twice = (other: string) => [
    `The IP restriction of its edge is already declared by ${other}. Declare it in one place.`,
  ];
  stack.write(program(ssh({ ipRestriction: { ipPolicyIds } }), restriction("office")));
  expect(await failures()).toEqual(twice('TcpEdge "ssh"'));
  stack.write(program(ssh(), restriction("office"), restriction("hq", { dependsOn: ["=office"] })));
  expect(await failures()).toEqual(twice('TcpEdgeIpRestriction "office"'));
  expect(calls()).toEqual([]);

  // The move without a gap.
  stack.write(ssh({ ipRestriction: { ipPolicyIds } }));
  await stack.up();
  stack.write(program(ssh({}, { ignoreChanges: ["ipRestriction"] }), restriction("office")));
  calls();
  await stack.up({ preview: true });
  expect(calls()).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);

  // Another provider, in a process of its own, knows what the edge declares. A module moves to it without a gap.
  const other = 'const other = new tunnel.Provider("other", { apiKey: process.env.TUNNEL_EDGE_API_KEY });';
  const elsewhere = restriction("elsewhere", { provider: "=other" });
  stack.write(program(other, ssh({ ipRestriction: { ipPolicyIds } }), elsewhere));
  expect(await failures()).toEqual(twice('TcpEdge "ssh"'));
  stack.write(program(other, ssh(), elsewhere));
  calls();
  await stack.up();
  expect(calls()).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
  stack.write(program(other, ssh(), restriction("elsewhere")));
  await stack.up();
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
