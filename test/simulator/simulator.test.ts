import { simulate } from "./run";

test("a scenario logs the same, byte for byte, by itself and after others", () => {
  const alone = simulate("--scenario", "500", "--log");
  expect(alone.split("\n").length).toBeGreaterThan(50);
  expect(simulate("--scenario", "500", "--log", "--after", "20")).toBe(alone);
}, 600_000);
