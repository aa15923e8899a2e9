/**
 * From one packed version to the next and back, as docs/upgrade.md describes it: the classes, and the plugin's archive.
 * Promise: "An upgrade keeps your state".
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { declare, startService } from "../support/cli/cliStack";
import { createProject, elsewhere, tarball, writeProgram } from "../support/cli/package";
import { npmOptions, run } from "../support/cli/packageManagers";
import { type Result, Stack } from "../support/cli/pulumi";
import { listWrites, yamlExpression, yamlResource } from "../support/cli/yamlStack";
import { manifest } from "../support/data/manifest";

const { name, version: current } = manifest;
const next = "99.0.0";

/** The folder with the next version: the same package under another number, wherever it has one. */
const unpacked = join(elsewhere, "next");
const nextTarball = join(elsewhere, `${name}-${next}.tgz`);
beforeAll(() => {
  mkdirSync(unpacked);
  run("tar", ["-xzf", tarball, "-C", unpacked, "--strip-components=1"], elsewhere);
  for (const file of ["package.json", "plugin/schema.json", "plugin/pulumi-resource-tunnel-edge"]) {
    const path = join(unpacked, file);
    const text = readFileSync(path, "utf8");
    const changed = text.replaceAll(
      new RegExp(`("?version"?: ?)"${current.replaceAll(".", "\\.")}"`, "g"),
      `$1"${next}"`,
    );
    expect([file, changed === text]).toEqual([file, false]);
    writeFileSync(path, changed);
  }
  run("npm", ["pack", "--ignore-scripts", "--pack-destination", elsewhere], unpacked);
});

const hostports = ["1.tcp.example.com:20022"];
const ipRestriction = { ipPolicyIds: ["ipp_a"] };

/** What happens to resources, without providers and the stack. */
const changes = ({ steps }: Result) => steps.filter(({ op }) => op !== "same").map(({ op, name }) => `${op} ${name}`);

test("the classes: no change after the upgrade, nor after going back", async () => {
  const emulator = await startService();
  const dir = createProject("upgraded");
  const program = (description: string) =>
    [
      `const tunnel = require("${name}");`,
      declare("TcpEdge", "ssh", { description, hostports }),
      declare("TcpEdgeIpRestriction", "office", { edgeId: "=ssh.id", ...ipRestriction }),
      declare("ApiKey", "key", { metadata: "=require('@pulumi/pulumi').secret('hush')" }),
      `exports.version = require("${name}/package.json").version;`,
    ].join("\n");
  writeProgram(dir, program("first"));
  const stack = await Stack.create({ dir, emulator });
  const install = (file: string) => run("npm", ["install", ...npmOptions, file], dir);
  const deploy = async (version: string, description: string) => {
    await expectNothing(stack, emulator);
    writeProgram(dir, program(description));
    expect(changes(await stack.up())).toEqual(["update ssh"]);
    expect(await stack.outputs()).toEqual({ version });
    expect(listWrites(emulator)).toEqual(["PATCH /edges/tcp/{id}"]);
  };
  await stack.up();
  install(nextTarball);
  await deploy(next, "second");
  install(tarball);
  await deploy(current, "third");
  await stack.destroy();
  expect(emulator.account).toMatchObject({ tcpEdges: [], apiKeys: [{}] });
});

/** An unchanged preview, and nothing sent. */
async function expectNothing(stack: Stack, emulator: Emulator, args: string[] = []) {
  emulator.clearRequests();
  expect(changes(await stack.preview({ args }))).toEqual([]);
  expect(emulator.calls()).toEqual([]);
}

test("the plugin's archive: no change after the upgrade, nor after going back, with and without a version", async () => {
  const declareAll = (version?: string) => {
    const options = version === undefined ? undefined : { version };
    return {
      resources: {
        ssh: yamlResource("TcpEdge", { hostports }, options),
        office: yamlResource("TcpEdgeIpRestriction", { edgeId: yamlExpression("ssh.id"), ...ipRestriction }, options),
      },
    };
  };
  const emulator = await startService();
  const dir = join(elsewhere, "yaml");
  mkdirSync(dir);
  const write = ({ resources }: { resources: object }) =>
    writeFileSync(
      join(dir, "Pulumi.yaml"),
      `name: test
runtime: yaml
resources: ${JSON.stringify(resources)}
`,
    );
  write(declareAll(current));
  const stack = await Stack.create({ dir, emulator, env: { PULUMI_HOME: join(elsewhere, "home") } });
  const old = join(elsewhere, "old");
  mkdirSync(old);
  run("tar", ["-xzf", tarball, "-C", old, "--strip-components=1"], elsewhere);
  for (const [version, folder] of [
    [current, old],
    [next, unpacked],
  ] as const) {
    const archive = join(elsewhere, `plugin-${version}.tar.gz`);
    run("tar", ["-czf", archive, "-C", join(folder, "plugin"), "."], elsewhere);
    await stack.run(["plugin", "install", "resource", "tunnel-edge", version, "--file", archive]);
  }
  const providers = async () =>
    ((await stack.export()).resources as { type: string; inputs?: object }[]).flatMap(({ type, inputs }) =>
      type === "pulumi:providers:tunnel-edge" ? [inputs] : [],
    );
  await stack.up();
  expect(await providers()).toMatchObject([{ version: current }]);
  const id = emulator.account.tcpEdges[0]!.id;
  for (const version of [next, current, undefined]) {
    write(declareAll(version));
    await expectNothing(stack, emulator);
    emulator.clearRequests();
    await stack.up();
    expect(listWrites(emulator)).toEqual([]);
    if (version) expect(await providers()).toMatchObject([{ version }]);
  }
  expect(emulator.account.tcpEdges).toMatchObject([{ id, ip_restriction: { enabled: true } }]);
  await stack.destroy();
  expect(emulator.account.tcpEdges).toEqual([]);
});
