/** The plugin's release archive: one executable with Node inside, for machines without Node. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { type Emulator, startEmulator } from "pulumi-tunnel-edge/emulator";
import { manifest } from "../support/manifest";
import { pathWithYaml, Stack } from "../support/pulumi";
import { root } from "../support/root";

const { version } = manifest;
let folder: string;
let archive: string;
let emulator: Emulator;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "archive-"));
  const script = join(root, "scripts/archive.mjs");
  archive = execFileSync(process.execPath, [script], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  emulator = await startEmulator();
}, 300_000);

afterAll(async () => {
  await emulator?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("has Pulumi's name, its checksum, and one executable with its schema and licences", () => {
  expect(basename(archive)).toMatch(
    new RegExp(`^pulumi-resource-tunnel-edge-v${version}-(linux|darwin)-(amd64|arm64)\\.tar\\.gz$`),
  );
  const sum = createHash("sha256").update(readFileSync(archive)).digest("hex");
  expect(readFileSync(`${archive}.sha256`, "utf8")).toBe(`${sum}  ${basename(archive)}\n`);
  const files = execFileSync("tar", ["-tzf", archive], { encoding: "utf8" }).trim().split("\n").sort();
  expect(files).toEqual(["LICENSE", "LICENSES.txt", "pulumi-resource-tunnel-edge", "schema.json"]);
  expect(statSync(archive).size).toBeLessThan(60e6);
});

test("is installed with pulumi plugin install, and deploys a YAML program without Node", async () => {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const withoutNode = pathWithYaml()
    .split(delimiter)
    .filter((directory) => /\.pulumi/.test(directory));
  const env = { PATH: [...withoutNode, bin].join(delimiter), PULUMI_HOME: join(folder, "home") };
  const found = (name: string) =>
    execFileSync("/bin/sh", ["-c", `command -v ${name} || true`], { encoding: "utf8", env });
  expect([found("node"), found("nodejs")]).toEqual(["", ""]);

  const dir = join(folder, "project");
  mkdirSync(dir);
  writeFileSync(
    join(dir, "Pulumi.yaml"),
    `name: test
runtime: yaml
resources:
  ssh:
    type: tunnel-edge:TcpEdge
    properties: { hostports: ["1.tcp.example.com:20022"] }
outputs:
  hostports: \${ssh.hostports}
`,
  );
  const stack = await Stack.create({ dir, emulator, env });
  await stack.run(["plugin", "install", "resource", "tunnel-edge", version, "--file", archive]);
  await stack.up();
  expect(await stack.outputs()).toEqual({ hostports: ["1.tcp.example.com:20022"] });
  expect(emulator.account.tcpEdges).toMatchObject([{ hostports: ["1.tcp.example.com:20022"] }]);
  await stack.preview({ expectNoChanges: true });
  const command = ["plugin", "run", "--kind", "resource", "tunnel-edge", "--", "exposure", "--help"];
  const printed = execFileSync("pulumi", command, { encoding: "utf8", env: stack.env as NodeJS.ProcessEnv });
  expect(printed).toMatch(/^Usage: pulumi-tunnel-edge exposure /);
  await stack.destroy();
  expect(emulator.account.tcpEdges).toEqual([]);
});
