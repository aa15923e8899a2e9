/**
 * Edges, edge modules, API keys and SSH credentials of a tunnelling service, as Pulumi resources, and
 * functions that read them and the tunnels and sessions that are online.
 *
 * @packageDocumentation
 */

export type { AgentCommand } from "./definitions/definition";
export type { Ref } from "./definitions/fields/field";
export type { TlsVersion } from "./definitions/modules";
export { Provider, type ProviderArgs } from "./program/provider";
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
} from "./program/types";
export * from "./resources/apiKey";
export * from "./resources/httpsEdgeRouteOidc";
export * from "./resources/httpsEdgeRouteRequestHeaders";
export * from "./resources/httpsEdgeRouteUserAgentFilter";
export * from "./resources/httpsEdgeTlsTermination";
export * from "./resources/sshCredential";
export * from "./resources/tcpEdge";
export * from "./resources/tcpEdgeIpRestriction";
export * from "./resources/tlsEdge";
export * from "./resources/tlsEdgeTlsTermination";
export * from "./resources/tunnel";
export * from "./resources/tunnelSession";
export * from "./resources/tunnelSessionCommand";
