import { simulate } from "./run";

test("a scenario logs the same after 499 others", () => {
  expect(simulate("--scenario", "500", "--log", "--after", "499")).toBe(simulate("--scenario", "500", "--log"));
}, 3_600_000);
