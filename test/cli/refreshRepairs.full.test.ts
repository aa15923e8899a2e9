/** What the next plain `pulumi up` cannot know, `pulumi refresh` and then `pulumi up` repair. */
import { createStack, declare, startService } from "../support/cli/cliStack";
import { waitUntil } from "../support/waitUntil";

const ipPolicyIds = ["ipp_office"];
const ssh = (args: object = { ipRestriction: { ipPolicyIds } }) => declare("TcpEdge", "ssh", args);
const restriction = (name: string, edgeId: string, args: object = {}, opts: object = {}) =>
  declare("TcpEdgeIpRestriction", name, { edgeId, ipPolicyIds, ...args }, opts);
const program = (...statements: string[]) => statements.join("\n");

test("`pulumi refresh`, then `pulumi up`, restricts again what others opened", async () => {
  const emulator = await startService();
  emulator.seed({ tcpEdges: [{ id: "edgtcp_shared" }] });
  const office = restriction("office", "edgtcp_shared");
  const { stack, calls } = await createStack(emulator, program(ssh(), office));
  const open = () =>
    emulator.account.tcpEdges.filter(({ ip_restriction }) => !ip_restriction?.enabled).map(({ id }) => id);
  const repair = async () => {
    await stack.refresh();
    calls();
    await stack.up();
    expect([open(), calls().filter((call) => !call.startsWith("PUT "))]).toEqual([[], []]);
  };
  await stack.up();
  const ids = emulator.account.tcpEdges.map(({ id }) => id);

  // Another stack has the same modules, and is destroyed.
  const theirs = ids.map((id, index) => restriction(`theirs${index}`, id));
  const { stack: other } = await createStack(emulator, program(...theirs));
  await other.up();
  await other.destroy();
  expect(open()).toEqual(ids);
  await repair();

  // A resource of another provider replaces the module's resource, whose provider leaves the module to it.
  const provider = 'const other = new tunnel.Provider("other", { apiKey: process.env.TUNNEL_EDGE_API_KEY });';
  const hq = (args: object = {}) => restriction("hq", "edgtcp_shared", args, { provider: "=other" });
  const restricted = program(provider, ssh(), hq());
  stack.write(restricted);
  await stack.up();
  expect(open()).toEqual([]);

  // The CLI is killed while it opens both edges, and the program is reverted.
  stack.write(program(provider, ssh({}), hq({ enabled: false })));
  const opening = { path: "**/ip_restriction", hang: "headers", processed: true } as const;
  const met = ["DELETE", "PUT"].map((method) => emulator.fail({ method, ...opening }));
  const running = stack.startOperation(["up", "--yes", "--skip-preview"]);
  await waitUntil(() => met.every(({ hits }) => hits > 0));
  running.kill();
  await running.result;
  await stack.run(["cancel", "--yes"]);
  stack.write(restricted);
  expect(open()).toEqual(ids);
  await repair();
});
