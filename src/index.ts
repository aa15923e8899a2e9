/**
 * Edges, edge modules, API keys and SSH credentials of a tunnelling service, as Pulumi resources.
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
  TlsTerminationArgs,
} from "./resources/modules";
export { Provider, type ProviderArgs } from "./resources/provider";
export { TcpEdge, type TcpEdgeArgs } from "./resources/tcpEdge";
