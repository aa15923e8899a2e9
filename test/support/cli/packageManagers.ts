/** npm, pnpm and pip, and what they install for tests. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { sdk } from "../data/manifest";
import { root } from "../root";

export function run(command: string, args: string[], cwd: string, env: Record<string, string> = {}): string {
  try {
    return execFileSync(command, args, { cwd, encoding: "utf8", stdio: "pipe", env: { ...process.env, ...env } });
  } catch (error) {
    // pnpm and Yarn say on stdout what is wrong.
    const { message, stdout = "" } = error as Error & { stdout?: string };
    throw new Error(`${message}\n${stdout}`);
  }
}

export const npmOptions = ["--no-audit", "--no-fund", "--prefer-offline"];
export const npmInstall = (folder: string, env = {}) => run("npm", ["install", ...npmOptions], folder, env);

/** A folder that is made once, and kept for the next run. */
function keep(name: string, make: (folder: string) => unknown): string {
  const tools = join(root, ".work/tools");
  const folder = join(tools, name);
  if (!existsSync(folder)) {
    mkdirSync(tools, { recursive: true });
    const own = mkdtempSync(`${folder}-`);
    make(own);
    try {
      renameSync(own, folder);
    } catch {
      rmSync(own, { recursive: true }); // another test file was first
    }
  }
  return folder;
}

/** The folder with a package and those that it needs. */
export function installKept(name: string, version: number | string): string {
  const folder = keep(`${basename(name)}-${version}`, (own) =>
    run("npm", ["install", ...npmOptions, "--prefix", own, `${name}@${version}`], own),
  );
  return join(folder, "node_modules");
}

/** Makes a Python virtual environment with pip and these packages, and returns its Python. */
export function createPythonEnvironment(folder: string, packages: string[] = []): string {
  const python = run("python3", ["--version"], root).trim().replace(" ", "-");
  const kept = keep([python, ...packages].join("-"), (own) => {
    run("python3", ["-m", "venv", own], own);
    if (packages.length) run(join(own, "bin/python"), ["-m", "pip", "install", "--quiet", ...packages], own);
  });
  run("python3", ["-m", "venv", "--without-pip", folder], root);
  run("cp", ["-a", `${kept}/lib/.`, join(folder, "lib")], root);
  return join(folder, "bin/python");
}

const installCommands = (name: string, version: number) => join(installKept(name, version), ".bin");

/** Copies Pulumi's SDK in this version into the project, so that npm has less to install. */
export function npmInstallBesideSdk(folder: string, version: string): void {
  run("cp", ["-a", installKept(sdk, version), folder], root);
  npmInstall(folder);
}

/** A command that a package of this major version has, installed if need be. */
export const command = (packageName: string, version: number, name = packageName) =>
  join(installCommands(packageName, version), name);

/** With hard links, in less than half of npm's CPU time. */
export const pnpmInstall = (folder: string) =>
  run(command("pnpm", 10), ["install", "--ignore-scripts", "--prefer-offline", "--no-frozen-lockfile"], folder); // 11 needs Node 22

/** The folder with this Node; undefined if the tests run with it. */
export const installNode = (node: number): string | undefined =>
  process.version.startsWith(`v${node}.`) ? undefined : installCommands("node", node);

/** The option that names a Node for the plugin's archive; none if the tests run with that of .nvmrc. */
export function archiveNode(): string[] {
  const node = installNode(Number.parseInt(readFileSync(join(root, ".nvmrc"), "utf8"), 10));
  if (!node) return [];
  // Its licence is in the package for this system.
  const packages = join(node, "../node/node_modules");
  const name = readdirSync(packages).find((each) => each.endsWith(`-${process.arch}`))!;
  return ["--node", join(packages, name, "bin/node")];
}

/** The environment of a command that runs with this Node. */
export const withNode = (node: number) => ({
  PATH: [installNode(node), process.env["PATH"]].filter(Boolean).join(delimiter),
});
