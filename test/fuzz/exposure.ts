/** Fail closed: no edge is open to all while a program changes that wants it protected before and after. */
import type { Account, TlsEdge } from "pulumi-tunnel-edge/emulator";
import type { Engine, Program } from "../support/simulatedStack";
import { foreignObjects } from "./scenario";

export type Exposure = string;

type Edge = Partial<TlsEdge> & { id: string };
const protections = { ipRestriction: "ip_restriction", mutualTls: "mutual_tls", policy: "policy" } as const;

const listEdges = ({ tcpEdges, tlsEdges }: Account): Edge[] => [...tcpEdges, ...tlsEdges];
const isReachable = ({ hostports, backend }: Edge) => (hostports?.length ?? 0) > 0 && backend?.enabled === true;
const isOpen = (edge: Edge, module: (typeof protections)[keyof typeof protections]) =>
  isReachable(edge) && edge[module]?.enabled !== true;
const isUnprotected = (edge: Edge) => Object.values(protections).every((module) => isOpen(edge, module));
const reachKey = ({ hostports, backend }: Edge) => JSON.stringify([hostports, backend]);

/**
 * A look at the account between two requests of an up from `before` to what `program` states. An edge may stay as open
 * as it was until its protection comes; it may not lose one that it keeps, nor be opened before it has one, nor be open
 * to all while one protection takes the place of another.
 */
export function createExposureCheck(
  before: Account,
  program: Program,
  resources: Engine["resources"],
): (now: Account) => Exposure | undefined {
  const were = new Map(listEdges(before).map((edge) => [edge.id, edge]));
  const apart = program.tcpIps;
  const apartOn = apart && (apart.args.edgeId === "=tcp.id" ? resources.get("tcp")?.state?.id : apart.args.edgeId);
  return (now) => {
    for (const edge of listEdges(now)) {
      const was = were.get(edge.id);
      const isTheirs = ([foreignObjects.tcp, foreignObjects.tls] as string[]).includes(edge.id);
      const own = isTheirs ? undefined : program[edge.id.startsWith("edgtcp_") ? "tcp" : "tls"]?.args;
      for (const [argument, module] of Object.entries(protections) as [keyof typeof protections, "policy"][]) {
        if (!isOpen(edge, module)) continue;
        const keeps = own?.[argument] && own[argument].enabled !== false;
        const keptApart = argument === "ipRestriction" && apartOn === edge.id && apart!.args.enabled !== false;
        if (keeps && !(was && isOpen(was, module) && reachKey(was) === reachKey(edge)))
          return `${edge.id} was open without ${module}`;
        if (keptApart && was && isReachable(was) && !isOpen(was, module))
          return `${edge.id} was open without ${module}, which moves`;
      }
      const wants = Object.keys(protections).some((argument) => own?.[argument] && own[argument].enabled !== false);
      if (wants && was && isReachable(was) && !isUnprotected(was) && isUnprotected(edge))
        return `${edge.id} was open to all between two protections`;
    }
    return undefined;
  };
}
