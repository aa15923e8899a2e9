import { readdirSync } from "node:fs";
import { join } from "node:path";
import { simulate } from "./run";

test("none of 301 scenarios fails, and the last logs the same, byte for byte, by itself and after the others", () => {
  const alone = simulate("--scenario", "300", "--log");
  expect(alone.split("\n").length).toBeGreaterThan(50);
  expect(alone).toMatch(/ holds\.\n$/);
  expect(simulate("--scenario", "300", "--log", "--after", "300")).toBe(alone);
}, 600_000);

test.each(readdirSync(join(__dirname, "recorded")))("the recorded scenario %s holds", (name) => {
  expect(simulate("--recorded", join("test/simulator/recorded", name))).toMatch(/ holds\.\n$/);
});
