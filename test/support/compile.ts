/** Compiles what users write. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { transformSync } from "@swc/core";
import { root } from "./root";

const tsc = join(root, "node_modules/typescript-native/bin/tsc");

/** The errors in a project, by its folder or its tsconfig.json, one on each line. */
export function compile(project: string): string[] {
  const args = [tsc, "--project", project, "--pretty", "false"];
  return spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" }).stdout.split("\n").filter(Boolean);
}

/** The JavaScript of a TypeScript file, for Node's `require`. */
export const transpile = (code: string): string =>
  transformSync(code, {
    configFile: false,
    swcrc: false,
    jsc: { target: "es2022", parser: { syntax: "typescript" } },
    module: { type: "commonjs" },
  }).code;
