/** The provider processes that a CLI has started. */
import { execFileSync } from "node:child_process";

const commands = { dynamic: "dynamic-provider", plugin: "pulumi-resource-tunnel-edge" };

/** The process id of the only one of this kind. The CLI may start it through a shell, which has no child of its own. */
export function findProvider(cli: number, kind: keyof typeof commands): number {
  const processes = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .flatMap((found) => (found ? [{ pid: Number(found[1]), parent: Number(found[2]), args: found[3]! }] : []));
  const isOfCli = (pid: number): boolean =>
    pid === cli || processes.some((each) => each.pid === pid && isOfCli(each.parent));
  const found = processes.filter(({ pid, args }) => args.includes(commands[kind]) && isOfCli(pid));
  const last = found.filter(({ pid }) => !found.some(({ parent }) => parent === pid));
  if (last.length !== 1) throw new Error(`${last.length} processes are a provider of the kind "${kind}".`);
  return last[0]!.pid;
}
