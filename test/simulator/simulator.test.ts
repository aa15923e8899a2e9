import { readdirSync } from "node:fs";
import { join } from "node:path";
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
