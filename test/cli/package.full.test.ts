/** The published package: its files, and that it works outside of this clone. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runCommand } from "../importer/support";
import { createStack, declare, startService } from "../support/cliStack";
import { copyExample, editFile } from "../support/example";
import { Stack, type StackOptions } from "../support/pulumi";

const root = resolve(__dirname, "../..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

// Outside of the clone: Node looks for packages in every parent folder.
const elsewhere = mkdtempSync(join(tmpdir(), "package-"));
afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

const run = (command: string, args: string[], cwd: string) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: "pipe" });

let tarball: string;
beforeAll(() => {
  run("npm", ["pack", "--pack-destination", elsewhere], root);
  tarball = join(elsewhere, `${manifest.name}-${manifest.version}.tgz`);
});

test("the tarball has what was built, the pages, examples and schemas, and every entry of package.json", () => {
  const files = run("tar", ["-tzf", tarball], elsewhere)
    .trim()
    .split("\n")
    .map((path) => path.replace(/^package\//, ""));
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  const built = sources
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => [".js", ".d.ts"].map((ending) => `dist/${path.replace(/\.ts$/, ending)}`));
  const pages = run("git", ["ls-files", "docs", "examples", "schemas", "bench/RESULTS.md"], root).trim().split("\n");
  const beside = ["LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "package.json"];
  // npm does not pack .gitignore.
  const expected = [...built, ...beside, ...pages].filter((path) => !path.endsWith(".gitignore"));
  expect(files.sort()).toEqual(expected.sort());
  const { main, types, bin, exports } = manifest;
  const entries = [main, types, ...Object.values(bin), ...Object.values(exports).flatMap(listPaths)];
  expect(files).toEqual(expect.arrayContaining(entries.map((path) => path.replace(/^\.\//, ""))));
});

/** The paths in an entry of `exports`. */
function listPaths(entry: unknown): string[] {
  return typeof entry === "string" ? [entry] : Object.values(entry as object).flatMap(listPaths);
}

test("publint and arethetypeswrong find no problems", () => {
  const unpacked = join(elsewhere, "unpacked");
  mkdirSync(unpacked);
  run("tar", ["-xzf", tarball, "-C", unpacked, "--strip-components=1"], elsewhere);
  // Both are ES modules, which jest does not load.
  const script = `
    import { readFileSync } from "node:fs";
    import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
    import { publint } from "publint";
    const { types, problems } = await checkPackage(createPackageFromTarballData(readFileSync("${tarball}")));
    const { messages } = await publint({ pkgDir: "${unpacked}", strict: true, pack: false });
    console.log(JSON.stringify({ types: types.kind, problems, messages }));`;
  const found = JSON.parse(run(process.execPath, ["--input-type=module", "-e", script], root));
  // There is no repository yet. The release workflow adds the one it runs in.
  const messages = found.messages.filter(({ code }: { code: string }) => !/REPOSITORY/.test(code));
  expect({ ...found, messages }).toEqual({ types: "included", problems: [], messages: [] });
});

const npm = ["npm", "install", "--no-audit", "--no-fund"];

describe("installed into an empty project with npm", () => {
  let folder: string;
  beforeAll(() => {
    folder = createProject("npm", npm);
  });

  test("runs a program that is an ES module", async () => {
    const emulator = await startService();
    const manifest = readFileSync(join(folder, "package.json"), "utf8");
    writeFileSync(join(folder, "package.json"), JSON.stringify({ ...JSON.parse(manifest), type: "module" }));
    const stack = await Stack.create({ program: "", dir: folder, emulator });
    stack.write(
      `import * as tunnel from "pulumi-tunnel-edge";
       import { getTcpEdges, TcpEdge } from "pulumi-tunnel-edge";
       import { startEmulator } from "pulumi-tunnel-edge/emulator";
       if (tunnel.TcpEdge !== TcpEdge || !startEmulator) throw new Error("two packages");
       const edge = new TcpEdge("ssh", { description: "ssh" });
       export const isEdge = tunnel.TcpEdge.isInstance(edge);
       export const before = (await getTcpEdges()).tcpEdges.length;`,
    );
    await stack.up();
    expect(await stack.outputs()).toEqual({ isEdge: true, before: 0 });
    expect(emulator.account.tcpEdges).toMatchObject([{ description: "ssh" }]);
    writeFileSync(join(folder, "package.json"), manifest);
  });

  test("an ES module can import every name", () => {
    const names = Object.keys(require("pulumi-tunnel-edge")).sort();
    expect(names).toEqual(expect.arrayContaining(["Provider", "TcpEdge", "getTunnels", "getTunnelsOutput"]));
    const script = `import { ${names.join(", ")} } from "pulumi-tunnel-edge"; console.log([${names.join(", ")}].every(Boolean));`;
    expect(run(process.execPath, ["--input-type=module", "-e", script], folder).trim()).toBe("true");
  });

  // `pulumi new typescript` writes node10 (by "commonjs"), newer projects have the others.
  test.each([
    ["commonjs", "node10", "script.ts"],
    ["node16", "node16", "script.cts"],
    ["node16", "node16", "module.mts"],
    ["nodenext", "nodenext", "script.cts"],
    ["nodenext", "nodenext", "module.mts"],
    ["esnext", "bundler", "script.ts"],
  ])("TypeScript with module %s and moduleResolution %s finds its types in %s", (module, resolution, file) => {
    writeFileSync(
      join(folder, file),
      `import * as tunnel from "pulumi-tunnel-edge";
       import { type TcpEdgeArgs, TcpEdge } from "pulumi-tunnel-edge";
       import { type Emulator, startEmulator } from "pulumi-tunnel-edge/emulator";
       const args: TcpEdgeArgs = { hostports: ["1.tcp.example.com:1"] };
       const edge: TcpEdge = new tunnel.TcpEdge("ssh", args);
       export const hostports = edge.hostports.apply((list) => list?.[0]?.length);
       export const emulator: Promise<Emulator> = startEmulator({ port: 0 });
       // @ts-expect-error: types that resolve to any would allow it.
       new TcpEdge("ssh", { hostport: "1.tcp.example.com:1" });\n`,
    );
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022"];
    run(process.execPath, [tsc, ...options, "--module", module, "--moduleResolution", resolution, file], folder);
  });
});

test("installed into an empty project with pnpm, it runs a program", async () => {
  const pnpm = ["npx", "--yes", "pnpm@10"]; // the last one that runs on Node 20
  if (!canInstall("pnpm", () => run("npx", [...pnpm.slice(1), "--version"], elsewhere))) return;
  await runLifecycle(createProject("pnpm", [...pnpm, "install", "--ignore-scripts"]));
});

describe.each([20, 22, 24])("on Node %i", (node) => {
  let options: StackOptions | undefined;
  beforeAll(() => {
    options = findNode(node);
  });

  test.each(["oldest", "newest"])("runs a program with the %s SDK that supports it", async (which) => {
    if (!options) return;
    const supported = listSdks().filter(({ needs }) => needs <= node);
    const version = supported.at(which === "oldest" ? 0 : -1)!.version;
    const folder = createProject(`${which}-${node}`, npm, { [sdk]: version });
    expect(installed(folder)).toBe(version);
    await runLifecycle(folder, options, `v${node}.`);
  });
});

test("the oldest supported SDK exists", () => {
  expect(manifest.peerDependencies[sdk]).toBe(`^${listSdks()[0]!.version}`);
});

const sdk = "@pulumi/pulumi";

const installed = (folder: string): string =>
  JSON.parse(readFileSync(join(folder, "node_modules", sdk, "package.json"), "utf8")).version;

/** The supported SDKs, from the oldest to the newest, and the Node that each needs. */
function listSdks(): { version: string; needs: number }[] {
  const range = `${sdk}@${manifest.peerDependencies[sdk]}`;
  const found = JSON.parse(run("npm", ["view", range, "version", "engines.node", "--json"], elsewhere));
  return (found as { version: string; "engines.node": string }[])
    .map(({ version, "engines.node": node }) => ({ version, needs: Number(/^>=(\d+)/.exec(node)![1]) }))
    .sort((a, b) => a.version.localeCompare(b.version, undefined, { numeric: true }));
}

/** The options to run a stack with this Node, or undefined if it cannot be installed. */
function findNode(node: number): StackOptions | undefined {
  if (process.version.startsWith(`v${node}.`)) return {};
  const folder = join(elsewhere, `node-${node}`);
  mkdirSync(folder);
  const [command, ...args] = npm;
  const get = () => run(command!, [...args, "--prefix", folder, `node@${node}`], folder);
  return canInstall(`Node ${node}`, get) ? { bin: join(folder, "node_modules/.bin") } : undefined;
}

/** Whether something from the registry can be installed. If not, the log says so. */
function canInstall(what: string, get: () => void): boolean {
  try {
    get();
    return true;
  } catch (error) {
    console.warn(`Not tried with ${what}, which cannot be had: ${(error as Error).message}`);
    return false;
  }
}

/** An empty project with only the package and its peer installed. */
function createProject(name: string, [command, ...args]: string[], others: Record<string, string> = {}): string {
  const folder = join(elsewhere, name);
  mkdirSync(folder);
  const dependencies = { [manifest.name]: `file:${tarball}`, [sdk]: manifest.devDependencies[sdk], ...others };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  run(command as string, args, folder);
  return folder;
}

test("a project created by pulumi new asks for its settings, installs, compiles and runs", async () => {
  // Installed before, so that npm finds what the registry does not have yet.
  const folder = createProject("npm-of-template", npm);
  for (const file of ["package.json", "package-lock.json"]) rmSync(join(folder, file));
  const emulator = await startService();
  const { stack } = await createStack(emulator, "");
  const env = { PULUMI_STACK: "staging", TUNNEL_EDGE_BASE_URL: undefined, TUNNEL_EDGE_API_KEY: undefined };
  // What a user would type: with --yes the defaults are used.
  const template = copyExample("template/typescript");
  editFile(
    template,
    "Pulumi.yaml",
    "    tunnel-edge:apiKey:\n",
    `      default: ${emulator.url}\n    tunnel-edge:apiKey:\n`,
  );
  editFile(template, "Pulumi.yaml", "secret: true", `secret: true\n      default: ${emulator.apiKey}`);
  const names = ["--name=office", "--description=Edges of the office", "--stack=staging", `--dir=${folder}`];
  await stack.run(["new", template, "--force", "--yes", ...names], { env });

  expect(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).toMatchObject({ name: "office" });
  expect(readFileSync(join(folder, "Pulumi.yaml"), "utf8")).toMatch(
    /^name: office\ndescription: Edges of the office\n/,
  );
  const config = readFileSync(join(folder, "Pulumi.staging.yaml"), "utf8");
  expect(config).toMatch(/tunnel-edge:apiKey:\n +secure: /);
  expect(config).toContain(`tunnel-edge:baseUrl: ${emulator.url}`);

  run("npx", ["--no-install", "tsc"], folder);
  const inFolder = (...args: string[]) => stack.run(["-C", folder, ...args], { env });
  await inFolder("up", "--yes", "--skip-preview");
  expect(emulator.account.tcpEdges).toMatchObject([{ hostports: ["1.tcp.tunnel.example:20022"] }]);
  await inFolder("preview", "--expect-no-changes");
  await inFolder("destroy", "--yes", "--skip-preview");
  expect(emulator.account.tcpEdges).toEqual([]);
});

const programs = readdirSync(join(root, "examples")).filter((name) =>
  existsSync(join(root, "examples", name, "Pulumi.yaml")),
);

test.each(programs)("%s, copied out of the clone and installed as its README says, previews", async (name) => {
  const dir = copyOutside(`copied-${name}`, join(root, "examples", name));
  installPacked(dir, readFileSync(join(dir, "README.md"), "utf8"));
  const emulator = await startService();
  const key = { secret: emulator.apiKey };
  const stack = await Stack.create({ dir, emulator, config: { administratorsKey: key, partnerKey: key } });
  const { summary } = await stack.preview();
  expect(summary["create"]).toBeGreaterThan(1);
});

test("the project that the import command writes, installed as its README says, previews", async () => {
  const emulator = await startService();
  emulator.seed({ tcpEdges: [{ description: "ssh" }] });
  const dir = join(elsewhere, "imported");
  await runCommand(emulator, "--out", dir);
  installPacked(dir, readFileSync(join(dir, "README.md"), "utf8"));
  const stack = await Stack.create({ dir, emulator });
  expect((await stack.preview()).summary).toEqual({ create: 2 });
});

function copyOutside(name: string, from: string): string {
  const folder = join(elsewhere, name);
  cpSync(from, folder, {
    recursive: true,
    filter: (path) => !/node_modules|Pulumi\.\w+\.yaml$/.test(path.slice(from.length)),
  });
  return folder;
}

/** Runs the README's command for the packed file. */
function installPacked(folder: string, readme: string): void {
  const file = `${manifest.name}-${manifest.version}.tgz`;
  const [command] = new RegExp(`^npm install \\S+/${file}$`, "m").exec(readme)!;
  run("sh", ["-c", `${command.replace(/\S+$/, tarball)} --no-audit --no-fund`], folder);
}

/** The whole lifecycle of a program: preview, create, update, drift, refresh, repair and destroy. */
async function runLifecycle(dir: string, options: StackOptions = {}, node = process.version): Promise<void> {
  const emulator = await startService();
  const inbound = (name: string) => [{ name, expressions: ["true"], actions: [{ type: "deny" }] }];
  const program = (description: string) =>
    [
      declare(
        "TcpEdge",
        "ssh",
        { description, hostports: ["1.tcp.example.com:20022"], policy: { inbound: inbound("declared") } },
        { ignoreChanges: ["policy.inbound"] },
      ),
      declare("TcpEdgeIpRestriction", "office", { edgeId: "=ssh.id", ipPolicyIds: ["ipp_a"] }),
      "exports.id = ssh.id;",
      "exports.node = process.version;",
    ].join("\n");
  const env = { TUNNEL_EDGE_LOG_REQUESTS: "true" };
  const { stack, calls } = await createStack(emulator, program("ssh"), { dir, env, ...options });
  const up = await stack.up({ preview: true });
  expect(up.summary).toEqual({ create: 3 });
  // Logged through the engine, for which the SDK's own gRPC library must be found.
  expect(up.diagnostics.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^POST \/edges\/tcp → 201/),
  );
  const id = emulator.account.tcpEdges[0]!.id;
  expect(await stack.outputs()).toEqual({ id, node: expect.stringContaining(node) });
  calls();
  stack.write(program("secure shell"));
  await stack.up();
  expect(calls()).toEqual(["PATCH /edges/tcp/{id}"]);

  emulator.api("PATCH", `/edges/tcp/${id}`, { description: "by hand", policy: { inbound: inbound("by hand") } });
  expect((await stack.refresh()).summary).toEqual({ update: 1, same: 2 });
  calls();
  // What drifted is repaired, and what is ignored is kept.
  const repair = await stack.up();
  expect(repair.steps.flatMap(({ changed }) => changed)).toEqual(["description"]);
  expect(calls()).toEqual(["PATCH /edges/tcp/{id}"]);
  expect(emulator.account.tcpEdges).toMatchObject([
    { description: "secure shell", policy: { inbound: inbound("by hand") } },
  ]);
  expect((await stack.refresh()).summary).toEqual({ same: 3 });
  await stack.destroy();
  expect(emulator.account.tcpEdges).toEqual([]);
}
