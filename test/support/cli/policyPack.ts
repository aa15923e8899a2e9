/** The argument for --policy-pack. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../root";
import type { Stack } from "./pulumi";

/**
 * A folder with a policy pack or, if the CLI's language host is too old to run one, a program that runs it. The Node
 * language host that can be built from the Go module registry is that old.
 */
export async function findPackArgument(stack: Stack, pack: string): Promise<string> {
  const { printed, code } = await stack
    .preview({ args: ["--policy-pack", pack] })
    .then(({ stdout }) => ({ printed: stdout, code: 0 }))
    .catch((error: Error) => ({ printed: error.message, code: 1 }));
  if (code === 0 || !printed.includes("not supported")) return pack;
  console.warn("The policy pack is not tried as a folder, which this CLI's language host does not support.");
  return writePackProgram(join(pack, "run"), pack);
}

/** Writes a program that runs a pack, for a CLI that cannot run a folder. */
export function writePackProgram(program: string, pack: string): string {
  const runner = join(root, "node_modules/@pulumi/pulumi/cmd/run-policy-pack");
  writeFileSync(program, `#!/bin/sh\ncd "${pack}" && exec "${process.execPath}" "${runner}" "$1" .\n`);
  chmodSync(program, 0o755);
  return program;
}
