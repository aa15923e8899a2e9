/**
 * A copy of an example that a test can run and change. It is inside the clone, so that the package is found by its
 * name.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { root } from "../root";

const copies: string[] = [];
afterAll(() => {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
});

/** Creates a folder that is deleted after the tests. */
export function createFolder(name: string): string {
  const work = join(root, ".work/test");
  mkdirSync(work, { recursive: true });
  const folder = mkdtempSync(join(work, `${name}-`));
  copies.push(folder);
  return folder;
}

/** Copies `examples/<name>`, without installed or generated files. */
export function copyExample(name: string): string {
  const folder = createFolder(basename(name));
  const made = /^(node_modules|sdks|target|Pulumi\.emulator\.yaml)$/;
  cpSync(join(root, "examples", name), folder, { recursive: true, filter: (path) => !made.test(basename(path)) });
  return folder;
}

/** Replaces a string in a file of a copy. Throws if the file does not contain it. */
export function editFile(folder: string, file: string, from: string, to: string): void {
  const path = join(folder, file);
  const text = readFileSync(path, "utf8");
  if (!text.includes(from)) throw new Error(`${file} has no ${JSON.stringify(from)}.`);
  writeFileSync(path, text.replace(from, to));
}

/** Runs a command to its end. */
export async function runProcess(
  command: string,
  args: string[],
  cwd: string,
  env: Record<string, string | undefined>,
) {
  const child = spawn(command, args, { cwd, env: env as NodeJS.ProcessEnv, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      printed += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  return { code, printed };
}

/** Runs a script as GitHub's runner does. */
export const runBash = (script: string, cwd: string, env: Record<string, string | undefined>) =>
  runProcess("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd, env);

/** Runs a project's tests with its own jest configuration and no settings in the environment. */
export function runJest(folder: string, args: string[] = [], env: Record<string, string | undefined> = {}) {
  const own = /^(TUNNEL_EDGE|PULUMI|JEST)_/;
  const given = Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
  const jest = [join(root, "node_modules/jest/bin/jest.js"), "--ci", ...args];
  return runProcess(process.execPath, jest, folder, { ...given, ...env });
}
