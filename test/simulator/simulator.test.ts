import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../support/root";
import { simulate } from "./run";

test("none of 201 scenarios fails, and the last logs the same, byte for byte, by itself and after the others", () => {
  const alone = simulate("--scenario", "200", "--log");
  expect(alone.split("\n").length).toBeGreaterThan(50);
  expect(alone).toMatch(/ holds\.\n$/);
  expect(simulate("--scenario", "200", "--log", "--after", "200")).toBe(alone);
}, 600_000);

test.each(readdirSync(join(__dirname, "recorded")))("the recorded scenario %s holds", (name) => {
  expect(simulate("--recorded", join("test/simulator/recorded", name))).toMatch(/ holds\.\n$/);
});

test("a process that ends before its scenarios do is a failure, also without an error", () => {
  const folder = mkdtempSync(join(tmpdir(), "simulator-"));
  const early = join(folder, "early.cjs");
  writeFileSync(early, "if (process.env.SIMULATOR_SHARE) setImmediate(() => process.exit(0));");
  const options = ["scripts/test/simulate.mjs", "--runs", "2", "--quiet", "--first"];
  const env = { ...process.env, NODE_OPTIONS: `--require ${JSON.stringify(early)}` };
  const { stdout } = spawnSync(process.execPath, options, { cwd: root, env, encoding: "utf8" });
  rmSync(folder, { recursive: true });
  expect(stdout).toContain("First: -1: a scenario waits for ever: only 0 of 2 ended");
});
