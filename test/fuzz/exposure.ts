/** Fail closed: no edge is unprotected while a program changes that protects it before and after. */
import type { Account } from "pulumi-tunnel-edge/emulator";
import {
  type Edge,
  isOn,
  isReachable,
  isRestricted,
  isUpstream,
  opens,
  restrictions,
  restricts,
} from "../../src/exposure/model";
import { isObject, toCamelCase, toSnakeCase } from "../../src/json";
import type { Properties } from "../support/provider";
import type { Engine, Program } from "../support/simulatedStack";
import { foreignObjects } from "./scenario";

export type Exposure = string;

/** The account's edges by id, in the arguments' shape. */
const listEdges = ({ tcpEdges, tlsEdges }: Account): Map<string, Edge> =>
  new Map(
    [...tcpEdges, ...tlsEdges].map(({ id, ...edge }) => [id, toArguments(edge, (module) => toArguments(module))]),
  );
const toArguments = (fields: object, convert: (value: object) => unknown = (value) => value): Edge =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [toCamelCase(name), isObject(value) ? convert(value) : value]),
  );

const isOpen = (edge: Edge, module: string) => isReachable(edge) === true && restricts(edge, module) !== true;
const isUnprotected = (edge: Edge) => isReachable(edge) === true && isRestricted(edge) !== true;
/** Who terminates TLS counts: an application that does so may check certificates itself. */
const reachKey = (edge: Edge) => JSON.stringify([edge.hostports, edge.backend, isUpstream(edge)]);

/** The ids of the edges that were opened between the two. */
export function listOpenedEdges(before: Account, after: Account): string[] {
  const edgesBefore = listEdges(before);
  return [...listEdges(after)].flatMap(([id, edge]) => (opens(edgesBefore.get(id) ?? {}, edge) === true ? [id] : []));
}

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
  const edgesBefore = listEdges(before);
  const separate = program.tcpIps;
  const separateEdgeId =
    separate && (separate.args.edgeId === "=tcp.id" ? resources.get("tcp")?.state?.id : separate.args.edgeId);
  return (now) => {
    for (const [id, edge] of listEdges(now)) {
      const was = edgesBefore.get(id);
      const isForeign = ([foreignObjects.tcp, foreignObjects.tls] as string[]).includes(id);
      const own: Properties = (!isForeign && program[id.startsWith("edgtcp_") ? "tcp" : "tls"]?.args) || {};
      for (const module of restrictions) {
        if (!isOpen(edge, module)) continue;
        if (restricts(own, module) && !(was && isOpen(was, module) && reachKey(was) === reachKey(edge)))
          return `${id} was open without ${toSnakeCase(module)}`;
        const isDeclaredSeparately = module === "ipRestriction" && separateEdgeId === id && isOn(separate!.args);
        if (isDeclaredSeparately && was && isReachable(was) && !isOpen(was, module))
          return `${id} was open without ${toSnakeCase(module)}, which moves`;
      }
      const isProtected = isRestricted(own);
      if (isProtected && was && isReachable(was) && !isUnprotected(was) && isUnprotected(edge))
        return `${id} was open to all between two protections`;
    }
    return undefined;
  };
}
