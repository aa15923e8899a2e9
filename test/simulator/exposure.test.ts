/** What a preview says of public addresses is what the service has after the deployment. */
import { simulate } from "./run";

test("in 120 scenarios every stranger has a line, no certain line is false, and few say might in vain", () => {
  const printed = simulate("--exposure", "--runs", "120");
  const [changes, openings, strangers, , needless, wrong] = printed.match(/\d+/g)!.map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  expect(wrong === 0 ? "" : printed).toBe("");
  expect(changes).toBeGreaterThan(300);
  expect(openings).toBeGreaterThan(30);
  expect(strangers).toBeGreaterThan(openings);
  // Most are new logins of routes: no preview knows what these had before.
  expect(needless).toBeLessThan(changes / 8);
}, 600_000);
