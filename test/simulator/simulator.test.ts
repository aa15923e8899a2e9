import { readdirSync } from "node:fs";
import { join } from "node:path";
import { simulate } from "./run";

test("none of 1,000 scenarios fails, everything happens in them, and they are not small", () => {
  const printed = simulate("--seed", "1", "--runs", "1000", "--quiet", "--counters");
  expect(printed).toMatch(/^1000 scenarios .*; 0 failed\n/);
  expect(Number(printed.match(/(\d+) runs with several processes/)![1])).toBeGreaterThan(1000);
  expect(printed).toMatch(/\nNever: none\n$/);
  const [runs, resources, faults] = printed
    .match(/median (\d+) runs, (\d+) resources, (\d+) faults/)!
    .slice(1)
    .map(Number);
  expect(runs).toBeGreaterThanOrEqual(4);
  expect(resources).toBeGreaterThanOrEqual(5);
  expect(faults).toBeGreaterThanOrEqual(1);
}, 600_000);

test("a scenario logs the same, byte for byte, by itself and after others", () => {
  const alone = simulate("--scenario", "500", "--log");
  expect(alone.split("\n").length).toBeGreaterThan(50);
  expect(simulate("--scenario", "500", "--log", "--after", "20")).toBe(alone);
}, 600_000);

test.each(readdirSync(join(__dirname, "recorded")))("the recorded scenario %s holds", (name) => {
  expect(simulate("--recorded", join("test/simulator/recorded", name))).toMatch(/ holds\.\n$/);
});
