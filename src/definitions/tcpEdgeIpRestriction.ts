import type { ModuleDefinition } from "./definition";
import { parentId } from "./fields/fieldTypes";
import { type IpRestriction, ipRestriction } from "./modules";

/** The IP restriction of a TCP edge. */
export interface TcpEdgeIpRestrictionProps extends IpRestriction {
  /** The TCP edge, `edgtcp_…`. */
  edgeId: string;
}

export const tcpEdgeIpRestriction: ModuleDefinition<TcpEdgeIpRestrictionProps> = {
  kind: "module",
  type: "TcpEdgeIpRestriction",
  displayName: "IP restriction of TCP edge",
  parents: ["edgeId"],
  route: "/edges/tcp/{id}/ip_restriction",
  protects: true,
  fields: { edgeId: parentId("a TCP edge", "edgtcp_"), ...ipRestriction },
  computed: {},
};
