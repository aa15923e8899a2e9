/** Programs that run in a process of their own, with any version of the SDK. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../root";
import { createFolder } from "./example";

/** The environment of a process in which `@pulumi/pulumi` is the SDK in this folder. */
export const sdkEnv = (sdk: string) => ({
  SDK: sdk,
  NODE_OPTIONS: ["useSdk.js", "lazySdk.js"].map((name) => `--require ${join(__dirname, "../preload", name)}`).join(" "),
});

/** What a program returns. It is a function's body with `pulumi`, `tunnel`, and `own` for the files in dist. */
export async function runProgram(sdk: string, body: string, env: Record<string, string> = {}): Promise<unknown> {
  const file = join(createFolder("sdk"), "program.js");
  const program = `
const pulumi = require("@pulumi/pulumi");
const tunnel = require("pulumi-tunnel-edge");
const own = (name) => require(${JSON.stringify(join(root, "dist"))} + "/" + name);
async function main() {
${body}
}
main().then((result) => console.log(JSON.stringify(result)));
`;
  writeFileSync(file, program);
  const inherited = Object.entries(process.env).filter(([name]) => !/^(TUNNEL_EDGE|PULUMI)_/.test(name));
  const { stdout } = await promisify(execFile)(process.execPath, [file], {
    env: { ...Object.fromEntries(inherited), ...sdkEnv(sdk), ...env },
  });
  return JSON.parse(stdout);
}
