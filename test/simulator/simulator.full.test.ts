import { simulate } from "./run";

test("none of 3,000 scenarios fails, and everything happens in them", () => {
  const printed = simulate("--seed", "2", "--runs", "3000", "--quiet", "--counters");
  expect(printed).toContain("; 0 failed\n");
  expect(printed).toContain("Never: none\n");
}, 3_600_000);

test("a scenario logs the same after 499 others", () => {
  expect(simulate("--scenario", "500", "--log", "--after", "499")).toBe(simulate("--scenario", "500", "--log"));
}, 3_600_000);
