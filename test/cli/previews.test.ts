/**
 * What a user reads before confirming: the output of `pulumi preview --diff` for each kind of change and each resource,
 * recorded in test/cli/previews. `npm test -- test/cli/previews.test.ts -u` records it again: read what changed.
 * Promise: "A quiet preview".
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { createStack, declare, startService } from "../support/cli/cliStack";
import { readCliVersion, type Stack } from "../support/cli/pulumi";
import { isUpdatingSnapshots } from "../support/cli/snapshots";
import { publicKey } from "../support/data/publicKey";
import { type Sample, samples, secretMark } from "../support/data/samples";
import { isPlugin } from "../support/engine/differences";
import { root } from "../support/root";
import { testIf } from "../support/testIf";

const backend = { backendId: "bkdhr_a" };
const offices = { ipPolicyIds: ["ipp_berlin", "ipp_paris"] };
const inbound = [{ name: "night", expressions: ["hour() < 6"], actions: [{ type: "deny" }] }];
const route = { edgeId: "edghts_web", routeId: "edghtsrt_login" };
const oidc = { ...route, issuer: "https://id.example.com", clientId: "web", clientSecret: "hush", scopes: ["a", "b"] };
const command = { sessionId: "ts_office", commands: ["restart"] };

/** Lists whose order has no meaning: another order is no change. */
const reordered = { hostports: ["f.example.com:6", "g.example.com:7"], ipRestriction: offices };
const reverseLists = <Args>(args: Args): Args =>
  JSON.parse(JSON.stringify(args, (_, value) => (Array.isArray(value) ? [...value].reverse() : value)));

/** A program with resources named after what happens to them, before and after it happens. */
const resources: Record<string, [type: string, before: object, after?: object, opts?: object]> = {
  keepers: ["ApiKey", { keepers: { quarter: "2027-Q1" } }, { keepers: { quarter: "2027-Q2" } }],
  ownerId: ["ApiKey", { ownerId: "bot_1" }, { ownerId: "bot_2", description: "of another bot" }],
  publicKey: ["SshCredential", { publicKey: publicKey("old") }, { publicKey: publicKey("new") }],
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
  clientSecret: ["HttpsEdgeRouteOidc", oidc, { ...reverseLists(oidc), clientSecret: "hush!" }],
  ownSecret: ["ApiKey", { metadata: "=pulumi.secret('hush')" }, { metadata: "=pulumi.secret('hush!')" }],
  command: ["TunnelSessionCommand", { ...command, triggers: ["1"] }, { ...command, triggers: ["2"] }],
  deleted: ["TcpEdge", { hostports: ["d.example.com:4"], ipRestriction: offices, policy: { inbound } }],
  deletedSecret: ["ApiKey", { metadata: "=pulumi.secret('hush')" }],
  reordered: ["TcpEdge", reordered, reverseLists(reordered)],
};

/** The resources that no change above is about: their samples. */
const others = samples.filter(({ type }) => !Object.values(resources).some(([listed]) => listed === type));

/** Adds a resource with the programs of its sample. */
function addSample({ type, parents, programs }: Sample): void {
  const ids = parents?.(emulator) ?? {};
  const isSecret = (value: unknown) => typeof value === "string" && value.includes(secretMark);
  const [before, after] = programs("sample").map((args) =>
    JSON.parse(JSON.stringify(args, (_, value) => (isSecret(value) ? `=pulumi.secret('${value}')` : value))),
  );
  resources[`sampleOf${type}`] = [type, { ...ids, ...before }, { ...ids, ...after }];
}

const declareResource = (name: string, args: object) => declare(resources[name]![0], name, args, resources[name]![3]);

/** The program before its resources change. */
const program = () =>
  Object.entries(resources)
    .map(([name, [, before]]) => declareResource(name, before))
    .join("\n");

const changedProgram = () =>
  Object.entries(resources)
    .flatMap(([name, [, , after]]) => (after ? [declareResource(name, after)] : []))
    .join("\n");

/** The engine displays what it imports for a plugin, and every argument that is not marked as a secret. */
const theirs = isPlugin ? "theirs" : "hush";
const unmarked = isPlugin ? "ours" : "hush";

const recorded = join(__dirname, isPlugin ? "pluginPreviews" : "previews");
const goMod = readFileSync(join(root, "tools/offline-cli/engine/go.mod"), "utf8");
const [, recordedVersion] = /pulumi\/pkg\/v3 (v\S+)/.exec(goMod)!;
/** Other versions of the CLI may display the same differently. */
const isRecordedVersion = readCliVersion() === recordedVersion;

let emulator: Emulator;
let stack: Stack;

beforeAll(async () => {
  emulator = await startService({ documentedOnly: true });
  emulator.seed({
    users: [{ id: "bot_1" }, { id: "bot_2" }],
    httpsEdges: [{ id: route.edgeId, routes: [{ id: route.routeId }] }],
    sessions: [{ id: command.sessionId }],
    tcpEdges: [
      {
        id: "edgtcp_theirs",
        description: "made by hand",
        hostports: ["c.example.com:3"],
        policy: { inbound: [{ name: theirs, actions: [{ type: "log", config: { key: theirs } }] }] },
      },
    ],
  });
  for (const sample of others) addSample(sample);
  ({ stack } = await createStack(emulator, program()));
});

/** What was displayed, by the file that it is recorded in. */
const displayed = new Map<string, string>();

/** Expects that a preview has no secrets and nothing unreadable. */
function expectReadable(name: string, printed: string): void {
  const file = `${name}.txt`;
  const text = normalizeText(printed);
  displayed.set(file, text);
  if (isRecordedVersion && isUpdatingSnapshots()) writeFileSync(join(recorded, file), text);
  expect(text).not.toMatch(/hush|__|undefined|\[object|prematurely/);
}

async function expectPreview(name: string, statements: string, options: { fails?: boolean; args?: string[] } = {}) {
  stack.write(statements);
  const { stdout, stderr } = await stack.preview({ diff: true, ...options });
  expectReadable(name, stdout + sortMessages(stderr));
}

describe("the preview has no secrets and nothing unreadable", () => {
  test("create", async () => {
    const up = await stack.up({ preview: true, args: ["--diff"] });
    expect(up.stderr).toBe("");
    expectReadable("create", up.stdout.split(/^Updating /m)[0]!);
    emulator.clearRequests();
  });

  test("update, replace and delete, and no change if only the order of lists differs", () =>
    expectPreview("change", changedProgram()));

  const declareImport = (args: object) => declare("TcpEdge", "theirs", args, { import: "edgtcp_theirs" });

  test("import, and another provider, which is no change for the engine", () => {
    const account = `const account = new tunnel.Provider("account", { apiKey: "hush-hush", baseUrl: "${emulator.url}" });`;
    const moved = declare("TcpEdge", "texts", resources.texts![1], { provider: "=account" });
    const imported = declareImport({ description: "made by hand" });
    return expectPreview("import", [account, program().replace(/const texts = .*/, moved), imported].join("\n"));
  });

  test("an import that does not match", () => {
    const rule = {
      name: "=pulumi.secret('hush!')",
      actions: [{ type: "log", config: { key: "=pulumi.secret('hush!')" } }],
    };
    return expectPreview(
      "mismatch",
      declareImport({
        description: "=pulumi.secret('hush')",
        metadata: unmarked,
        backend,
        policy: { inbound: [rule] },
      }),
      { fails: !isPlugin },
    );
  });

  test("invalid arguments", () => {
    const wrong = {
      description: "ü".repeat(128),
      metadata: { team: "edge" },
      hostports: ["tcp://d.example.com:4"],
      backend: { backendID: "bkdhr_a" },
      ipRestriction: { ipPolicyIds: ["ip_a"] },
      polcy: {},
    };
    return expectPreview("invalid", declare("TcpEdge", "wrong", wrong), { fails: true });
  });

  test("invalid arguments that are secrets", () => {
    const wrong = { publicKey: "=pulumi.secret('hush')", acl: ["=pulumi.secret('hush')", "bind:example.com"] };
    return expectPreview("invalidSecrets", declare("SshCredential", "wrong", wrong), { fails: true });
  });

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
    const env = { TUNNEL_EDGE_API_KEY: JSON.parse(plaintext) };
    const { stdout, stderr } = await stack.up({ args: ["--diff"], env });
    expectReadable("warnings", stdout + stderr);
  });
});

const testRecorded = testIf(
  isRecordedVersion,
  `the previews were recorded with Pulumi ${recordedVersion}, which is not installed.`,
);

testRecorded.each(readdirSync(recorded))(`%s is what Pulumi ${recordedVersion} displays`, (file) => {
  expect(displayed.get(file)).toBe(readFileSync(join(recorded, file), "utf8"));
});

testRecorded("every preview is recorded", () => {
  expect(readdirSync(recorded).sort()).toEqual([...displayed.keys()].sort());
});

/** Sorts the messages by their resources, whose order is not fixed. */
function sortMessages(messages: string): string {
  const subject = (line: string) => line.split(": ")[0]!;
  const lines = messages.split(/^(?=.)/m);
  return lines.sort((a, b) => (subject(a) < subject(b) ? -1 : Number(subject(a) > subject(b)))).join("");
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
