import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Stack } from "./pulumi";

/** Everything that the CLI saves: the state with its history and backups, and the configuration. */
export function readSaved(stack: Stack): string {
  const folders = [join(stack.dir, "../state"), stack.dir];
  const files = folders.flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }));
  const texts = files
    .filter((entry) => entry.isFile() && entry.name !== "index.js")
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
  expect(texts.join("\n")).toContain("pulumi:pulumi:Stack");
  return texts.join("\n");
}
