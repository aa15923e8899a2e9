import { simulate } from "./run";

test("a scenario logs the same after 499 others", () => {
  expect(simulate("--scenario", "500", "--log", "--after", "499")).toBe(simulate("--scenario", "500", "--log"));
}, 3_600_000);

test("what changed an outcome is counted", () => {
  const printed = simulate("--seed", "1", "--runs", "20", "--quiet", "--counters", "--influence");
  expect(printed).toMatch(/^ +[1-9]\d* changed by fault \w+$/m);
  expect(printed).toMatch(/^ +[1-9]\d* changed by option targets$/m);
}, 600_000);
