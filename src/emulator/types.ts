/** A reference to another object. */
export interface Ref {
  id: string;
  uri: string;
}

export interface ApiKey {
  id: string;
  uri: string;
  description: string;
  metadata: string;
  created_at: string;
  /** Only in the creation response; null in all others. */
  token: string | null;
  owner_id: string;
}

export interface SshCredential {
  id: string;
  uri: string;
  created_at: string;
  description: string;
  metadata: string;
  public_key: string;
  acl: string[] | null;
  owner_id: string;
}

export interface TunnelSession {
  id: string;
  uri: string;
  agent_version: string;
  credential: Ref;
  ip: string;
  metadata: string;
  os: string;
  region: string;
  started_at: string;
  transport: string;
}

export interface Tunnel {
  id: string;
  started_at: string;
  metadata: string;
  region: string;
  forwards_to: string;
  tunnel_session: Ref;
  /** `public_url`, `proto` and `endpoint`: agent-initiated tunnels only. */
  public_url?: string;
  proto?: string;
  endpoint?: Ref;
  /** `labels` and `backends`: backend tunnels only. */
  labels?: Record<string, string>;
  backends?: Ref[];
}

export interface BackendModule {
  enabled: boolean;
  backend: Ref;
}

export interface IpRestrictionModule {
  enabled: boolean;
  ip_policies: Ref[];
}

export interface MutualTlsModule {
  enabled: boolean;
  certificate_authorities: Ref[];
}

export interface TlsTerminationModule {
  enabled: boolean;
  terminate_at: string;
  min_version: string | null;
}

export interface PolicyRule {
  name: string;
  expressions: string[];
  actions: { type: string; config: object | null }[];
}

export interface PolicyModule {
  enabled: boolean;
  inbound: PolicyRule[];
  outbound: PolicyRule[];
}

export interface TcpEdge {
  id: string;
  uri: string;
  created_at: string;
  description: string;
  metadata: string;
  hostports: string[] | null;
  backend: BackendModule | null;
  ip_restriction: IpRestrictionModule | null;
  policy: PolicyModule | null;
}

export interface TlsEdge extends TcpEdge {
  mutual_tls: MutualTlsModule | null;
  tls_termination: TlsTerminationModule | null;
}

export interface OidcModule {
  enabled: boolean;
  options_passthrough: boolean;
  cookie_prefix: string;
  inactivity_timeout: number;
  maximum_duration: number;
  issuer: string;
  client_id: string;
  client_secret?: string;
  scopes: string[];
}

export interface RequestHeadersModule {
  enabled: boolean;
  add: Record<string, string>;
  remove: string[];
}

export interface UserAgentFilterModule {
  enabled: boolean;
  allow: string[];
  deny: string[];
}

/** An HTTPS edge and its routes. No operation returns them; the emulator's `account` does. */
export interface HttpsEdge {
  id: string;
  uri: string;
  tls_termination: TlsTerminationModule | null;
  routes: HttpsEdgeRoute[];
}

export interface HttpsEdgeRoute {
  id: string;
  uri: string;
  oidc: OidcModule | null;
  request_headers: RequestHeadersModule | null;
  user_agent_filter: UserAgentFilterModule | null;
}

/** An owner of keys and credentials. */
export interface User {
  id: string;
  /** Admins may name an owner other than themselves. */
  admin: boolean;
}

/** All objects of the account, oldest first, as the API's responses contain them. */
export interface Account {
  users: User[];
  apiKeys: ApiKey[];
  sshCredentials: SshCredential[];
  tcpEdges: TcpEdge[];
  tlsEdges: TlsEdge[];
  httpsEdges: HttpsEdge[];
  sessions: TunnelSession[];
  tunnels: Tunnel[];
}
