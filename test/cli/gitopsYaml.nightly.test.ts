/**
 * The repository without code: what the plugin changes in the workflow, and the operator's Program, with the real CLI and
 * the plugin.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { parseAllDocuments, stringify } from "yaml";
import { startService } from "../support/cli/cliStack";
import { copyExample, editFile } from "../support/cli/example";
import { Stack } from "../support/cli/pulumi";
import { both, hasJq, opens, Repository, titlesOf, verdictOf } from "../support/cli/repository";
import { manifest } from "../support/data/manifest";
import { root } from "../support/root";
import { testIf } from "../support/testIf";

const dir = copyExample("gitops-yaml");
const temporary = mkdtempSync(join(tmpdir(), "gitops-yaml-"));
// What a new runner has: no plugin, which Pulumi may download.
const env = { PULUMI_HOME: join(temporary, "home"), PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: undefined };
let isTampered = false;
const ssh = () => emulator.account.tcpEdges[0]!;

let emulator: Emulator;
let release: Server;
let repository: Repository;
beforeAll(async () => {
  emulator = await startService();
  release = await serveRelease();
  editFile(dir, "Pulumi.production.yaml", "https://api.example.com", emulator.url);
  const stack = await Stack.create({ dir, env });
  await stack.run(["stack", "init", "production"]);
  const { port } = release.address() as AddressInfo;
  repository = new Repository(stack, emulator, { PLUGIN_SERVER: `http://127.0.0.1:${port}` });
});
afterAll(() => {
  release?.close();
  rmSync(temporary, { recursive: true });
});

/** Serves a folder with the plugin's archive for every system, which here needs Node. */
async function serveRelease(): Promise<Server> {
  const archive = join(temporary, "archive.tar.gz");
  execFileSync("tar", ["-czf", archive, "-C", join(root, "plugin"), "pulumi-resource-tunnel-edge", "schema.json"]);
  const name = new RegExp(`^/(pulumi-resource-tunnel-edge-v${manifest.version}-\\w+-\\w+\\.tar\\.gz)(\\.sha256)?$`);
  const server = createServer(({ url = "" }, response) => {
    const [found, file, isSum] = name.exec(url) ?? [];
    const content = readFileSync(archive);
    if (!found) response.writeHead(404).end();
    else if (isSum) response.end(`${createHash("sha256").update(content).digest("hex")}  ${file}\n`);
    else response.end(isTampered ? Buffer.concat([content, Buffer.from("x")]) : content);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return server;
}

const passed = { preview: "success", check: "success", up: "skipped", drift: "skipped" };

test("a pull request on a new runner: the plugin is installed, and the comment has both previews", async () => {
  const { jobs, published } = await repository.run("pull_request");
  expect({ jobs, titles: titlesOf(published) }).toEqual({ jobs: passed, titles: [both] });
  expect(published).toContain("@@ create TcpEdge ");
});

testIf(hasJq, "jq is not installed.")("a merge deploys, drift opens an issue, and a merge repairs it", async () => {
  expect((await repository.run("push")).jobs).toEqual({ ...passed, up: "success" });
  expect(emulator.account).toMatchObject({ tcpEdges: [{ ip_restriction: {} }], tlsEdges: [{ mutual_tls: {} }] });

  emulator.api("PUT", `/edges/tcp/${ssh().id}/ip_restriction`, { ip_policy_ids: ["ipp_incident"] });
  const { jobs, ghCalls, published } = await repository.run("schedule");
  expect(jobs).toEqual({ ...passed, check: "skipped", drift: "success" });
  expect(ghCalls.at(-1)).toMatch(/^issue create /);
  expect(verdictOf(published)).toBe("⚠️ Public addresses are open because of drift");
  expect(published).toContain(
    "| might be open now, because of drift (ipp_incident is new in ipRestriction); deploying closes it |",
  );
  expect((await repository.run("push")).jobs).toEqual({ ...passed, up: "success" });
});

test("a change that opens an edge fails the check, unless the same commit lists its address", async () => {
  editFile(dir, "Pulumi.yaml", "      ipRestriction: { ipPolicyIds: [ipp_office] }\n", "");
  const { jobs, printed, published } = await repository.run("pull_request");
  expect(jobs).toEqual({ ...passed, check: "failure" });
  expect(printed["check"]!["Check what opens"]).toContain("anyone can connect to 1.tcp.tunnel.example:20022");
  expect(verdictOf(published)).toBe(opens);
  appendFileSync(join(dir, "open.txt"), "1.tcp.tunnel.example:20022\n");
  expect((await repository.run("push")).jobs).toEqual({ ...passed, up: "success" });
  expect(ssh().ip_restriction).toBeNull();
});

test("an archive with another checksum is not installed", async () => {
  isTampered = true;
  const { jobs, printed } = await repository.run("pull_request");
  expect(jobs).toEqual({ ...passed, preview: "failure", check: "failure" });
  expect(printed["preview"]!["Install"]).toContain("computed checksum did NOT match");
  isTampered = false;
});

test("the operator's Program is a YAML program that creates an edge", async () => {
  const documents = parseAllDocuments(readFileSync(join(dir, "operator/program.yaml"), "utf8"));
  const { program } = documents.map((document) => document.toJS()).find(({ kind }) => kind === "Program");
  const service = await startService();
  const stack = await Stack.create({ yaml: stringify(program), emulator: service });
  await stack.up();
  const [edge] = service.account.tcpEdges;
  expect(edge).toMatchObject({ hostports: ["1.tcp.tunnel.example:20022"], ip_restriction: { enabled: true } });
  expect(await stack.outputs()).toEqual({ sshEdge: edge!.id });
});
