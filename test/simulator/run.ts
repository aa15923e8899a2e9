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
  const printed = simulate("--exposure", "--runs", String(runs), "--quiet", "--counters");
  const countOf = (name: string) => Number(new RegExp(`(\\d+) ${name}\n`).exec(printed)?.[1] ?? 0);
  return {
    openings: countOf("addresses opened to anyone"),
    strangers: countOf("addresses with strangers"),
    needless: countOf("might in vain") / countOf("changes"),
    wrong: / 0 failed\n/.test(printed) ? "" : printed,
  };
}
