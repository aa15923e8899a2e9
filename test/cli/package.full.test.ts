/** What is published: its files, and that it works where nothing of this clone can be found. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { declare, deployed, service } from "../support/deployed";
import { copyOf, edit } from "../support/example";

const root = resolve(__dirname, "../..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

// Outside the clone: Node looks for packages in every folder above.
const elsewhere = mkdtempSync(join(tmpdir(), "package-"));
afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

const run = (command: string, args: string[], cwd: string) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: "pipe" });

let tarball: string;
beforeAll(() => {
  run("npm", ["pack", "--pack-destination", elsewhere], root);
  tarball = join(elsewhere, `${manifest.name}-${manifest.version}.tgz`);
});

test("the tarball holds what was built, and every entry that package.json names", () => {
  const files = run("tar", ["-tzf", tarball], elsewhere)
    .trim()
    .split("\n")
    .map((path) => path.replace(/^package\//, ""));
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  const built = sources
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => [".js", ".d.ts"].map((ending) => `dist/${path.replace(/\.ts$/, ending)}`));
  const beside = ["LICENSE", "README.md", "CHANGELOG.md"].filter((path) => existsSync(join(root, path)));
  expect(files.sort()).toEqual([...built, ...beside, "package.json"].sort());
  const { main, types, bin, exports } = manifest;
  const entries = [main, types, ...Object.values(bin), ...Object.values(exports).flatMap(paths)];
  expect(files).toEqual(expect.arrayContaining(entries.map((path) => path.replace(/^\.\//, ""))));
});

/** The paths in an entry of `exports`. */
function paths(entry: unknown): string[] {
  return typeof entry === "string" ? [entry] : Object.values(entry as object).flatMap(paths);
}

test("installed into an empty project with npm, it runs a program", () =>
  runsIn(project("npm", ["npm", "install", "--no-audit", "--no-fund"])));

test("installed into an empty project with pnpm, it runs a program", async () => {
  const pnpm = ["npx", "--yes", "pnpm@10"]; // the last that runs on Node 20
  try {
    run("npx", [...pnpm.slice(1), "--version"], elsewhere);
  } catch (error) {
    console.warn(`Not tried with pnpm, which cannot be had: ${(error as Error).message}`);
    return;
  }
  await runsIn(project("pnpm", [...pnpm, "install", "--ignore-scripts"]));
});

/** An empty project in which nothing but the package and its peer is installed. */
function project(name: string, [command, ...args]: string[]): string {
  const folder = join(elsewhere, name);
  mkdirSync(folder);
  const dependencies = {
    [manifest.name]: `file:${tarball}`,
    "@pulumi/pulumi": manifest.devDependencies["@pulumi/pulumi"],
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  run(command as string, args, folder);
  return folder;
}

test("a project that pulumi new makes of the template asks for its settings, installs, compiles and runs", async () => {
  // Installed beforehand, so that npm finds what the registry does not have yet.
  const folder = project("npm-of-template", ["npm", "install", "--no-audit", "--no-fund"]);
  for (const file of ["package.json", "package-lock.json"]) rmSync(join(folder, file));
  const emulator = await service();
  const { stack } = await deployed(emulator, "");
  const env = { PULUMI_STACK: "staging", TUNNEL_EDGE_BASE_URL: undefined, TUNNEL_EDGE_API_KEY: undefined };
  // What somebody would type: with --yes the defaults are the answers.
  const template = copyOf("template/typescript");
  edit(
    template,
    "Pulumi.yaml",
    "    tunnel-edge:apiKey:\n",
    `      default: ${emulator.url}\n    tunnel-edge:apiKey:\n`,
  );
  edit(template, "Pulumi.yaml", "secret: true", `secret: true\n      default: ${emulator.apiKey}`);
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

async function runsIn(dir: string): Promise<void> {
  const emulator = await service();
  const program = (description: string) =>
    [
      declare("TcpEdge", "ssh", { description, hostports: ["1.tcp.example.com:20022"] }),
      declare("TcpEdgeIpRestriction", "office", { edgeId: "=ssh.id", ipPolicyIds: ["ipp_a"] }),
      "exports.id = ssh.id;",
    ].join("\n");
  const env = { TUNNEL_EDGE_LOG_REQUESTS: "true" };
  const { stack, calls } = await deployed(emulator, program("ssh"), { dir, env });
  const up = await stack.up({ preview: true });
  expect(up.summary).toEqual({ create: 3 });
  // Told through the engine, for which the SDK's own gRPC library must be found.
  expect(up.diagnostics.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^POST \/edges\/tcp → 201/),
  );
  expect(await stack.outputs()).toEqual({ id: emulator.account.tcpEdges[0]?.id });
  calls();
  stack.write(program("secure shell"));
  await stack.up();
  expect(calls()).toEqual(["PATCH /edges/tcp/{id}"]);
  expect((await stack.refresh()).summary).toEqual({ same: 3 });
  await stack.destroy();
  expect(emulator.account.tcpEdges).toEqual([]);
}
