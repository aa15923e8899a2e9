/** Harmful changes are noticed: a sample of them. All are made by `npm run holes`. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "../support/root";

const sample = [
  "one of two protections in a response proves both",
  "any 404 is a deletion",
  "modules are removed before their update",
  "an unknown archive is a string",
];

test("each is noticed by its check", () => {
  const script = join(root, "scripts/holes.mjs");
  const { stdout } = spawnSync(process.execPath, [script, ...sample], { cwd: root, encoding: "utf8" });
  expect(stdout).toBe(`${sample.length} holes, 0 survived\n`);
}, 600_000);
