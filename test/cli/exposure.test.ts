/** The command `exposure` with what the real CLI prints. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { createStack, declare, startService } from "../support/cliStack";
import type { Stack } from "../support/pulumi";
import { root } from "../support/root";

const backend = { backendId: "bkdhr_1" };
const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const hostports = (port: number) => [`1.tcp.example.com:${port}`];
const restricted = (port: number) => ({ hostports: hostports(port), backend, ipRestriction });
const open = (port: number) => ({ hostports: hostports(port), backend });
const component = 'const parent = new pulumi.ComponentResource("test:index:Parent", "parent");';
const account = 'const account = new tunnel.Provider("account", { apiKey: process.env.TUNNEL_EDGE_API_KEY });';

const before = [
  component,
  account,
  declare("TcpEdge", "removed", restricted(1)),
  declare("TcpEdge", "unchanged", restricted(2)),
  declare("TcpEdge", "deleted", restricted(3)),
  declare("TcpEdge", "separate", open(4)),
  declare("TcpEdgeIpRestriction", "office", { edgeId: "=separate.id", ipPolicyIds: ["ipp_a"] }),
  declare("TlsEdge", "mutual", { ...open(5), mutualTls: { certificateAuthorityIds: ["ca_a"] } }),
  declare("TcpEdge", "ignored", restricted(6)),
  declare("TcpEdge", "replaced", restricted(7)),
  declare("TcpEdge", "unclear", restricted(8)),
  declare("TcpEdge", "child", restricted(9), { parent: "=parent", provider: "=account" }),
  declare("TcpEdge", "renamed", restricted(10)),
  'tunnel.TcpEdge.get("theirs", "edgtcp_theirs");',
  declare("TcpEdgeIpRestriction", "theirOffice", { edgeId: "edgtcp_theirs", ipPolicyIds: ["ipp_a"] }),
];

const after = [
  component,
  account,
  declare("TcpEdge", "removed", open(1)),
  declare("TcpEdge", "unchanged", restricted(2)),
  declare("TcpEdge", "separate", open(4)),
  declare("TlsEdge", "mutual", { ...open(5), tlsTermination: { terminateAt: "upstream" } }),
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
];

const lineFor = (resource: string, port: number, reason: string, can = "can connect") =>
  `${resource}: after this change anyone ${can} to 1.tcp.example.com:${port} (${reason}).`;

const lines = [
  lineFor('TcpEdge "child"', 9, "ipRestriction is removed"),
  lineFor('TcpEdge "other"', 10, "ipRestriction is removed"),
  lineFor('TcpEdge "removed"', 1, "ipRestriction is removed"),
  lineFor('TcpEdge "replaced"', 7, "ipRestriction is removed"),
  lineFor('TcpEdge "separate"', 4, "ipRestriction is removed"),
  lineFor('TcpEdge "theirs"', 11, "ipRestriction is removed"),
  lineFor('TcpEdge "unclear"', 8, "ipRestriction.enabled is unknown", "might be able to connect"),
  lineFor('TlsEdge "mutual"', 5, "mutualTls is removed"),
];

let emulator: Emulator;
let stack: Stack;
beforeAll(async () => {
  emulator = await startService();
  emulator.seed({
    tcpEdges: [
      { id: "edgtcp_theirs", hostports: hostports(11), backend: { backend_id: "bkdhr_1" } },
      { id: "edgtcp_other" },
    ],
  });
  ({ stack } = await createStack(emulator, before.join("\n")));
  await stack.up();
});

/** What the command prints for the preview of the program. */
async function printExposure(...args: string[]): Promise<string[]> {
  const { stdout } = await stack.run(["preview", "--json", "--show-sames", "--show-replacement-steps", ...args]);
  const file = join(stack.dir, "preview.json");
  writeFileSync(file, stdout);
  const printed = execFileSync(process.execPath, [join(root, "dist/bin.js"), "exposure", file], { encoding: "utf8" });
  return printed.split("\n").slice(0, -1);
}

test("an unchanged program opens nothing, and every other opening is one line", async () => {
  expect(await printExposure()).toEqual([]);
  stack.write(after.join("\n"));
  expect(await printExposure()).toEqual(lines);
});

test("a refresh shows what is open already", async () => {
  const { id } = emulator.account.tcpEdges.find((edge) => edge.hostports?.includes(hostports(1)[0]!))!;
  emulator.api("DELETE", `/edges/tcp/${id}/ip_restriction`);
  const stillOpening = lines.filter((line) => !line.includes('"removed"'));
  expect(await printExposure("--refresh", "--run-program")).toEqual(stillOpening);
});

test("what an earlier deployment left to delete is deleted", async () => {
  const moved = before.join("\n").replace('"edgeId":separate.id', '"edgeId":"edgtcp_other"');
  stack.write(moved);
  emulator.fail({ method: "DELETE", path: "**/ip_restriction", status: 403 });
  await stack.up({ fails: true });
  expect(await printExposure()).toEqual(lines.filter((line) => line.includes('"separate"')));
});
