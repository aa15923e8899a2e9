import { simulate } from "./run";

test("a scenario logs the same after 499 others", () => {
  expect(simulate("--scenario", "500", "--log", "--after", "499")).toBe(simulate("--scenario", "500", "--log"));
}, 3_600_000);

test("none of 3,000 scenarios fails", () => {
  expect(simulate("--seed", "2", "--runs", "3000", "--quiet")).toMatch(/^3000 scenarios .*; 0 failed\n$/);
}, 3_600_000);

test("everything changes an outcome", () => {
  expect(simulate("--influence", "--once", "--workers", "1", "--quiet")).toMatch(/\nNever: none\n$/);
}, 3_600_000);
