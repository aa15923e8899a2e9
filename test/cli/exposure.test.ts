/** The command `exposure` with previews of the real CLI, in which each edge shows one thing that the engine prints. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { createStack, declare, startService } from "../support/cli/cliStack";
import type { Stack } from "../support/cli/pulumi";
import { root } from "../support/root";

const backend = { backendId: "bkdhr_1" };
const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const hostports = (port: number) => [`1.tcp.example.com:${port}`];
const restricted = (port: number) => ({ hostports: hostports(port), backend, ipRestriction });
const open = (port: number) => ({ hostports: hostports(port), backend });
const component = 'const parent = new pulumi.ComponentResource("test:index:Parent", "parent");';
const account = 'const account = new tunnel.Provider("account", { apiKey: process.env.TUNNEL_EDGE_API_KEY });';

/** Their edges are named by their ids. */
const modulesWithIds = ["gone", "replaced"].map((id) =>
  declare("TcpEdgeIpRestriction", `of_${id}`, { edgeId: `edgtcp_${id}`, ipPolicyIds: ["ipp_a"] }),
);

const before = [
  'console.error("Error: this is only printed, and is no failure");',
  component,
  account,
  declare("TcpEdge", "removed", restricted(1)),
  declare("TcpEdge", "unchanged", restricted(2)),
  declare("TcpEdge", "deleted", restricted(3)),
  declare("TcpEdge", "separate", open(4)),
  declare("TcpEdgeIpRestriction", "office", { edgeId: "=separate.id", ipPolicyIds: ["ipp_a"] }),
  declare("TcpEdge", "ignored", restricted(6)),
  declare("TcpEdge", "replaced", restricted(7)),
  declare("TcpEdge", "unclear", restricted(8)),
  declare("TcpEdge", "child", restricted(9), { parent: "=parent", provider: "=account" }),
  declare("TcpEdge", "renamed", restricted(10)),
  'tunnel.TcpEdge.get("theirs", "edgtcp_theirs");',
  declare("TcpEdgeIpRestriction", "theirOffice", { edgeId: "edgtcp_theirs", ipPolicyIds: ["ipp_a"] }),
  declare("TcpEdge", "grows", open(13)),
  declare("TcpEdge", "gives", restricted(14)),
  declare("TcpEdge", "elsewhere", open(20)),
  declare("TcpEdgeIpRestriction", "elsewhereOffice", { edgeId: "=elsewhere.id", ipPolicyIds: ["ipp_a"] }),
  declare("TcpEdge", "gone", open(23), { import: "edgtcp_gone" }),
  declare("TcpEdge", "named", open(24), { import: "edgtcp_replaced" }),
  ...modulesWithIds,
];
const after = [
  component,
  account,
  declare("TcpEdge", "removed", open(1)),
  declare("TcpEdge", "unchanged", restricted(2)),
  declare("TcpEdge", "separate", open(4)),
  declare("TcpEdge", "ignored", open(6), { ignoreChanges: ["ipRestriction"] }),
  declare("TcpEdge", "replaced", { ...open(7), backend: { backendId: "bkdhr_2" } }, { replaceOnChanges: ["backend"] }),
  declare("ApiKey", "key"),
  declare("TcpEdge", "unclear", {
    ...open(8),
    ipRestriction: { enabled: "=key.id.apply(Boolean)", ...ipRestriction },
  }),
  declare("TcpEdge", "child", open(9), { parent: "=parent", provider: "=account" }),
  declare("TcpEdge", "other", open(10), { aliases: [{ name: "renamed" }] }),
  'tunnel.TcpEdge.get("theirs", "edgtcp_theirs");',
  declare("TcpEdge", "fresh", open(12)),
  declare("TcpEdge", "newRestricted", { ...open(21) }),
  declare("TcpEdgeIpRestriction", "newOffice", { edgeId: "=newRestricted.id", ipPolicyIds: ["ipp_b"] }),
  declare("TcpEdge", "grows", { hostports: [...hostports(13), ...hostports(14), ...hostports(22)], backend }),
  declare("TcpEdge", "gives", { backend, ipRestriction }),
  declare("TcpEdge", "elsewhere", open(20)),
  declare("TcpEdgeIpRestriction", "elsewhereOffice", {
    edgeId: "=pulumi.all([key.id, elsewhere.id]).apply(() => 'edgtcp_other')",
    ipPolicyIds: ["ipp_a"],
  }),
  declare("TcpEdge", "named", { ...open(24), description: "x" }, { replaceOnChanges: ["description"] }),
  ...modulesWithIds,
];

const lineFor = (edge: string, port: number, reason: string, can = "can connect") =>
  `TcpEdge "${edge}": after this change anyone ${can} to ${hostports(port)} (${reason}).`;
const might = "might be able to connect";

const lines = [
  ...Object.entries({ child: 9, other: 10, removed: 1, replaced: 7, separate: 4, theirs: 11, named: 24 }).map(
    ([edge, port]) => lineFor(edge, port, "ipRestriction is removed"),
  ),
  lineFor("unclear", 8, "ipRestriction.enabled is unknown", might),
  lineFor("fresh", 12, "new edge; nothing restricts it"),
  lineFor("grows", 22, "new hostport; nothing restricts it"),
  lineFor("grows", 14, 'moved from TcpEdge "gives"; ipRestriction is removed'),
  lineFor("elsewhere", 20, "ipRestriction is unknown", might),
].sort();
const warning =
  'TcpEdgeIpRestriction "of_gone" still has the id of TcpEdge "gone", edgtcp_gone, which this change deletes. Remove it ' +
  "from the program too, or give it the id of another edge.";

let emulator: Emulator;
let stack: Stack;
const findEdge = (port: number) =>
  emulator.account.tcpEdges.find((edge) => edge.hostports?.includes(hostports(port)[0]!))!;
const seedEdge = (id: string, port: number) => ({ id, hostports: hostports(port), backend: { backend_id: "bkdhr_1" } });
beforeAll(async () => {
  emulator = await startService();
  emulator.seed({
    tcpEdges: [
      seedEdge("edgtcp_theirs", 11),
      seedEdge("edgtcp_gone", 23),
      seedEdge("edgtcp_replaced", 24),
      { id: "edgtcp_other" },
    ],
  });
  ({ stack } = await createStack(emulator, before.join("\n")));
  await stack.up();
});

/** What the command prints for previews of the program. */
function printExposure(...previews: string[]): string[] {
  const files = previews.map((preview, index) => {
    const file = join(stack.dir, `preview${index}.json`);
    writeFileSync(file, preview);
    return file;
  });
  const command = [join(root, "dist/bin.js"), "exposure", ...files];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" });
  expect(status).toBe(0);
  return [...stdout.split("\n").slice(0, -1), ...stderr.split("\n").slice(0, -1)];
}

test("every opening is one line, also if a refresh shows that something is open already", async () => {
  stack.write(after.join("\n"));
  const change = await stack.previewJson();
  expect(printExposure(change)).toEqual([...lines, warning]);

  emulator.api("DELETE", `/edges/tcp/${findEdge(1).id}/ip_restriction`);
  const merge = await stack.previewJson({ args: ["--refresh", "--run-program"] });
  expect(printExposure(merge)).toEqual([...lines.filter((line) => !line.includes('"removed"')), warning]);
  expect(printExposure(change, merge)).toEqual([...lines, warning]);
});
