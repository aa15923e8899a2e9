import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../support/root";
import { countExposure, simulate } from "./run";

test("none of 61 scenarios fails, and the last logs the same, byte for byte, by itself and after the others", () => {
  const alone = simulate("--scenario", "60", "--log");
  expect(alone.split("\n").length).toBeGreaterThan(50);
  expect(alone).toMatch(/ holds\.\n$/);
  expect(simulate("--scenario", "60", "--log", "--after", "60")).toBe(alone);
}, 600_000);

test.each(readdirSync(join(__dirname, "recorded")))("the recorded scenario %s holds", (name) => {
  expect(simulate("--recorded", join("test/simulator/recorded", name))).toMatch(/ holds\.\n$/);
});

test("in 100 scenarios what is declared is enforced, what is not is left alone, and what was is removed", () => {
  expect(simulate("--declared", "--runs", "100", "--quiet")).toMatch(/^100 scenarios .*; 0 failed\n$/);
}, 600_000);

test("in 50 scenarios previews announce every stranger, announce nothing false, and seldom say might in vain", () => {
  const { openings, strangers, needless, wrong } = countExposure(50);
  expect(wrong).toBe("");
  expect(openings).toBeGreaterThan(15);
  expect(strangers).toBeGreaterThan(openings);
  // Most are new logins of routes: no preview knows what these had before.
  expect(needless).toBeLessThan(1 / 8);
}, 600_000);

test("a process that ends before its scenarios do is a failure, also without an error", () => {
  const folder = mkdtempSync(join(tmpdir(), "simulator-"));
  const early = join(folder, "early.cjs");
  writeFileSync(early, "if (process.env.SIMULATOR_SHARE) setImmediate(() => process.exit(0));");
  const options = ["scripts/test/simulate.mjs", "--runs", "2", "--quiet"];
  const env = { ...process.env, NODE_OPTIONS: `--require ${JSON.stringify(early)}` };
  const { stdout } = spawnSync(process.execPath, options, { cwd: root, env, encoding: "utf8" });
  rmSync(folder, { recursive: true });
  expect(stdout).toContain("First: -1: a scenario waits for ever: only 0 of 2 ended");
});
