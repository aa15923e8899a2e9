/**
 * What a user reads before confirming: the output of `pulumi preview --diff` for each kind of change, recorded in
 * test/cli/previews. `npm test -- test/cli/previews.test.ts -u` records it again: read what changed.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { createStack, declare, startService } from "../support/cliStack";
import type { Result, Stack } from "../support/pulumi";
import { isUpdatingSnapshots } from "../support/snapshots";

const backend = { backendId: "bkdhr_a" };
const offices = { ipPolicyIds: ["ipp_berlin", "ipp_paris"] };
const inbound = [{ name: "night", expressions: ["hour() < 6"], actions: [{ type: "deny" }] }];
const route = { edgeId: "edghts_web", routeId: "edghtsrt_login" };
const oidc = { ...route, issuer: "https://id.example.com", clientId: "web", clientSecret: "hush", scopes: ["a", "b"] };
const command = { sessionId: "ts_office", commands: ["restart"] };

/** A program with resources named after what happens to them, before and after it happens. */
const resources: Record<string, [type: string, before: object, after: object, opts?: object]> = {
  keepers: ["ApiKey", { keepers: { quarter: "2027-Q1" } }, { keepers: { quarter: "2027-Q2" } }],
  ownerId: ["ApiKey", { ownerId: "bot_1" }, { ownerId: "bot_2", description: "of another bot" }],
  publicKey: ["SshCredential", { publicKey: "ssh-ed25519 AAAA old" }, { publicKey: "ssh-ed25519 AAAA new" }],
  option: ["ApiKey", { description: "ci" }, { description: "cd" }, { replaceOnChanges: ["description"] }],
  otherWords: ["TcpEdge", { backend }, { backend: { ...backend, enabled: true } }, { replaceOnChanges: ["backend"] }],
  texts: ["TcpEdge", { description: "ssh", metadata: "team=edge" }, { description: "SSH to the office" }],
  hostports: ["TcpEdge", { hostports: ["a.example.com:1"] }, { hostports: ["a.example.com:1", "b.example.com:2"] }],
  edgeId: ["TcpEdgeIpRestriction", { edgeId: "=texts.id", ...offices }, { edgeId: "=hostports.id", ...offices }],
  moduleAdded: ["TcpEdge", { ipRestriction: offices }, { ipRestriction: offices, policy: { inbound } }],
  moduleChanged: [
    "TcpEdge",
    { ipRestriction: offices },
    { ipRestriction: { ipPolicyIds: ["ipp_berlin", "ipp_rome"] } },
  ],
  moduleDropped: ["TcpEdge", { backend, policy: { inbound } }, { backend }, { dependsOn: "=keepers" }],
  clientSecret: ["HttpsEdgeRouteOidc", oidc, { ...oidc, clientSecret: "hush!" }],
  ownSecret: ["ApiKey", { metadata: "=pulumi.secret('hush')" }, { metadata: "=pulumi.secret('hush!')" }],
  command: ["TunnelSessionCommand", { ...command, triggers: ["1"] }, { ...command, triggers: ["2"] }],
};
const replaced = ["keepers", "ownerId", "publicKey", "option", "edgeId"];
const updated = Object.keys(resources).filter((name) => !replaced.includes(name));

const declareResource = (name: string, args: object) => declare(resources[name]![0], name, args, resources[name]![3]);

/** The program after these resources have changed. */
const program = (after: string[] = []) =>
  Object.entries(resources)
    .map(([name, [, before, then]]) => declareResource(name, after.includes(name) ? then : before))
    .join("\n");

let emulator: Emulator;
let stack: Stack;
/** Other versions of the CLI may display the same differently. */
let isVersionOfTexts: boolean;

beforeAll(async () => {
  emulator = await startService({ documentedOnly: true });
  emulator.seed({
    users: [{ id: "bot_1" }, { id: "bot_2" }],
    httpsEdges: [{ id: route.edgeId, routes: [{ id: route.routeId }] }],
    sessions: [{ id: command.sessionId }],
    tcpEdges: [{ id: "edgtcp_theirs", description: "made by hand", hostports: ["c.example.com:3"] }],
  });
  ({ stack } = await createStack(emulator, program()));
  const [, wanted] = /pulumi\/pkg\/v3 (v\S+)/.exec(
    readFileSync(join(__dirname, "../../scripts/cli/engine/go.mod"), "utf8"),
  )!;
  const version = (await stack.run(["version"])).stdout.trim();
  isVersionOfTexts = version === wanted;
  if (!isVersionOfTexts)
    console.warn(`The texts of previews are those of Pulumi ${wanted}, and not compared with ${version}'s.`);
});

/** Compares the preview of a program with the recorded one. */
async function expectPreview(name: string, statements: string, options: { fails?: boolean; args?: string[] } = {}) {
  stack.write(statements);
  expectRecorded(name, await stack.preview({ diff: true, ...options }));
}

test("create", async () => {
  await expectPreview("create", program());
  await stack.up();
  emulator.clearRequests();
});

test("update", () => expectPreview("update", program(updated)));

test("no change if only the order of lists differs", () => {
  const reverse = (_: string, value: unknown) =>
    Array.isArray(value) && value.every((item) => typeof item === "string") ? [...value].reverse() : value;
  const reordered = Object.entries(resources).map(([name, [, before]]) =>
    declareResource(name, JSON.parse(JSON.stringify(before, reverse))),
  );
  expect(reordered.join("\n")).not.toBe(program());
  return expectPreview("same", reordered.join("\n"));
});

test("replace", () => expectPreview("replace", program(replaced)));

test("delete", () => expectPreview("delete", declareResource("texts", resources.texts![1])));

const declareImport = (args: object) => declare("TcpEdge", "theirs", args, { import: "edgtcp_theirs" });

test("import", () => expectPreview("import", `${program()}\n${declareImport({ description: "made by hand" })}`));

test("an import that does not match", () =>
  expectPreview("mismatch", declareImport({ description: "mine", metadata: "hush", backend }), { fails: true }));

test("invalid arguments", () => {
  const wrong = { hostports: ["tcp://d.example.com:4"], backend: { backendID: "bkdhr_a" }, descripton: "ssh" };
  return expectPreview("invalid", declare("TcpEdge", "wrong", wrong), { fails: true });
});

test("another provider, which is no change for the engine", () => {
  const account = `const account = new tunnel.Provider("account", { apiKey: "hush-hush", baseUrl: "${emulator.url}" });`;
  const moved = declare("TcpEdge", "texts", resources.texts![1], { provider: "=account" });
  return expectPreview("provider", [account, program().replace(/const texts = .*/, moved)].join("\n"));
});

test("a module that is declared twice", () =>
  expectPreview(
    "declaredTwice",
    `${program()}\n${declare("TcpEdgeIpRestriction", "twice", { edgeId: "=moduleAdded.id", ...offices })}`,
  ));

test("previews send no requests, except for imports", () => {
  expect(new Set(emulator.calls())).toEqual(new Set(["GET /edges/tcp/{id}"]));
});

test("drift", async () => {
  const [edge] = emulator.account.tcpEdges.filter(({ description }) => description === "ssh");
  emulator.api("PATCH", `/edges/tcp/${edge!.id}`, { description: "by hand", hostports: ["e.example.com:5"] });
  await expectPreview("drift", program(), { args: ["--refresh"] });
});

test("warnings of a delete: an edge that the service cannot delete, and the provider's own key", async () => {
  const own = (await stack.export({ showSecrets: true })).resources!.find(({ urn }) => urn.endsWith("::keepers"));
  const { plaintext } = own!.outputs.token as { plaintext: string };
  stack.write(program().replace(/const (?:keepers|moduleDropped) = .*/g, ""));
  expectRecorded("warnings", await stack.up({ args: ["--diff"], env: { TUNNEL_EDGE_API_KEY: JSON.parse(plaintext) } }));
});

test("every recorded preview belongs to a test", () => {
  expect(readdirSync(folder).sort()).toEqual([...read].sort());
});

const folder = join(__dirname, "previews");
const read = new Set<string>();

function expectRecorded(name: string, { stdout, stderr }: Result): void {
  const file = `${name}.txt`;
  read.add(file);
  const text = normalizeText(stdout + stderr);
  expect(text).not.toMatch(/hush|__|undefined|\[object/);
  if (!isVersionOfTexts) return;
  if (isUpdatingSnapshots()) writeFileSync(join(folder, file), text);
  expect(text).toBe(readFileSync(join(folder, file), "utf8"));
}

/** Removes what differs in every run: ids, times, addresses, and the order of concurrent operations. */
function normalizeText(text: string): string {
  const plain = text
    .replace(/\b([a-z]+_)[0-9A-Za-z]{27}\b/g, "$1…")
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "…")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "…")
    .replace(/127\.0\.0\.1:\d+/g, "…")
    .replace(/^Duration: .*\n/m, "");
  const [, shown = "", rest = ""] = /^([\s\S]*?)(^Resources:[\s\S]*)$/m.exec(plain) ?? [];
  const [head, ...rows] = shown.split(/^(?= {4}\S.*: \([\w -]+\)$)/m);
  const urn = (row: string) => /\[urn=(.*)\]/.exec(row)![1]!;
  return [head, ...rows.sort((a, b) => (urn(a) < urn(b) ? -1 : 1)), rest].join("");
}
