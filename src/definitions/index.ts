/** Every resource, and everything that functions read. A new one is a file and a line here. */

import { apiKey } from "./apiKey";
import type { CommandDefinition, Definition, ReadOnlyDefinition } from "./definition";
import { httpsEdgeRouteOidc } from "./httpsEdgeRouteOidc";
import { httpsEdgeRouteRequestHeaders } from "./httpsEdgeRouteRequestHeaders";
import { httpsEdgeRouteUserAgentFilter } from "./httpsEdgeRouteUserAgentFilter";
import { httpsEdgeTlsTermination } from "./httpsEdgeTlsTermination";
import { sshCredential } from "./sshCredential";
import { tcpEdge } from "./tcpEdge";
import { tcpEdgeIpRestriction } from "./tcpEdgeIpRestriction";
import { tlsEdge } from "./tlsEdge";
import { tlsEdgeTlsTermination } from "./tlsEdgeTlsTermination";
import { tunnel } from "./tunnel";
import { tunnelSession } from "./tunnelSession";
import { tunnelSessionCommand } from "./tunnelSessionCommand";

/** Objects and modules of the service. For each there are functions that read it. */
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
export const agentCommands: CommandDefinition[] = [tunnelSessionCommand];

/** The resource of a type, such as `TcpEdge`. */
export function findResource(type: string): Definition | CommandDefinition {
  const definition = [...definitions, ...agentCommands].find((each) => each.type === type);
  if (definition) return definition;
  throw new Error(`This version of pulumi-tunnel-edge has no resource ${type}. Install the version that created it.`);
}

/** Objects that only functions read. */
export const readOnly: ReadOnlyDefinition[] = [tunnel, tunnelSession];
