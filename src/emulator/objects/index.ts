import type { User } from "../call";
import type { ObjectType } from "../objectType";
import type { Stored } from "../store";
import { type ApiKey, type ApiKeySeed, apiKeys } from "./apiKeys";
import { type HttpsEdge, type HttpsEdgeSeed, httpsEdges } from "./httpsEdges";
import { type SessionSeed, sessions, type TunnelSession } from "./sessions";
import { type SshCredential, type SshCredentialSeed, sshCredentials } from "./sshCredentials";
import { type TcpEdge, type TcpEdgeSeed, tcpEdges } from "./tcpEdges";
import { type TlsEdge, type TlsEdgeSeed, tlsEdges } from "./tlsEdges";
import { type Tunnel, type TunnelSeed, tunnels } from "./tunnels";
import { type UserSeed, users } from "./users";

export type {
  BackendModule,
  IpRestrictionModule,
  MutualTlsModule,
  OidcModule,
  PolicyModule,
  PolicyRule,
  RequestHeadersModule,
  TlsTerminationModule,
  UserAgentFilterModule,
} from "../modules";
export type { Ref } from "../views";
export type { HttpsEdgeRoute } from "./httpsEdges";
export type { AgentSeed } from "./sessions";
export type { ApiKey, HttpsEdge, SshCredential, TcpEdge, TlsEdge, Tunnel, TunnelSession, User };

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

/** Objects to add to the account, as the API's requests contain them. Ids are generated if not given. */
export interface Seed {
  /** The schema of a seed file, for editors. */
  $schema?: string;
  users?: UserSeed[];
  apiKeys?: ApiKeySeed[];
  sshCredentials?: SshCredentialSeed[];
  tcpEdges?: TcpEdgeSeed[];
  tlsEdges?: TlsEdgeSeed[];
  httpsEdges?: HttpsEdgeSeed[];
  sessions?: SessionSeed[];
  tunnels?: TunnelSeed[];
}

/** The objects added to the account, as the API's responses contain them. API keys include their token. */
export type Seeded = Account;

/** The kinds of objects of an account, in the order of the page and of a seed. */
const objectTypes: { [K in keyof Account & keyof Seed]: ObjectType<Stored, Account[K][number]> } = {
  tcpEdges,
  tlsEdges,
  httpsEdges,
  apiKeys,
  sshCredentials,
  sessions,
  tunnels,
  users,
};

export default objectTypes;
