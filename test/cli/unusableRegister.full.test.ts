/**
 * Deployments whose processes cannot tell each other what they declare: another user, a file or a full disk is in the
 * way. Nothing is deleted or removed then, and everything else goes on.
 */
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { createStack, declare, extractErrors, startService } from "../support/cli/cliStack";
import type { Result } from "../support/cli/pulumi";
import { createYamlStack, listWrites, writeYaml, yamlResource } from "../support/cli/yamlStack";

const parent = mkdtempSync(join(tmpdir(), "register-"));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const user = process.getuid!();
/** The environment in which the register may be in two folders, and these folders. */
function createFolders(name: string) {
  const [temporary, home] = ["tmp", "home"].map((each) => join(parent, name, each)) as [string, string];
  for (const each of [temporary, home]) mkdirSync(each, { recursive: true });
  return {
    env: { TMPDIR: temporary, PULUMI_HOME: home },
    folders: [
      join(temporary, `pulumi-tunnel-edge-${user}`),
      join(home, `pulumi-tunnel-edge-${hostname()}-${user}`),
    ] as const,
  };
}

/** Only root can give a folder to another user: for others, a file is in its place. */
function giveAway(folder: string): string {
  if (user !== 0) {
    writeFileSync(folder, "");
    return "EEXIST: file already exists";
  }
  mkdirSync(folder);
  chownSync(folder, 12345, 12345);
  return "belongs to another user";
}

const fix = "Set TMPDIR to a folder that only you can write to, then run Pulumi again.";
const unknown = "it is not known what other provider processes of this deployment declare. The reason is ";
const fullDisk = `--require ${join(__dirname, "../support/preload/fullDisk.js")}`;
const warnings = ({ diagnostics }: Result) =>
  diagnostics.filter(({ severity }) => severity === "warning").map(({ message }) => message);

const hostports = ["1.tcp.example.com:20022"];

test("an edge that is renamed with import under an explicit Provider stays", async () => {
  const { env, folders } = createFolders("classes");
  const emulator = await startService();
  const { stack } = await createStack(emulator, declare("TcpEdge", "e", { hostports }), { env });
  // An own folder that is open to others is made private.
  mkdirSync(folders[0]);
  chmodSync(folders[0], 0o755);
  await stack.up();
  expect(statSync(folders[0]).mode & 0o777).toBe(0o700);
  const { id } = emulator.account.tcpEdges[0]!;
  const settings = JSON.stringify({ apiKey: emulator.apiKey, baseUrl: emulator.url });
  const renamed = [
    `const account = new tunnel.Provider("account", ${settings});`,
    declare("TcpEdge", "f", { hostports }, { import: id, provider: "=account" }),
  ];
  stack.write(renamed.join("\n"));

  // The process of the explicit Provider cannot write what it keeps, and that of the edge can: it publishes nothing.
  const full = await stack.up({ fails: true, env: { NODE_OPTIONS: fullDisk, FULL_AFTER: "1" } });
  const deployment = expect.stringContaining(`TCP edge ${id} could not be deleted: ${unknown}${folders[0]}/`);
  expect(extractErrors(full)).toEqual([deployment]);
  expect(extractErrors(full)[0]).toMatch(/\.incomplete \(its process could no longer write\)\. Set TMPDIR/);

  // No process can write anything. What is new is created.
  rmSync(folders[0], { recursive: true });
  const reasons = [giveAway(folders[0]), "EEXIST: file already exists"];
  writeFileSync(folders[1], "");
  const problem = folders.map((folder, at) => `${folder} (${reasons[at]})`).join(", ");
  stack.write([...renamed, declare("ApiKey", "key", { description: "new" })].join("\n"));
  const failed = await stack.up({ fails: true });
  expect(extractErrors(failed)).toEqual([`TCP edge ${id} could not be deleted: ${unknown}${problem}. ${fix}`]);
  expect(warnings(failed)).toContain(`Nothing is deleted or removed, because ${unknown}${problem}. ${fix}`);
  expect(emulator.account.apiKeys.map(({ description }) => description)).toContain("new");
  // A process that sees only deletions cannot know that it is all of them.
  await stack.destroy({ fails: true });
  expect(listWrites(emulator)).toEqual(["POST /edges/tcp", "POST /api_keys"]);

  // The second folder is enough.
  rmSync(folders[1]);
  const kept = await stack.up();
  expect(kept.stdout).toContain(`TCP edge ${id} was not deleted, because TcpEdge "f" still declares it.`);
  await stack.destroy();
  expect(emulator.account.tcpEdges).toEqual([]);
});

test("the plugin neither deletes an object nor removes a module, and creates and updates", async () => {
  const { env, folders } = createFolders("plugin");
  const ipRestriction = { ipPolicyIds: ["ipp_a"] };
  const policy = { inbound: [{ actions: [{ type: "deny" }] }] };
  const ssh = (properties: object) => ({ ssh: yamlResource("TcpEdge", { hostports, ...properties }) });
  const { emulator, stack } = await createYamlStack(
    { resources: { ...ssh({ ipRestriction, description: "one" }), old: yamlResource("ApiKey", {}) } },
    { env },
  );
  await stack.up();
  for (const folder of folders) {
    rmSync(folder, { recursive: true, force: true });
    writeFileSync(folder, "");
  }
  emulator.clearRequests();
  const { id: key } = emulator.account.apiKeys.at(-1)!;
  const other = { other: yamlResource("ApiKey", {}) };
  writeYaml(stack, { resources: { ...ssh({ ipRestriction, description: "two" }), ...other } });
  expect(extractErrors(await stack.up({ fails: true }))).toEqual([
    expect.stringContaining(`API key ${key} could not be deleted: ${unknown}${folders[0]} (EEXIST`),
  ]);
  expect(listWrites(emulator).sort()).toEqual(["PATCH /edges/tcp/{id}", "POST /api_keys"]);
  emulator.clearRequests();
  writeYaml(stack, { resources: { ...ssh({ policy, description: "two" }), ...other } });
  const [error] = extractErrors(await stack.up({ fails: true }));
  const [edge] = emulator.account.tcpEdges;
  expect(error).toContain(
    `TCP edge ${edge!.id} could not be updated: its ipRestriction was not removed, because ${unknown}${folders[0]} (EEXIST`,
  );
  expect(edge).toMatchObject({ ip_restriction: { enabled: true }, policy: { enabled: true } });
  expect(listWrites(emulator)).not.toContainEqual(expect.stringContaining("DELETE"));

  // Nothing that is still to be removed is forgotten.
  for (const folder of folders) rmSync(folder);
  await stack.up();
  expect(emulator.account.tcpEdges[0]!.ip_restriction).toBeFalsy();
  expect(emulator.account.apiKeys.map(({ id }) => id)).not.toContain(key);
});
