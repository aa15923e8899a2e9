import type { ModuleDefinition } from "./definition";
import { parentId, tlsVersion } from "./fields/fieldTypes";
import { enabled, type ModuleProps, type TlsVersion } from "./modules";

/** The TLS termination of an HTTPS edge. */
export interface HttpsEdgeTlsTerminationProps extends ModuleProps {
  /** The HTTPS edge, `edghts_…`. */
  edgeId: string;
  /**
   * The minimum TLS version: `1.0`, `1.1`, `1.2` or `1.3`. Any other value is sent with a warning.
   * @default chosen by the service
   */
  minVersion?: TlsVersion;
}

export interface HttpsEdgeTlsTerminationComputed {
  /** Where TLS is terminated. The service decides this. */
  terminateAt?: string;
}

export const httpsEdgeTlsTermination: ModuleDefinition<HttpsEdgeTlsTerminationProps, HttpsEdgeTlsTerminationComputed> =
  {
    kind: "module",
    type: "HttpsEdgeTlsTermination",
    displayName: "TLS termination of HTTPS edge",
    parents: ["edgeId"],
    route: "/edges/https/{id}/tls_termination",
    fields: { edgeId: parentId("an HTTPS edge", "edghts_"), enabled, minVersion: tlsVersion() },
    computed: { terminateAt: {} },
  };
