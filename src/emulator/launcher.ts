import { execFileSync } from "node:child_process";

/**
 * Calls back when what started this process is gone. `npx` ends its shell at most, and `pulumi plugin run`, which sets
 * PULUMI_RPC_TARGET, puts this process out of the reach of the terminal's Ctrl-C.
 */
export function watchLauncher(onEnd: (reason: string) => void): void {
  const { npm_lifecycle_event: script, PULUMI_RPC_TARGET: engine } = process.env;
  if (script !== "npx" && engine === undefined) return;
  const launcher = engine === undefined ? findNpx() : process.ppid;
  setInterval(() => isRunning(launcher) || onEnd("its launcher ended"), 500).unref();
}

/** The parent, or the parent of the shell that is between them. */
function findNpx(): number {
  try {
    const shown = execFileSync("ps", ["-o", "ppid=,comm=", "-p", String(process.ppid)], { encoding: "utf8" });
    const [, parent, command] = /^\s*(\d+)\s+(.*?)\s*$/.exec(shown)!;
    return /(^|\/)sh$/.test(command!) ? Number(parent) : process.ppid;
  } catch {
    return process.ppid;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
