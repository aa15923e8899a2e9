/** What a user's compiler says of a project. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./root";

const tsc = join(root, "node_modules/typescript-native/bin/tsc");

/** The errors in a project, by its folder or its tsconfig.json, one on each line. */
export function compile(project: string): string[] {
  const args = [tsc, "--project", project, "--pretty", "false"];
  return spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" }).stdout.split("\n").filter(Boolean);
}
