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

/** How many addresses were opened in so many scenarios, to how many strangers; the share of lines that say "might" in vain. */
export function countExposure(runs: number) {
  const printed = simulate("--exposure", "--runs", String(runs));
  const [changes = 0, openings = 0, strangers = 0, , vain = 0, wrong] = printed.match(/\d+/g)!.map(Number);
  return { openings, strangers, needless: vain / changes, wrong: wrong === 0 ? "" : printed };
}
