/** The command `exposure` with what the real CLI prints. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { createStack, declare, startService } from "../support/cli/cliStack";
import type { Stack } from "../support/cli/pulumi";
import { createYamlStack, yamlResource } from "../support/cli/yamlStack";
import { root } from "../support/root";

const backend = { backendId: "bkdhr_1" };
const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const hostports = (port: number) => [`1.tcp.example.com:${port}`];
const restricted = (port: number) => ({ hostports: hostports(port), backend, ipRestriction });
const open = (port: number) => ({ hostports: hostports(port), backend });
const route = (number: number) => ({ edgeId: "edghts_theirs", routeId: `edghtsrt_${number}` });
const component = 'const parent = new pulumi.ComponentResource("test:index:Parent", "parent");';
const account = 'const account = new tunnel.Provider("account", { apiKey: process.env.TUNNEL_EDGE_API_KEY });';

const before = [
  'console.error("Error: this is only printed, and is no failure");',
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
  declare("TcpEdge", "grows", open(13)),
  declare("TcpEdge", "gives", restricted(14)),
  declare("TcpEdge", "returns", { backend }),
  declare("TcpEdge", "oldName", restricted(16)),
  declare("TcpEdge", "world", restricted(17)),
  declare("TcpEdge", "expressions", restricted(18)),
  declare("TcpEdge", "logs", restricted(19)),
  declare("TcpEdge", "elsewhere", open(20)),
  declare("TcpEdgeIpRestriction", "elsewhereOffice", { edgeId: "=elsewhere.id", ipPolicyIds: ["ipp_a"] }),
  declare("HttpsEdgeRouteOidc", "login", {
    ...route(1),
    issuer: "https://id.example",
    clientId: "a",
    clientSecret: "b",
  }),
  declare("HttpsEdgeRouteUserAgentFilter", "bots", { ...route(1), deny: ["bot"] }),
  declare("HttpsEdgeRouteUserAgentFilter", "crawlers", { ...route(2), deny: ["bot"] }),
];
/** Once there are ids. */
const withLiteralId = (id: string) => [
  ...before,
  declare("TcpEdgeIpRestriction", "literal", { edgeId: id, ipPolicyIds: ["ipp_a"] }),
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
  declare("TcpEdge", "fresh", open(12)),
  declare("TcpEdge", "newRestricted", { ...open(21) }),
  declare("TcpEdgeIpRestriction", "newOffice", { edgeId: "=newRestricted.id", ipPolicyIds: ["ipp_b"] }),
  declare("TcpEdge", "grows", { hostports: [...hostports(13), ...hostports(14), ...hostports(22)], backend }),
  declare("TcpEdge", "gives", { backend, ipRestriction }),
  declare("TcpEdge", "returns", open(15)),
  declare("TcpEdge", "newName", open(16)),
  declare("TcpEdge", "world", { ...open(17), ipRestriction: { ipPolicyIds: ["ipp_world"] } }),
  declare("TcpEdge", "expressions", {
    ...open(18),
    policy: { inbound: [{ expressions: ["false"], actions: [{ type: "deny" }] }] },
  }),
  declare("TcpEdge", "logs", { ...open(19), policy: { inbound: [{ actions: [{ type: "log" }] }] } }),
  declare("TcpEdge", "elsewhere", open(20)),
  declare("TcpEdgeIpRestriction", "elsewhereOffice", {
    edgeId: "=pulumi.all([key.id, elsewhere.id]).apply(() => 'edgtcp_other')",
    ipPolicyIds: ["ipp_a"],
  }),
  declare("HttpsEdgeRouteUserAgentFilter", "bots", { ...route(1), deny: ["bot"] }),
];

const lineFor = (resource: string, place: number | string, reason: string, can = "can connect") =>
  `${resource}: after this change anyone ${can} to ${typeof place === "string" ? place : hostports(place)} (${reason}).`;
const might = "might be able to connect";

const lines = [
  lineFor('TcpEdge "child"', 9, "ipRestriction is removed"),
  lineFor('TcpEdge "other"', 10, "ipRestriction is removed"),
  lineFor('TcpEdge "removed"', 1, "ipRestriction is removed"),
  lineFor('TcpEdge "replaced"', 7, "ipRestriction is removed"),
  lineFor('TcpEdge "separate"', 4, "ipRestriction is removed"),
  lineFor('TcpEdge "theirs"', 11, "ipRestriction is removed"),
  lineFor('TcpEdge "unclear"', 8, "ipRestriction.enabled is unknown", might),
  lineFor('TlsEdge "mutual"', 5, "mutualTls is removed"),
  lineFor('TcpEdge "fresh"', 12, "new edge; nothing restricts it"),
  lineFor('TcpEdge "grows"', 22, "new hostport; nothing restricts it"),
  lineFor('TcpEdge "grows"', 14, 'moved from TcpEdge "gives"; ipRestriction is removed'),
  lineFor('TcpEdge "returns"', 15, "new hostport; nothing restricts it"),
  lineFor('TcpEdge "newName"', 16, 'new edge in place of TcpEdge "oldName"; ipRestriction is removed'),
  lineFor('TcpEdge "world"', 17, "ipp_world is new in ipRestriction", might),
  lineFor('TcpEdge "expressions"', 18, "ipRestriction is removed; only policy restricts it now", might),
  lineFor('TcpEdge "logs"', 19, "ipRestriction is removed; policy has other actions than deny", might),
  lineFor('TcpEdge "elsewhere"', 20, "ipRestriction is unknown", might),
  lineFor('HttpsEdgeRouteOidc "login"', "edghts_theirs/edghtsrt_1", "oidc is removed"),
  lineFor(
    'HttpsEdgeRouteUserAgentFilter "crawlers"',
    "edghts_theirs/edghtsrt_2",
    "userAgentFilter is removed; oidc is unknown",
    might,
  ),
].sort();

let emulator: Emulator;
let stack: Stack;
const findEdge = (port: number) =>
  emulator.account.tcpEdges.find((edge) => edge.hostports?.includes(hostports(port)[0]!))!;
beforeAll(async () => {
  emulator = await startService();
  emulator.seed({
    tcpEdges: [
      { id: "edgtcp_theirs", hostports: hostports(11), backend: { backend_id: "bkdhr_1" } },
      { id: "edgtcp_other" },
    ],
    httpsEdges: [{ id: "edghts_theirs", routes: [{ id: "edghtsrt_1" }, { id: "edghtsrt_2" }] }],
  });
  ({ stack } = await createStack(emulator, before.join("\n")));
  await stack.up();
});

/** The file with the preview of the program. */
async function savePreview(...args: string[]): Promise<string> {
  const { stdout } = await stack.run(["preview", "--json", "--show-sames", "--show-replacement-steps", ...args]);
  const file = join(stack.dir, `preview${args.join("")}.json`);
  writeFileSync(file, stdout);
  return file;
}

/** What the command prints for previews. */
function printExposure(...files: string[]): string[] {
  const printed = execFileSync(process.execPath, [join(root, "dist/bin.js"), "exposure", ...files], {
    encoding: "utf8",
  });
  return printed.split("\n").slice(0, -1);
}

test("an unchanged program opens nothing, and every other opening is one line", async () => {
  expect(printExposure(await savePreview())).toEqual([]);
  stack.write(after.join("\n"));
  expect(printExposure(await savePreview())).toEqual(lines);
});

test("a refresh shows what is open already, and the preview without it what the state had: both are asked", async () => {
  const { id } = findEdge(1);
  emulator.api("DELETE", `/edges/tcp/${id}/ip_restriction`);
  const stillOpening = lines.filter((line) => !line.includes('"removed"'));
  const [change, merge] = [await savePreview(), await savePreview("--refresh", "--run-program")];
  expect(printExposure(merge)).toEqual(stillOpening);
  expect(printExposure(change, merge)).toEqual(lines);
});

test("a replaced edge leaves a module behind that names its old id", async () => {
  const { id } = findEdge(13);
  stack.write(withLiteralId(id).join("\n"));
  await stack.up();
  const replaced = declare(
    "TcpEdge",
    "grows",
    { ...open(13), description: "x" },
    { replaceOnChanges: ["description"] },
  );
  const program = withLiteralId(id).map((each) => (each.includes('"grows"') ? replaced : each));
  stack.write(program.join("\n"));
  expect(printExposure(await savePreview())).toEqual([lineFor('TcpEdge "grows"', 13, "ipRestriction is removed")]);
  stack.write(before.join("\n"));
  await stack.up();
});

test("what an earlier deployment left to delete is deleted", async () => {
  const moved = before.join("\n").replace('"edgeId":separate.id', '"edgeId":"edgtcp_other"');
  stack.write(moved);
  emulator.fail({ method: "DELETE", path: "**/ip_restriction", status: 403 });
  await stack.up({ fails: true });
  expect(printExposure(await savePreview())).toEqual(lines.filter((line) => line.includes('"separate"')));
});

test("a preview without unchanged resources is rejected, however many others it has", async () => {
  stack.write(after.join("\n"));
  const { stdout } = await stack.run(["preview", "--json"]);
  const file = join(stack.dir, "changes.json");
  writeFileSync(file, stdout);
  expect(() => printExposure(file)).toThrow("The preview leaves out unchanged resources.");
});

test("a failed preview is rejected, in YAML too", async () => {
  for (const properties of [{ hostport: [] }, { hostports: ["a.example:99999"] }]) {
    const { stack: yaml } = await createYamlStack(
      { resources: { a: yamlResource("TcpEdge", properties) } },
      { emulator },
    );
    const { stdout } = await yaml.run(["preview", "--json", "--show-sames", "--show-replacement-steps"], {
      fails: true,
    });
    const file = join(stack.dir, "failed.json");
    writeFileSync(file, stdout);
    expect(() => printExposure(file)).toThrow("The preview failed");
  }
});
