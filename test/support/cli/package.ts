/** The package as it is published, and projects outside of this clone into which it is installed. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { manifest, sdk } from "../data/manifest";
import { root } from "../root";

// Outside of the clone: Node looks for packages in every parent folder.
export const elsewhere = mkdtempSync(join(tmpdir(), "package-"));
afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

export function run(command: string, args: string[], cwd: string, env: Record<string, string> = {}): string {
  try {
    return execFileSync(command, args, { cwd, encoding: "utf8", stdio: "pipe", env: { ...process.env, ...env } });
  } catch (error) {
    // pnpm and Yarn say on stdout what is wrong.
    const { message, stdout = "" } = error as Error & { stdout?: string };
    throw new Error(`${message}\n${stdout}`);
  }
}

/** The file that `npm pack` writes. */
export const tarball = join(elsewhere, `${manifest.name}-${manifest.version}.tgz`);
beforeAll(() => {
  run("npm", ["pack", "--pack-destination", elsewhere], root);
});

export const npmOptions = ["--no-audit", "--no-fund", "--prefer-offline"];
export const npmInstall = (folder: string, env = {}) => run("npm", ["install", ...npmOptions], folder, env);

/** The folder with a package's commands, which is kept for the next run. */
function installCommands(name: string, version: number): string {
  const tools = join(root, ".work/tools");
  const folder = join(tools, `${basename(name)}-${version}`);
  if (!existsSync(folder)) {
    mkdirSync(tools, { recursive: true });
    const own = mkdtempSync(`${folder}-`);
    run("npm", ["install", ...npmOptions, "--prefix", own, `${name}@${version}`], own);
    try {
      renameSync(own, folder);
    } catch {
      rmSync(own, { recursive: true }); // another test file was first
    }
  }
  return join(folder, "node_modules/.bin");
}

/** A command that a package of this major version has, installed if need be. */
export const command = (packageName: string, version: number, name = packageName) =>
  join(installCommands(packageName, version), name);

export const pnpmInstall = (folder: string) =>
  run(command("pnpm", 10), ["install", "--ignore-scripts", "--prefer-offline", "--no-frozen-lockfile"], folder); // 11 needs Node 22

/** The folder with this Node; undefined if the tests run with it. */
export const installNode = (node: number): string | undefined =>
  process.version.startsWith(`v${node}.`) ? undefined : installCommands("node", node);

/** The environment of a command that runs with this Node. */
export const withNode = (node: number) => ({
  PATH: [installNode(node), process.env["PATH"]].filter(Boolean).join(delimiter),
});

/** Writes files below a folder; objects as JSON. */
export function writeFiles(folder: string, files: Record<string, string | object>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  }
}

/** An empty project with only the package and its peer installed. */
export function createProject(name: string, install = npmInstall, version = manifest.devDependencies[sdk]): string {
  const folder = join(elsewhere, name);
  mkdirSync(folder);
  const dependencies = { [manifest.name]: `file:${tarball}`, [sdk]: version };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  install(folder);
  return folder;
}

/** Makes the project a Pulumi project. */
export function writeProgram(folder: string, program: string): void {
  writeFileSync(join(folder, "Pulumi.yaml"), "name: test\nruntime: nodejs\nmain: index.js\n");
  writeFileSync(join(folder, "index.js"), program);
}
