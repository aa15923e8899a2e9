import { readdirSync } from "node:fs";
import { join } from "node:path";
import { simulate } from "./run";

test("none of 300 scenarios fails", () => {
  expect(simulate("--seed", "1", "--runs", "300", "--quiet")).toMatch(/^300 scenarios .*; 0 failed\n$/);
}, 600_000);

test("a scenario logs the same, byte for byte, by itself and after others", () => {
  const alone = simulate("--scenario", "500", "--log");
  expect(alone.split("\n").length).toBeGreaterThan(50);
  expect(simulate("--scenario", "500", "--log", "--after", "20")).toBe(alone);
}, 600_000);

test.each(readdirSync(join(__dirname, "recorded")))("the recorded scenario %s holds", (name) => {
  expect(simulate("--recorded", join("test/simulator/recorded", name))).toMatch(/ holds\.\n$/);
});
