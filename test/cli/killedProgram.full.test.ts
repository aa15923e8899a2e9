/** A program whose function waits for the service when its CLI is killed. */
import { execFileSync } from "node:child_process";
import { createStack, startService } from "../support/cli/cliStack";
import { waitUntil } from "../support/waitUntil";

/** The program's process: Pulumi's Node runtime, with the address of the stack's program. */
const isRunning = (engine: RegExp) =>
  execFileSync("ps", ["-eo", "args="], { encoding: "utf8" })
    .split("\n")
    .some((args) => args.includes("cmd/run") && engine.test(args));

test("ends with its CLI", async () => {
  const emulator = await startService();
  const { stack } = await createStack(emulator, "module.exports = tunnel.getTunnels();");
  const limited = emulator.fail({ path: "/tunnels", status: 429, headers: { "Retry-After": "100" } });
  const running = stack.startOperation(["preview"], {});
  await waitUntil(() => limited.hits > 0);
  const program = new RegExp(stack.dir.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  expect(isRunning(program)).toBe(true);
  process.kill(running.pid, "SIGKILL");
  await running.result;
  await waitUntil(() => !isRunning(program), 30_000);
  expect(limited.hits).toBe(1);
});
