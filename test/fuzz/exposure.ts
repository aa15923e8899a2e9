/** Fail closed: no edge is unprotected while a program changes that protects it before and after. */
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
/** Who terminates TLS counts: an application that does so may check certificates itself. */
const reachKey = ({ hostports, backend, tls_termination }: Edge) =>
  JSON.stringify([hostports, backend, tls_termination?.terminate_at === "upstream"]);

/**
 * Checks the account between two requests of `pulumi up`, which starts from `before` and deploys `program`. An edge may
 * stay unprotected until its protection is added. It must not lose a protection that the program keeps, be reachable
 * before it has one, or be unprotected while one protection replaces another.
 */
export function createExposureCheck(
  before: Account,
  program: Program,
  resources: Engine["resources"],
): (now: Account) => Exposure | undefined {
  const edgesBefore = new Map(listEdges(before).map((edge) => [edge.id, edge]));
  const separate = program.tcpIps;
  const separateEdgeId =
    separate && (separate.args.edgeId === "=tcp.id" ? resources.get("tcp")?.state?.id : separate.args.edgeId);
  return (now) => {
    for (const edge of listEdges(now)) {
      const was = edgesBefore.get(edge.id);
      const isForeign = ([foreignObjects.tcp, foreignObjects.tls] as string[]).includes(edge.id);
      const own = isForeign ? undefined : program[edge.id.startsWith("edgtcp_") ? "tcp" : "tls"]?.args;
      for (const [argument, module] of Object.entries(protections) as [keyof typeof protections, "policy"][]) {
        if (!isOpen(edge, module)) continue;
        const isDeclared = own?.[argument] && own[argument].enabled !== false;
        const isDeclaredSeparately =
          argument === "ipRestriction" && separateEdgeId === edge.id && separate!.args.enabled !== false;
        if (isDeclared && !(was && isOpen(was, module) && reachKey(was) === reachKey(edge)))
          return `${edge.id} was open without ${module}`;
        if (isDeclaredSeparately && was && isReachable(was) && !isOpen(was, module))
          return `${edge.id} was open without ${module}, which moves`;
      }
      const isProtected = Object.keys(protections).some(
        (argument) => own?.[argument] && own[argument].enabled !== false,
      );
      if (isProtected && was && isReachable(was) && !isUnprotected(was) && isUnprotected(edge))
        return `${edge.id} was open to all between two protections`;
    }
    return undefined;
  };
}
