import type { ModuleDefinition } from "./definition";
import { parentId } from "./fields/fieldTypes";
import { type TlsTermination, tlsTermination } from "./modules";

/** The TLS termination of a TLS edge. */
export interface TlsEdgeTlsTerminationProps extends TlsTermination {
  /** The TLS edge, `edgtls_…`. */
  edgeId: string;
}

export const tlsEdgeTlsTermination: ModuleDefinition<TlsEdgeTlsTerminationProps> = {
  kind: "module",
  type: "TlsEdgeTlsTermination",
  displayName: "TLS termination of TLS edge",
  parents: ["edgeId"],
  route: "/edges/tls/{id}/tls_termination",
  fields: { edgeId: parentId("a TLS edge", "edgtls_"), ...tlsTermination },
  computed: {},
};
