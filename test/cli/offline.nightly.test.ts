/** "Without internet" in docs/setup.md, followed step by step with no way to the internet. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { read } from "../docs/pages";
import { startService } from "../support/cli/cliStack";
import { findCodegen } from "../support/cli/codegen";
import { runBash } from "../support/cli/example";
import { tarball } from "../support/cli/package";
import { archiveNode, createPythonEnvironment } from "../support/cli/packageManagers";
import { pathWith, Stack } from "../support/cli/pulumi";
import { manifest, sdk } from "../support/data/manifest";
import { root } from "../support/root";
import { testIf } from "../support/testIf";
import { waitUntil } from "../support/waitUntil";

jest.setTimeout(600_000);

const folder = mkdtempSync(join(tmpdir(), "offline-"));
afterAll(() => execFileSync("rm", ["-rf", folder]));

const [, page = ""] = read("docs/setup.md").split("\n## Without internet\n");

/** The commands of a section, one block after the other. */
const blocksOf = (title: string) =>
  [
    ...page
      .split(`\n### ${title}\n`)[1]!
      .split("\n### ")[0]!
      .matchAll(/```sh\n([\s\S]*?)```/g),
  ].map(([, code]) => code!);

/** Every request to another machine fails at once. */
const nowhere = "http://127.0.0.1:1";
const unplugged = { HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere, NO_PROXY: "127.0.0.1,localhost" };

async function run(script: string, cwd: string, env: Record<string, string | undefined>): Promise<string> {
  const { code, printed } = await runBash(script, cwd, env);
  expect({ script, code, printed }).toEqual({ script, code: 0, printed });
  return printed;
}

test("the plugin is verified and installed from its archive, deploys, and has the emulator", async () => {
  const archive = execFileSync(process.execPath, [join(root, "scripts/release/archive.mjs"), ...archiveNode()], {
    encoding: "utf8",
    stdio: "pipe",
    env: { ...process.env, GZIP: "-1" }, // in a third of the time
  });
  const name = basename(archive.trim());
  const emulator = await startService();
  const dir = join(folder, "yaml");
  mkdirSync(dir);
  for (const each of [name, `${name}.sha256`]) cpSync(join(archive.trim(), "..", each), join(dir, each));
  const program = "resources: { ssh: { type: tunnel-edge:TcpEdge, properties: { description: ssh } } }";
  writeFileSync(join(dir, "Pulumi.yaml"), `name: offline\nruntime: yaml\n${program}\n`);
  const [settings] = /export PULUMI_SKIP[\s\S]*?(?=```)/.exec(page)!;
  const variables = Object.fromEntries(
    [...settings.matchAll(/^export (\w+)=(.*)$/gm)].map(([, key, value]) => [key, value]),
  );
  expect(Object.keys(variables)).toHaveLength(2);
  const env = { ...unplugged, ...variables, PULUMI_HOME: join(folder, "home") };
  const stack = await Stack.create({ dir, emulator, env });
  const [install] = blocksOf("The plugin");
  const printed = await run(install!.replaceAll(/pulumi-resource\S+?\.tar\.gz/g, name), dir, stack.env);
  expect(printed).toContain(`${name}: OK`);
  await stack.up();
  expect(emulator.account.tcpEdges).toMatchObject([{ description: "ssh" }]);

  // A lock that a killed command leaves.
  const hanging = emulator.fail({ method: "PATCH", hang: "headers" });
  writeFileSync(join(dir, "Pulumi.yaml"), `name: offline\nruntime: yaml\n${program.replace(": ssh", ": db")}\n`);
  const killed = stack.startOperation(["up", "--yes", "--skip-preview"]);
  await waitUntil(() => hanging.hits > 0);
  killed.kill();
  await killed.result;
  const locked = await stack.refresh({ fails: true });
  expect(`${locked.stdout}${locked.stderr}`).toContain("the stack is currently locked");
  await run(blocksOf("The state")[0]!, dir, stack.env);
  await stack.refresh();

  const emulate = "pulumi plugin run --kind resource tunnel-edge -- emulator --help";
  expect(await run(emulate, dir, stack.env)).toContain("Usage: pulumi-tunnel-edge emulator");
});

test("the npm package and its dependencies come from npm's cache", async () => {
  const dirs = ["online", "offline"].map((name) => join(folder, name));
  for (const dir of dirs) {
    mkdirSync(dir);
    writeFileSync(join(dir, "package.json"), '{ "private": true }');
    cpSync(tarball, join(dir, basename(tarball)));
  }
  const [fill] = blocksOf("The packages");
  const install = fill!
    .replace(manifest.name, `./${basename(tarball)}`)
    .replace(sdk, `${sdk}@${manifest.devDependencies[sdk]}`);
  await run(install, dirs[0]!, process.env);
  renameSync(join(dirs[0]!, "npm-cache"), join(dirs[1]!, "npm-cache"));
  await run(`${install.trim()} --offline`, dirs[1]!, { ...process.env, ...unplugged });
  expect(readdirSync(join(dirs[1]!, "node_modules"))).toEqual(
    expect.arrayContaining([manifest.name, "undici", "yaml", "zod"]),
  );
});

const generate = findCodegen();
testIf(generate, "SDKs for Python need Go, Python and their registries.")(
  "the package for Python comes from wheels",
  async () => {
    const dir = join(folder, "python");
    generate!("python", join(dir, "sdk"));
    writeFileSync(join(dir, "sdk/README.md"), "");
    const [download, install] = blocksOf("The packages")[1]!.trim().split("\n");
    const runPip = (script: string, python: string, env = {}) =>
      run(`pip() { ${python} -m pip "$@"; }\n${script}`, dir, { ...process.env, ...env });
    const [python, other] = ["venv", "other"].map((name) => createPythonEnvironment(join(dir, name)));
    // In place of the registry, which has the package after the first release.
    await runPip("pip wheel --no-deps --wheel-dir registry ./sdk", python!);
    await runPip(download!, python!, { PIP_FIND_LINKS: join(dir, "registry") });
    await runPip(install!, other!, { ...unplugged, PIP_FIND_LINKS: undefined });
    await run(`${other} -c 'import pulumi_tunnel_edge as t; t.TcpEdge'`, dir, process.env);
  },
);

test("the set-up prints the folders of the CLI and the hosts", async () => {
  const [setup] = blocksOf("The CLI");
  const [others] = /node scripts\/dev\/cli\.mjs [\w ]+/.exec(page)!;
  for (const language of ["python", "go", "java"] as const) pathWith(language);
  const programsOf = (script: string) => {
    const options = { cwd: root, encoding: "utf8", env: { ...process.env, ...unplugged } } as const;
    const { stdout } = spawnSync("bash", ["-c", script], options);
    return stdout
      .trim()
      .split(delimiter)
      .flatMap((folder) => readdirSync(folder));
  };
  expect(programsOf(setup!)).toEqual(
    expect.arrayContaining([
      "pulumi",
      "pulumi-language-nodejs",
      "pulumi-language-yaml",
      "pulumi-resource-pulumi-nodejs",
    ]),
  );
  expect(programsOf(others)).toEqual(
    expect.arrayContaining([
      "pulumi-language-go",
      "pulumi-language-java",
      "pulumi-language-python",
      "pulumi-language-python-exec",
    ]),
  );
});
