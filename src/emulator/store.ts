import type {
  EndpointBackendMutate,
  EndpointIPPolicyMutate,
  EndpointMutualTLSMutate,
  EndpointPolicy,
  EndpointTLSTermination,
  OIDC,
  RequestHeaders,
  UserAgentFilter,
} from "./bodies";
import { reject } from "./errors";
import type { Field } from "./fields";
import type { User } from "./types";

// Objects are stored as requests contain them, with ids instead of references: a reference contains the server's
// address, which may change with a restart.

export interface StoredKey {
  id: string;
  created_at: string;
  description: string;
  metadata: string;
  owner_id: string;
  token: string;
}

export interface StoredCredential {
  id: string;
  created_at: string;
  description: string;
  metadata: string;
  owner_id: string;
  public_key: string;
  acl: string[] | null;
}

/** The state of an agent, for the commands update and restart. Times are milliseconds of the emulator's clock. */
export interface Agent {
  /** The newest version that the agent can update to; null if there is none. */
  latest: string | null;
  updatesDisabled: boolean;
  /** When the update ends or ended; null if there is none. */
  updatedAt: number | null;
  /** When a restart starts to use the new version. */
  readyAt: number | null;
}

export interface StoredSession {
  id: string;
  agent_version: string;
  credential_id: string;
  ip: string;
  metadata: string;
  os: string;
  region: string;
  started_at: string;
  transport: string;
  agent: Agent;
}

export interface StoredTunnel {
  id: string;
  session_id: string;
  started_at: string;
  metadata: string;
  region: string;
  forwards_to: string;
  public_url?: string;
  proto?: string;
  endpoint_id?: string;
  labels?: Record<string, string>;
  backend_ids?: string[];
}

type Module<T extends Field<unknown>> = ReturnType<T> | null;

export interface StoredTcpEdge {
  id: string;
  created_at: string;
  description: string;
  metadata: string;
  hostports: string[] | null;
  backend: Module<typeof EndpointBackendMutate>;
  ip_restriction: Module<typeof EndpointIPPolicyMutate>;
  policy: Module<typeof EndpointPolicy>;
}

export interface StoredTlsEdge extends StoredTcpEdge {
  mutual_tls: Module<typeof EndpointMutualTLSMutate>;
  tls_termination: Module<typeof EndpointTLSTermination>;
}

export interface StoredHttpsEdge {
  id: string;
  tls_termination: Module<typeof EndpointTLSTermination>;
}

export interface StoredRoute {
  id: string;
  edge_id: string;
  oidc: Module<typeof OIDC>;
  request_headers: Module<typeof RequestHeaders>;
  user_agent_filter: Module<typeof UserAgentFilter>;
}

/** Objects of one kind by id, in order of creation. */
export class Collection<T extends { id: string }> {
  readonly #kind: string;
  readonly #objects = new Map<string, T>();
  readonly #order: T[] = [];
  /** Includes deleted objects, because a page may start before one of them. */
  readonly #positions = new Map<string, number>();
  #nextPosition = 0;

  constructor(kind: string) {
    this.#kind = kind;
  }

  add(object: T): T {
    if (this.#objects.has(object.id)) reject("ID_TAKEN", `There is already a ${this.#kind} "${object.id}".`);
    this.#objects.set(object.id, object);
    this.#positions.set(object.id, this.#nextPosition++);
    this.#order.push(object);
    return object;
  }

  find(id: string): T | undefined {
    return this.#objects.get(id);
  }

  get(id: string): T {
    return this.#objects.get(id) ?? reject("NOT_FOUND", `There is no ${this.#kind} "${id}".`);
  }

  delete(id: string): T {
    const object = this.get(id);
    this.#order.splice(this.#indexOf(this.#positions.get(id)!), 1);
    this.#objects.delete(id);
    return object;
  }

  clear(): void {
    this.#objects.clear();
    this.#positions.clear();
    this.#order.length = 0;
  }

  /** Oldest first. */
  all(): readonly T[] {
    return this.#order;
  }

  /** Returns at most `limit` objects that are older than `before`, newest first, and whether there are older ones. */
  getPage(limit: number, before?: string): { objects: T[]; hasMore: boolean } {
    let end = this.#order.length;
    if (before !== undefined) {
      const position =
        this.#positions.get(before) ?? reject("BAD_QUERY", `There is no ${this.#kind} "${before}" to list from.`);
      end = this.#indexOf(position);
    }
    const start = Math.max(0, end - limit);
    return { objects: this.#order.slice(start, end).reverse(), hasMore: start > 0 };
  }

  /** Returns the index of the first object at this position or after it. */
  #indexOf(position: number): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#positions.get(this.#order[middle]!.id)! < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

// For comparison: public keys and hostports must be unique.
const normalizePublicKey = (publicKey: string) => publicKey.trimEnd();
const normalizeHostport = (hostport: string) => hostport.toLowerCase();

/** The objects of the account, and the rules that concern more than one of them. */
export class Store {
  readonly users = new Collection<User>("user");
  readonly keys = new Collection<StoredKey>("API key");
  readonly credentials = new Collection<StoredCredential>("SSH credential");
  readonly sessions = new Collection<StoredSession>("tunnel session");
  readonly tunnels = new Collection<StoredTunnel>("tunnel");
  readonly tcpEdges = new Collection<StoredTcpEdge>("TCP edge");
  readonly tlsEdges = new Collection<StoredTlsEdge>("TLS edge");
  readonly httpsEdges = new Collection<StoredHttpsEdge>("HTTPS edge");
  readonly routes = new Collection<StoredRoute>("HTTPS edge route");

  readonly #tokens = new Map<string, StoredKey>();
  readonly #publicKeys = new Set<string>();
  readonly #hostports = new Map<string, string>();

  findKeyByToken(token: string): StoredKey | undefined {
    return this.#tokens.get(token);
  }

  addKey(key: StoredKey): StoredKey {
    if (this.#tokens.has(key.token)) reject("ID_TAKEN", "There is already an API key with this token.");
    this.keys.add(key);
    this.#tokens.set(key.token, key);
    return key;
  }

  deleteKey(id: string): void {
    this.#tokens.delete(this.keys.delete(id).token);
  }

  addCredential(credential: StoredCredential): StoredCredential {
    const key = normalizePublicKey(credential.public_key);
    if (this.#publicKeys.has(key)) reject("PUBLIC_KEY_TAKEN", "The public key is already that of an SSH credential.");
    this.credentials.add(credential);
    this.#publicKeys.add(key);
    return credential;
  }

  deleteCredential(id: string): void {
    this.#publicKeys.delete(normalizePublicKey(this.credentials.delete(id).public_key));
  }

  addEdge<T extends StoredTcpEdge>(edges: Collection<T>, edge: T): T {
    this.#checkHostports(edge.id, edge.hostports);
    edges.add(edge);
    this.#claimHostports(edge);
    return edge;
  }

  deleteEdge<T extends StoredTcpEdge>(edges: Collection<T>, id: string): void {
    this.#releaseHostports(edges.delete(id));
  }

  setHostports(edge: StoredTcpEdge, hostports: string[]): void {
    this.#checkHostports(edge.id, hostports);
    this.#releaseHostports(edge);
    edge.hostports = hostports.length > 0 ? hostports : null;
    this.#claimHostports(edge);
  }

  /** Only one edge, TCP or TLS, can have a hostport. */
  #checkHostports(edgeId: string, hostports: string[] | null): void {
    for (const hostport of hostports ?? []) {
      const ownerId = this.#hostports.get(normalizeHostport(hostport));
      if (ownerId !== undefined && ownerId !== edgeId)
        reject("HOSTPORT_TAKEN", `The hostport "${hostport}" is already served by an edge.`);
    }
  }

  #claimHostports(edge: StoredTcpEdge): void {
    for (const hostport of edge.hostports ?? []) this.#hostports.set(normalizeHostport(hostport), edge.id);
  }

  #releaseHostports(edge: StoredTcpEdge): void {
    for (const hostport of edge.hostports ?? []) this.#hostports.delete(normalizeHostport(hostport));
  }

  clear(): void {
    const { users, keys, credentials, sessions, tunnels, tcpEdges, tlsEdges, httpsEdges, routes } = this;
    for (const each of [users, keys, credentials, sessions, tunnels, tcpEdges, tlsEdges, httpsEdges, routes])
      each.clear();
    this.#tokens.clear();
    this.#publicKeys.clear();
    this.#hostports.clear();
  }

  /** Returns all objects, oldest first, for {@link load}. */
  dump() {
    return {
      users: this.users.all(),
      keys: this.keys.all(),
      credentials: this.credentials.all(),
      sessions: this.sessions.all(),
      tunnels: this.tunnels.all(),
      tcpEdges: this.tcpEdges.all(),
      tlsEdges: this.tlsEdges.all(),
      httpsEdges: this.httpsEdges.all(),
      routes: this.routes.all(),
    };
  }

  load(dump: StoreDump): void {
    this.clear();
    for (const user of dump.users) this.users.add(user);
    for (const key of dump.keys) this.addKey(key);
    for (const credential of dump.credentials) this.addCredential(credential);
    for (const session of dump.sessions) this.sessions.add(session);
    for (const tunnel of dump.tunnels) this.tunnels.add(tunnel);
    for (const edge of dump.tcpEdges) this.addEdge(this.tcpEdges, edge);
    for (const edge of dump.tlsEdges) this.addEdge(this.tlsEdges, edge);
    for (const edge of dump.httpsEdges) this.httpsEdges.add(edge);
    for (const route of dump.routes) this.routes.add(route);
  }
}

export type StoreDump = ReturnType<Store["dump"]>;
