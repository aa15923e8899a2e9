import { countExposure, simulate } from "./run";

test("none of 1,500 scenarios fails, everything happens in them, and they are not small", () => {
  const printed = simulate("--seed", "1", "--runs", "1500", "--quiet", "--counters");
  expect(printed).toMatch(/^1500 scenarios .*; 0 failed\n/);
  expect(Number(printed.match(/(\d+) runs with several processes/)![1])).toBeGreaterThan(2500);
  expect(printed).toMatch(/\nNever: none\n$/);
  const means = printed
    .match(/mean ([\d.]+) runs, ([\d.]+) resources, ([\d.]+) faults/)!
    .slice(1)
    .map(Number);
  for (const [index, least] of [4, 5, 1].entries()) expect(means[index]).toBeGreaterThanOrEqual(least);
}, 3_600_000);

test("in 200 scenarios previews announce every stranger, and nothing false", () => {
  expect(countExposure(200).wrong).toBe("");
}, 3_600_000);

test("in 500 scenarios what is declared is enforced, what is not is left alone, and what was is removed", () => {
  expect(simulate("--declared", "--runs", "500", "--quiet")).toMatch(/^500 scenarios .*; 0 failed\n$/);
}, 3_600_000);

test("everything changes an outcome", () => {
  expect(simulate("--influence", "--once", "--workers", "1", "--quiet")).toMatch(/\nNever: none\n$/);
}, 3_600_000);
