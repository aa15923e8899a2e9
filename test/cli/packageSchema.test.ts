import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathWithCli } from "../support/cli/pulumi";
import { root } from "../support/root";

test("pulumi schema check accepts the package schema", () => {
  const env = { ...process.env, PATH: pathWithCli(), PULUMI_SKIP_UPDATE_CHECK: "true" };
  const printed = execFileSync("pulumi", ["schema", "check", join(root, "plugin/schema.json")], {
    encoding: "utf8",
    env,
    stdio: "pipe",
  });
  expect(printed).toBe("");
});
