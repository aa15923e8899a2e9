/**
 * States of earlier versions. test/states has one for each release: a program, its account and its state, recorded with
 * the real CLI. The current code must find nothing to do, and must be able to destroy everything.
 * Promise: "An upgrade keeps your state".
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Account } from "pulumi-tunnel-edge/emulator";
import { agentCommands, definitions } from "../../src/definitions";
import { createStack, declare, extractErrors, startService } from "../support/cli/cliStack";
import type { Deployment } from "../support/cli/pulumi";
import { manifest } from "../support/data/manifest";
import { publicKey } from "../support/data/publicKey";
import { definitionOf, sampleOf } from "../support/data/samples";
import { declareMissing } from "../support/engine/declareSamples";
import { formatJson } from "../support/formatJson";

const folder = resolve(__dirname, "../states");
const { version } = manifest;
const recording = process.env["RECORD_STATE"] !== undefined;

/** What is recorded for a version. Its secrets are not real, and are in plain text. */
interface Recorded {
  program: string;
  account: object;
  state: { version: number; deployment: Deployment };
}

const temporary = mkdtempSync(join(tmpdir(), "tunnel-edge-states-"));
afterAll(() => rmSync(temporary, { recursive: true }));

const route = { edgeId: "edghts_a", routeId: "edghtsrt_a" };
const policy = {
  inbound: [{ name: "no", expressions: ["true"], actions: [{ type: "deny", config: { some_Key: 1 } }] }],
};
const ipRestriction = { ipPolicyIds: ["ipp_b", "ipp_a"] };
const backend = { enabled: false, backendId: "bkdhr_a" };
const texts = { description: "made by a release", metadata: "=pulumi.secret('hush')" };

/** Resources with every argument, and what else a state can contain. `record` adds the samples of others. */
const program = [
  'const other = new tunnel.Provider("other", { apiKey: "emulator-api-key", maxRetries: 2 });',
  declare("TcpEdge", "ssh", { ...texts, hostports: ["1.tcp.example.com:20022"], backend, ipRestriction, policy }),
  declare("TcpEdge", "there", { description: "there" }, { provider: "=other", customTimeouts: { delete: "5m" } }),
  declare("TlsEdge", "api", {
    ...texts,
    hostports: ["api.example.com:443"],
    backend,
    ipRestriction,
    mutualTls: { certificateAuthorityIds: ["ca_a"] },
    tlsTermination: { terminateAt: "edge", minVersion: "1.2" },
    policy,
  }),
  declare(
    "TcpEdgeIpRestriction",
    "office",
    { edgeId: "=there.id", enabled: false, ipPolicyIds: ["ipp_a"] },
    { provider: "=other" },
  ),
  declare("TlsEdge", "bare"),
  declare("TlsEdgeTlsTermination", "passed", { edgeId: "=bare.id", terminateAt: "upstream" }),
  declare("ApiKey", "key", { ...texts, keepers: { quarter: "1" } }, { ignoreChanges: ["description"] }),
  declare("SshCredential", "credential", { ...texts, publicKey: publicKey("test"), acl: ["bind:*.example.com"] }),
  declare("HttpsEdgeTlsTermination", "web", { edgeId: route.edgeId, enabled: true, minVersion: "1.2" }),
  declare("HttpsEdgeRouteOidc", "login", {
    ...route,
    optionsPassthrough: true,
    cookiePrefix: "edge.",
    inactivityTimeout: 60,
    maximumDuration: 3600,
    issuer: "https://id.example.com",
    clientId: "edge",
    clientSecret: "=key.token",
    scopes: ["openid", "email"],
  }),
  declare("HttpsEdgeRouteRequestHeaders", "headers", {
    ...route,
    add: { "X-Api_Key": "=key.token" },
    remove: ["Cookie"],
  }),
  declare("HttpsEdgeRouteUserAgentFilter", "bots", { ...route, allow: ["(?i)curl/.*"], deny: ["bot"] }),
  declare("TunnelSessionCommand", "update", { sessionId: "ts_a", commands: ["update"], triggers: ["1"] }),
  "exports.token = key.token;",
].join("\n");

/** Records this version. */
async function record(): Promise<void> {
  const file = join(temporary, "recorded.json");
  const emulator = await startService({ file });
  emulator.seed({
    httpsEdges: [{ id: route.edgeId, routes: [{ id: route.routeId }] }],
    sessions: [{ id: "ts_a" }],
  });
  const missing = declareMissing(program, emulator, "sample").map(({ statement }) => statement);
  const whole = [program, ...missing].join("\n");
  const { stack } = await createStack(emulator, whole);
  await stack.up();
  const { stdout } = await stack.run(["stack", "export", "--show-secrets"]);
  await emulator.close();
  const account = JSON.parse(readFileSync(file, "utf8"));
  const recorded: Recorded = { program: whole, account, state: JSON.parse(stdout) };
  for (const resource of recorded.state.deployment.resources!) {
    for (const where of ["sourcePosition", "stackTrace"]) delete resource[where];
  }
  writeFileSync(join(folder, `${version}.json`), formatJson(recorded, 4));
}

async function restore({ program: source, account, state }: Recorded) {
  const file = join(temporary, "account.json");
  writeFileSync(file, JSON.stringify(account));
  const emulator = await startService({ file });
  const { stack, calls } = await createStack(emulator, source);
  const exported = join(temporary, "state.json");
  writeFileSync(exported, JSON.stringify(state));
  await stack.run(["stack", "import", "--file", exported]);
  return { emulator, stack, calls };
}

const typeOf = ({ type }: { type: string }) => type.split(":").pop() as string;
const listTypes = ({ state }: Recorded) => new Set(state.deployment.resources!.map(typeOf));
const listIds = (account: Account) =>
  Object.values(account).flatMap((objects: { id: string }[]) => objects.map(({ id }) => id));

if (recording) beforeAll(record);

const kept = readdirSync(folder).filter((name) => /^\d.*\.json$/.test(name));
const versions = [...new Set([...kept, ...(recording ? [`${version}.json`] : [])])];

test("this version's state is recorded, with every resource", () => {
  expect(versions).toContain(`${version}.json`);
  const types = listTypes(JSON.parse(readFileSync(join(folder, `${version}.json`), "utf8")) as Recorded);
  for (const { type } of [...definitions, ...agentCommands]) expect(types).toContain(type);
});

test.each(versions)("%s: no changes, no drift, and everything can be destroyed", async (name) => {
  const recorded = JSON.parse(readFileSync(join(folder, name), "utf8")) as Recorded;
  const { emulator, stack, calls } = await restore(recorded);
  const before = emulator.account;
  expect(extractErrors(await stack.preview({ expectNoChanges: true }))).toEqual([]);
  expect(calls()).toEqual([]);
  expect(extractErrors(await stack.preview({ args: ["--refresh"], expectNoChanges: true }))).toEqual([]);
  expect(new Set(calls().map((call) => call.split(" ")[0]))).toEqual(new Set(["GET"]));
  await stack.destroy();
  // Only what the program did not create is left, without the program's modules.
  const managed = recorded.state.deployment.resources!.flatMap((resource) => {
    const sample = sampleOf(typeOf(resource));
    return sample ? [{ ...resource, sample, isModule: definitionOf(sample).kind === "module" }] : [];
  });
  const objects = new Set(managed.filter(({ isModule }) => !isModule).map(({ id }) => id));
  expect(listIds(emulator.account)).toEqual(listIds(before).filter((id) => !objects.has(id)));
  for (const { sample, inputs } of managed.filter(({ isModule }) => isModule)) {
    expect(sample.findObjects(emulator.account, "", inputs)).toEqual([]);
  }
});
