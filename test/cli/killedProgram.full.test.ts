/** A process of Pulumi's own, in which a function waits for the service when its CLI is killed. */
import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createStack, startService } from "../support/cli/cliStack";
import type { Stack } from "../support/cli/pulumi";
import { waitUntil } from "../support/waitUntil";

/** Whether a process runs whose command line has these. */
const isRunning = (...parts: string[]) =>
  execFileSync("ps", ["-eo", "args="], { encoding: "utf8" })
    .split("\n")
    .some((args) => parts.every((part) => args.includes(part)));

/** Kills the CLI while a function waits. */
async function expectEnd(stack: Stack, emulator: Awaited<ReturnType<typeof startService>>, ...parts: string[]) {
  const limited = emulator.fail({ path: "/tunnels", status: 429, headers: { "Retry-After": "100" } });
  const running = stack.startOperation(["preview"], {});
  await waitUntil(() => limited.hits > 0);
  expect(isRunning(...parts)).toBe(true);
  process.kill(running.pid, "SIGKILL");
  await running.result;
  await waitUntil(() => !isRunning(...parts), 30_000);
  expect(limited.hits).toBe(1);
}

test("a program ends with its CLI", async () => {
  const emulator = await startService();
  const { stack } = await createStack(emulator, "module.exports = tunnel.getTunnels();");
  await expectEnd(stack, emulator, "cmd/run", stack.dir);
});

test("a component provider ends with its CLI", async () => {
  const emulator = await startService();
  const remote =
    'class Box extends pulumi.ComponentResource { constructor() { super("boxes:index:Box", "box", {}, {}, true); } }';
  const { stack } = await createStack(emulator, `${remote}\nnew Box();`);
  const file = join(stack.dir, "pulumi-resource-boxes");
  writeFileSync(
    file,
    `#!/usr/bin/env node
const pulumi = require("@pulumi/pulumi");
const tunnel = require("pulumi-tunnel-edge");
const construct = async (name) => {
  await tunnel.getTunnels();
  return { urn: new pulumi.ComponentResource("boxes:index:Box", name).urn, state: {} };
};
pulumi.provider.main({ version: "1.0.0", construct }, process.argv.slice(2));
`,
  );
  chmodSync(file, 0o755);
  stack.env["PATH"] = `${stack.dir}:${stack.env["PATH"]}`;
  await expectEnd(stack, emulator, file);
});
