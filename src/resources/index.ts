/** Every resource there is: adding one is adding its file and its line here. */

import type { CommandDefinition } from "../core/commands";
import type { Definition } from "../definitions/definition";
import { apiKey } from "./apiKey";
import { httpsEdgeRouteOidc } from "./httpsEdgeRouteOidc";
import { httpsEdgeRouteRequestHeaders } from "./httpsEdgeRouteRequestHeaders";
import { httpsEdgeRouteUserAgentFilter } from "./httpsEdgeRouteUserAgentFilter";
import { httpsEdgeTlsTermination } from "./httpsEdgeTlsTermination";
import { sshCredential } from "./sshCredential";
import { tcpEdge } from "./tcpEdge";
import { tcpEdgeIpRestriction } from "./tcpEdgeIpRestriction";
import { tlsEdge } from "./tlsEdge";
import { tlsEdgeTlsTermination } from "./tlsEdgeTlsTermination";
import { tunnelSessionCommand } from "./tunnelSessionCommand";

/** Objects of the service. */
export const definitions: Definition[] = [
  apiKey,
  httpsEdgeRouteOidc,
  httpsEdgeRouteRequestHeaders,
  httpsEdgeRouteUserAgentFilter,
  httpsEdgeTlsTermination,
  sshCredential,
  tcpEdge,
  tcpEdgeIpRestriction,
  tlsEdge,
  tlsEdgeTlsTermination,
];

/** Commands to the service: events, which leave nothing to read or delete. */
export const commands: CommandDefinition[] = [tunnelSessionCommand];
