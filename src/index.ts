/**
 * Edges, edge modules, API keys and SSH credentials of a tunnelling service, as Pulumi resources, and
 * functions that read them and the tunnels and sessions that are online.
 *
 * @packageDocumentation
 */

export type {
  BackendArgs,
  IpRestrictionArgs,
  MutualTlsArgs,
  PolicyActionArgs,
  PolicyArgs,
  PolicyRuleArgs,
  Resolved,
  TlsTerminationArgs,
  TlsVersion,
} from "./definitions/modules";
export type { OutputArgs } from "./dynamic/invoke";
export { Provider, type ProviderArgs } from "./dynamic/provider";
export * from "./functions/apiKeys";
export * from "./functions/httpsEdgeRouteOidc";
export * from "./functions/httpsEdgeRouteRequestHeaders";
export * from "./functions/httpsEdgeRouteUserAgentFilter";
export * from "./functions/httpsEdgeTlsTermination";
export * from "./functions/sshCredentials";
export * from "./functions/tcpEdgeIpRestriction";
export * from "./functions/tcpEdges";
export * from "./functions/tlsEdges";
export * from "./functions/tlsEdgeTlsTermination";
export * from "./functions/tunnelSessions";
export * from "./functions/tunnels";
export { ApiKey, type ApiKeyArgs } from "./resources/apiKey";
export { HttpsEdgeRouteOidc, type HttpsEdgeRouteOidcArgs } from "./resources/httpsEdgeRouteOidc";
export {
  HttpsEdgeRouteRequestHeaders,
  type HttpsEdgeRouteRequestHeadersArgs,
} from "./resources/httpsEdgeRouteRequestHeaders";
export {
  HttpsEdgeRouteUserAgentFilter,
  type HttpsEdgeRouteUserAgentFilterArgs,
} from "./resources/httpsEdgeRouteUserAgentFilter";
export { HttpsEdgeTlsTermination, type HttpsEdgeTlsTerminationArgs } from "./resources/httpsEdgeTlsTermination";
export type { RouteArgs } from "./resources/routeArgs";
export { SshCredential, type SshCredentialArgs } from "./resources/sshCredential";
export { TcpEdge, type TcpEdgeArgs } from "./resources/tcpEdge";
export { TcpEdgeIpRestriction, type TcpEdgeIpRestrictionArgs } from "./resources/tcpEdgeIpRestriction";
export { TlsEdge, type TlsEdgeArgs } from "./resources/tlsEdge";
export { TlsEdgeTlsTermination, type TlsEdgeTlsTerminationArgs } from "./resources/tlsEdgeTlsTermination";
export {
  type AgentCommand,
  TunnelSessionCommand,
  type TunnelSessionCommandArgs,
} from "./resources/tunnelSessionCommand";
