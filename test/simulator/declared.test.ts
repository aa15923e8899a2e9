/** What programs declare, ignore, import and move between the providers is what the service then has. */
import { simulate } from "./run";

test("in 300 scenarios what is declared is enforced, what is not is left alone, and what was is removed", () => {
  expect(simulate("--declared", "--runs", "300")).toBe("300 scenarios; 0 failed\n");
}, 600_000);
