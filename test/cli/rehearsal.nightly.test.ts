/** A release with stand-ins for what is outside, and the archive that it made: scripts/release/rehearse.mjs. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { archiveNode } from "../support/cli/packageManagers";
import { pathWith } from "../support/cli/pulumi";
import { manifest } from "../support/data/manifest";
import { root } from "../support/root";

const { version } = manifest;
const made = join(root, ".work/rehearsal/clone");
let printed: string;
let folder: string;
let archive: string;
const nodeOption = archiveNode();

beforeAll(() => {
  pathWith("yaml");
  // The nightly workflow rehearses the other languages, which takes longer.
  const args = [join(root, "scripts/release/rehearse.mjs"), "typescript", "yaml", ...nodeOption];
  printed = execFileSync(process.execPath, args, {
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

test("prints its steps, and those that only a release makes", () => {
  const [, did, others] = printed.split(/^(?:Rehearsed|Only in a release):$/m);
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

const address = "github://api.github.com/example-owner/pulumi-tunnel-edge";
const pascal = (name: string) => name[0]!.toUpperCase() + name.slice(1);
const snake = (name: string) => name.replace(/[A-Z]/g, (letter, at) => (at ? "_" : "") + letter.toLowerCase());

/** Where the source of each language's package says which plugin it needs, and what each resource and function has of it. */
const sdks = {
  python: {
    plugin: { "pulumi_tunnel_edge/_utilities.py": [`return "${address}"`, `return "${version}"`] },
    fileOf: (name: string) => `pulumi_tunnel_edge/${snake(name)}.py`,
    resource: /opts = pulumi\.ResourceOptions\.merge\(_utilities\.get_resource_opts_defaults\(\), opts\)/,
    invoke: /Options\.merge\(_utilities\.get_invoke_opts_defaults\(\), opts\)/g,
    forms: 2,
  },
  go: {
    plugin: {
      "tunneledge/internal/pulumiUtilities.go": [
        `PluginDownloadURL("${address}"))\n\tversion := semver.MustParse("${version}")`,
      ],
    },
    fileOf: (name: string) => `tunneledge/${name[0]!.toLowerCase()}${name.slice(1)}.go`,
    resource: /opts = internal\.PkgResourceDefaultOpts\(opts\)/,
    invoke: /internal\.PkgInvokeDefaultOpts\(opts\)/g,
    forms: 2,
  },
  // Pulumi's SDK for Java sends only the version of a function's plugin, which the page says.
  java: {
    plugin: {
      "src/main/resources/io/github/exampleowner/tunnel-edge/version.txt": [version],
    },
    fileOf: (name: string) =>
      `src/main/java/io/github/exampleowner/tunneledge/${/^get/.test(name) ? "TunneledgeFunctions" : name}.java`,
    resource: new RegExp(`\\.version\\(Utilities\\.getVersion\\(\\)\\)\\s+\\.pluginDownloadURL\\("${address}"\\)`),
    invoke: /Utilities\.withVersion\(options\)/g,
    forms: 3,
  },
  dotnet: {
    plugin: {
      "Utilities.cs": [
        `dst.Version = src?.Version ?? Version;\n            dst.PluginDownloadURL = src?.PluginDownloadURL ?? "${address}";`,
      ],
      "version.txt": [version],
    },
    fileOf: (name: string) => `${pascal(name)}.cs`,
    resource: new RegExp(`Version = Utilities\\.Version,\\s+PluginDownloadURL = "${address}"`),
    invoke: /options\.WithDefaults\(\)/g,
    forms: 3,
  },
};

describe("the source of the packages", () => {
  const schema = () => JSON.parse(readFileSync(join(made, "plugin/schema.json"), "utf8"));
  const written = mkdtempSync(join(tmpdir(), "packages-"));
  afterAll(() => rmSync(written, { recursive: true, force: true }));
  beforeAll(() => {
    const program = `import { writeSource } from "./scripts/release/packages.mjs";
      for (const name of ${JSON.stringify(Object.keys(sdks))})
        await writeSource(name, ${JSON.stringify(written)} + "/" + name, process.env);`;
    const env = { ...process.env, PATH: [pathWith("sdks"), pathWith("java")].join(":") };
    execFileSync(process.execPath, ["--input-type=module", "-e", program], { cwd: made, env, stdio: "pipe" });
  }, 300_000);

  test.each(Object.keys(sdks))("%s: it has the owner's names", (language) => {
    const found = spawnSync(
      "grep",
      ["-rnE", "(^|[^a-z0-9.*])example\\.com/|com\\.example\\b|com/example/|\\bExample\\.", "."],
      {
        cwd: join(written, language),
        encoding: "utf8",
      },
    );
    expect(found).toMatchObject({ status: 1, stdout: "", stderr: "" });
  });

  test.each(Object.entries(sdks))(
    "%s: every resource and function names the plugin's version and where to download it",
    (language, { plugin, fileOf, resource, invoke, forms }) => {
      const source = (file: string) => readFileSync(join(written, language, file), "utf8");
      for (const [file, parts] of Object.entries(plugin))
        for (const part of parts) expect(source(file)).toContain(part);
      const names = (kind: "resources" | "functions") =>
        Object.keys(schema()[kind]).map((token) => token.split(":").pop()!);
      const without = ["Provider", ...names("resources")].filter((name) => !resource.test(source(fileOf(name))));
      expect(without).toEqual([]);
      const texts = [...new Set(names("functions").map(fileOf))].map(source).join("");
      const calls = names("functions").length * forms;
      expect([texts.match(/["']tunnel-edge:index:get\w+["']/g)!.length, texts.match(invoke)!.length]).toEqual([
        calls,
        calls,
      ]);
    },
  );
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
  const names = components.map(({ name, version }: Record<string, string>) => `${name} ${version}`);
  expect(names.join()).toMatch(/@grpc\/grpc-js \d.*@pulumi\/pulumi \d.*google-protobuf \d.*undici \d.*yaml \d.*zod \d/);
  // Without the option, it is the Node of the tests.
  const [, node = process.execPath] = nodeOption;
  const [sum] = execFileSync("sha256sum", [node], { encoding: "utf8" }).split(" ");
  expect(components.at(-1)).toMatchObject({
    name: "node",
    version: execFileSync(node, ["--version"], { encoding: "utf8" }).trim().slice(1),
    hashes: [{ alg: "SHA-256", content: sum }],
    externalReferences: [{ type: "distribution", url: expect.stringMatching(/^(file:\/\/|https:\/\/nodejs\.org\/)/) }],
  });
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
