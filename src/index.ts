/**
 * Edges, edge modules, API keys and SSH credentials of a tunnelling service, as Pulumi resources, and
 * functions that read them and the tunnels and sessions that are online.
 *
 * @packageDocumentation
 */

export type { AgentCommand } from "./definitions/definition";
export type { Ref } from "./definitions/fields/field";
export type { TlsVersion } from "./definitions/modules";
export { Provider, type ProviderArgs } from "./dynamic/program/provider";
export type {
  BackendArgs,
  IpRestrictionArgs,
  MutualTlsArgs,
  OutputArgs,
  PolicyActionArgs,
  PolicyArgs,
  PolicyRuleArgs,
  Resolved,
  RouteArgs,
  TlsTerminationArgs,
} from "./dynamic/program/types";
export * from "./dynamic/resources/apiKey";
export * from "./dynamic/resources/httpsEdgeRouteOidc";
export * from "./dynamic/resources/httpsEdgeRouteRequestHeaders";
export * from "./dynamic/resources/httpsEdgeRouteUserAgentFilter";
export * from "./dynamic/resources/httpsEdgeTlsTermination";
export * from "./dynamic/resources/sshCredential";
export * from "./dynamic/resources/tcpEdge";
export * from "./dynamic/resources/tcpEdgeIpRestriction";
export * from "./dynamic/resources/tlsEdge";
export * from "./dynamic/resources/tlsEdgeTlsTermination";
export * from "./dynamic/resources/tunnel";
export * from "./dynamic/resources/tunnelSession";
export * from "./dynamic/resources/tunnelSessionCommand";
