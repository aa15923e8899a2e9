import { execFileSync } from "node:child_process";

/** The process id of the only dynamic provider host of a CLI, which starts it through a shell without a child of its own. */
export function findHost(cli: number): number {
  const processes = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .flatMap((found) => (found ? [{ pid: Number(found[1]), parent: Number(found[2]), args: found[3]! }] : []));
  const isOfCli = (pid: number): boolean =>
    pid === cli || processes.some((each) => each.pid === pid && isOfCli(each.parent));
  const found = processes.filter(({ pid, args }) => args.includes("dynamic-provider") && isOfCli(pid));
  const last = found.filter(({ pid }) => !found.some(({ parent }) => parent === pid));
  if (last.length !== 1) throw new Error(`${last.length} processes are the dynamic provider host.`);
  return last[0]!.pid;
}
