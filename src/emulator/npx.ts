import { execFileSync } from "node:child_process";

/** Calls back when the npx that started this process is gone: it ends its shell at most, and not what that started. */
export function watchNpx(onEnd: (reason: string) => void): void {
  if (process.env.npm_lifecycle_event !== "npx") return;
  const npx = findNpx();
  setInterval(() => isRunning(npx) || onEnd("npx ended"), 500).unref();
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
