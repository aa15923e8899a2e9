/** Runs the simulator in processes of its own: jest's environment makes everything several times slower. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "../support/root";

/** What it prints. */
export function simulate(...args: string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, [join(root, "scripts/test/simulate.mjs"), ...args], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  return stdout + stderr;
}
