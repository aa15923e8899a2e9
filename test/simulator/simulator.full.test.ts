import { simulate } from "./run";

test("none of 300 scenarios fails, and they are not small", () => {
  const printed = simulate("--seed", "1", "--runs", "300", "--quiet");
  expect(printed).toMatch(/^300 scenarios .*; 0 failed\n$/);
  const [runs, resources, faults] = printed
    .match(/median (\d+) runs, (\d+) resources, (\d+) faults/)!
    .slice(1)
    .map(Number);
  expect(runs).toBeGreaterThanOrEqual(4);
  expect(resources).toBeGreaterThanOrEqual(5);
  expect(faults).toBeGreaterThanOrEqual(1);
}, 600_000);

test("a scenario logs the same after 499 others", () => {
  expect(simulate("--scenario", "500", "--log", "--after", "499")).toBe(simulate("--scenario", "500", "--log"));
}, 3_600_000);
