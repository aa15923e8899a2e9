import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyExample, runJest } from "../support/cli/example";

test("its tests fail without the Pulumi CLI, and name it", async () => {
  const nothing = mkdtempSync(join(tmpdir(), "path-"));
  const { code, printed } = await runJest(copyExample("components-and-tests"), [], { PATH: nothing });
  rmdirSync(nothing);
  expect(code).toBe(1);
  expect(printed).toContain("These tests need the Pulumi CLI on PATH");
  expect(printed).toMatch(/Tests: +3 failed, 2 passed, 5 total/);
});
