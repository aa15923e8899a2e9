import { type Clock, restart, stop, update } from "./agents";
import { refuse } from "./errors";
import * as fields from "./fields";
import { newId, randomText } from "./ids";
import { list } from "./pages";
import type { Collection, Store, StoredHttpsEdge, StoredRoute, StoredTcpEdge, StoredTlsEdge } from "./store";
import type { User } from "./types";
import type { Views } from "./views";

/** How the service answers where the document leaves it open. */
export interface Behaviour extends fields.Dialect {
  /** The response to reading a module that is not set. */
  emptyModule: "404" | "null" | "empty";
  /** The largest page of a list. */
  pageSize: number;
}

/** One request, authenticated and routed. */
export interface Call<B = unknown> {
  store: Store;
  clock: Clock;
  behaviour: Behaviour;
  caller: User;
  /** `id` and `edge_id` of the path. */
  path: Record<string, string>;
  query: URLSearchParams;
  body: B;
  show: Views;
}

export interface Operation {
  /** The status of success. */
  status: 200 | 201 | 204;
  /** Reads the body; an operation without it takes none. */
  body?: fields.Field<unknown>;
  /** What a request without a body stands for; an operation without it requires one. */
  noBody?: object;
  /** Query parameters the operation knows. */
  query: readonly string[];
  run(call: Call): unknown;
}

/** A response of no bytes at all. */
export const nothing = Symbol("nothing");

function operation<T>(status: Operation["status"], body: fields.Field<T>, run: (call: Call<T>) => unknown): Operation {
  return { status, body, query: [], run: run as Operation["run"] };
}

const create = <S extends fields.Shape>(shape: S, run: (call: Call<fields.Values<S>>) => unknown) =>
  operation(201, fields.object(shape), run);
const change = <S extends fields.Shape>(shape: S, run: (call: Call<fields.Values<S>>) => unknown) =>
  operation(200, fields.object(shape), run);
const command = (run: (call: Call) => void): Operation => ({ ...operation(204, fields.object({}), run), noBody: {} });
const show = (run: (call: Call) => unknown): Operation => ({ status: 200, query: [], run });
const remove = (run: (call: Call) => void): Operation => ({ status: 204, query: [], run });
const listing = (run: (call: Call) => unknown): Operation => ({ status: 200, query: ["limit", "before_id"], run });

/** Part 4.7: three operations on the path of a module that some object holds. */
function module<K extends string, H extends Partial<Record<K, unknown>>, M>(
  path: string,
  name: K,
  body: fields.Field<M>,
  holderOf: (call: Call) => H,
  view: (module: M, show: Views) => unknown = (held) => held,
  check: (holder: H) => void = () => {},
): Record<string, Operation> {
  return {
    [`PUT ${path}`]: operation(200, body, (call) => {
      const holder = holderOf(call);
      check({ ...holder, [name]: call.body });
      Object.assign(holder, { [name]: call.body });
      return view(call.body, call.show);
    }),
    [`GET ${path}`]: show((call) => {
      const held = holderOf(call)[name] as M | null;
      if (held) return view(held, call.show);
      if (call.behaviour.emptyModule === "null") return null;
      return call.behaviour.emptyModule === "empty" ? nothing : notSet(name);
    }),
    [`DELETE ${path}`]: dropModule(name, holderOf),
  };
}

function dropModule<K extends string, H extends Partial<Record<K, unknown>>>(name: K, holderOf: (call: Call) => H) {
  return remove((call) => {
    const holder = holderOf(call);
    if (!holder[name]) notSet(name);
    Object.assign(holder, { [name]: null });
  });
}

const notSet = (name: string): never => refuse("MODULE_NOT_SET", `The module "${name}" is not set.`);

const tcpEdge = ({ store, path }: Call): StoredTcpEdge => store.tcpEdges.get(path["id"]!);
const tlsEdge = ({ store, path }: Call): StoredTlsEdge => store.tlsEdges.get(path["id"]!);
const httpsEdge = ({ store, path }: Call): StoredHttpsEdge => store.httpsEdges.get(path["id"]!);
const route = ({ store, path }: Call): StoredRoute => {
  const edge = store.httpsEdges.get(path["edge_id"]!);
  const found = store.routes.get(path["id"]!);
  return found.edge_id === edge.id
    ? found
    : refuse("NOT_FOUND", `There is no HTTPS edge route "${found.id}" on the edge "${edge.id}".`);
};

/** Of the modules that "upstream" disallows, mutual TLS is the one that can never work without the traffic. */
function checkTermination({ tls_termination, mutual_tls }: Partial<StoredTlsEdge>): void {
  if (tls_termination?.terminate_at === "upstream" && mutual_tls)
    refuse("MODULE_UPSTREAM", 'The module "mutual_tls" is not allowed when terminate_at is upstream.');
}

/** Only admins may name an owner other than themselves. One never heard of is a user like any other, no admin. */
function owner({ caller }: Call, named: string | undefined): string {
  if (named === undefined || named === caller.id) return caller.id;
  if (!caller.admin) refuse("OWNER_FORBIDDEN", "Only admins may name an owner other than themselves.");
  if (!/^[a-z]+_./.test(named)) refuse("FIELD_VALUE", 'The field "owner_id" must be the identifier of a user or bot.');
  return named;
}

type Texts = { description: string | undefined; metadata: string | undefined };

const texts = ({ description = "", metadata = "" }: Texts) => ({ description, metadata });

function changeTexts(object: { description: string; metadata: string }, { description, metadata }: Texts): void {
  if (description !== undefined) object.description = description;
  if (metadata !== undefined) object.metadata = metadata;
}

const filled = (items: string[] | undefined) => (items && items.length > 0 ? items : null);

type TcpEdgeFields = fields.Values<typeof fields.TcpEdgeCreate>;
type TlsEdgeFields = fields.Values<typeof fields.TlsEdgeCreate>;

const newTcpEdge = (id: string, clock: Clock, body: TcpEdgeFields): StoredTcpEdge => ({
  id,
  created_at: clock.timestamp(),
  ...texts(body),
  hostports: filled(body.hostports),
  backend: body.backend ?? null,
  ip_restriction: body.ip_restriction ?? null,
  policy: body.policy ?? null,
});

const newTlsEdge = (id: string, clock: Clock, body: TlsEdgeFields): StoredTlsEdge => ({
  ...newTcpEdge(id, clock, body),
  mutual_tls: body.mutual_tls ?? null,
  tls_termination: body.tls_termination ?? null,
});

export const createApiKey = (
  call: Call,
  body: fields.Values<typeof fields.ApiKeyCreate>,
  { id = newId("ak_"), token = `${randomText(27)}_${randomText(20)}` }: { id?: string; token?: string } = {},
) =>
  call.store.addKey({
    id,
    created_at: call.clock.timestamp(),
    ...texts(body),
    owner_id: owner(call, body.owner_id),
    token,
  });

export const createSshCredential = (
  call: Call,
  body: fields.Values<typeof fields.SshCredentialCreate>,
  id = newId("sshcr_"),
) =>
  call.store.addCredential({
    id,
    created_at: call.clock.timestamp(),
    ...texts(body),
    owner_id: owner(call, body.owner_id),
    public_key: body.public_key,
    acl: filled(body.acl),
  });

export const createTcpEdge = ({ store, clock }: Call, body: TcpEdgeFields, id = newId("edgtcp_")) =>
  store.addEdge(store.tcpEdges, newTcpEdge(id, clock, body));

export function createTlsEdge({ store, clock }: Call, body: TlsEdgeFields, id = newId("edgtls_")) {
  const edge = newTlsEdge(id, clock, body);
  checkTermination(edge);
  return store.addEdge(store.tlsEdges, edge);
}

/** Update rules of edges: a module not in the body stays, one in the body replaces the whole. */
function changeEdge<T extends StoredTcpEdge>(store: Store, edge: T, body: Partial<TlsEdgeFields>): T {
  const { description, metadata, hostports, ...modules } = body;
  const given = Object.fromEntries(Object.entries(modules).filter(([, value]) => value !== undefined));
  checkTermination({ ...edge, ...given });
  // The hostports first: this is the last step that may be refused.
  if (hostports) store.setHostports(edge, hostports);
  changeTexts(edge, { description, metadata });
  return Object.assign(edge, given);
}

const byId = <T extends { id: string }>(collection: Collection<T>, { path }: Call): T => collection.get(path["id"]!);

/** The 44 operations of the document. */
export const operations: Record<string, Operation> = {
  // 4.1 API keys
  "POST /api_keys": create(fields.ApiKeyCreate, (call) => {
    const key = createApiKey(call, call.body);
    return call.show.apiKey(key, key.token);
  }),
  "GET /api_keys": listing((call) => list(call, "/api_keys", "keys", call.store.keys, (key) => call.show.apiKey(key))),
  "GET /api_keys/{id}": show((call) => call.show.apiKey(byId(call.store.keys, call))),
  "PATCH /api_keys/{id}": change(fields.ApiKeyUpdate, (call) => {
    const key = byId(call.store.keys, call);
    changeTexts(key, call.body);
    return call.show.apiKey(key);
  }),
  "DELETE /api_keys/{id}": remove(({ store, path }) => store.deleteKey(path["id"]!)),

  // 4.2 SSH credentials
  "POST /ssh_credentials": create(fields.SshCredentialCreate, (call) =>
    call.show.sshCredential(createSshCredential(call, call.body)),
  ),
  "GET /ssh_credentials": listing((call) =>
    list(call, "/ssh_credentials", "ssh_credentials", call.store.credentials, (each) => call.show.sshCredential(each)),
  ),
  "GET /ssh_credentials/{id}": show((call) => call.show.sshCredential(byId(call.store.credentials, call))),
  "PATCH /ssh_credentials/{id}": change(fields.SshCredentialUpdate, (call) => {
    const credential = byId(call.store.credentials, call);
    changeTexts(credential, call.body);
    if (call.body.acl) credential.acl = filled(call.body.acl);
    return call.show.sshCredential(credential);
  }),
  "DELETE /ssh_credentials/{id}": remove(({ store, path }) => store.deleteCredential(path["id"]!)),

  // 4.3 Tunnel sessions
  "GET /tunnel_sessions": listing((call) =>
    list(call, "/tunnel_sessions", "tunnel_sessions", call.store.sessions, (each) => call.show.session(each)),
  ),
  "GET /tunnel_sessions/{id}": show((call) => call.show.session(byId(call.store.sessions, call))),
  "POST /tunnel_sessions/{id}/restart": command((call) =>
    restart(call.store, byId(call.store.sessions, call), call.clock),
  ),
  "POST /tunnel_sessions/{id}/stop": command((call) => stop(call.store, byId(call.store.sessions, call))),
  "POST /tunnel_sessions/{id}/update": command((call) => update(byId(call.store.sessions, call), call.clock)),

  // 4.4 Tunnels
  "GET /tunnels": listing((call) =>
    list(call, "/tunnels", "tunnels", call.store.tunnels, (each) => call.show.tunnel(each)),
  ),
  "GET /tunnels/{id}": show((call) => call.show.tunnel(byId(call.store.tunnels, call))),

  // 4.5 TCP edges
  "POST /edges/tcp": create(fields.TcpEdgeCreate, (call) => call.show.tcpEdge(createTcpEdge(call, call.body))),
  "GET /edges/tcp": listing((call) =>
    list(call, "/edges/tcp", "tcp_edges", call.store.tcpEdges, (edge) => call.show.tcpEdge(edge)),
  ),
  "GET /edges/tcp/{id}": show((call) => call.show.tcpEdge(tcpEdge(call))),
  "PATCH /edges/tcp/{id}": change(fields.TcpEdgeUpdate, (call) => {
    const { id, ...body } = call.body;
    const edge = tcpEdge(call);
    if (id !== undefined && id !== edge.id) refuse("FIELD_VALUE", 'The field "id" must be the id of the path.');
    return call.show.tcpEdge(changeEdge(call.store, edge, body));
  }),

  // 4.6 TLS edges
  "POST /edges/tls": create(fields.TlsEdgeCreate, (call) => call.show.tlsEdge(createTlsEdge(call, call.body))),
  "GET /edges/tls": listing((call) =>
    list(call, "/edges/tls", "tls_edges", call.store.tlsEdges, (edge) => call.show.tlsEdge(edge)),
  ),
  "GET /edges/tls/{id}": show((call) => call.show.tlsEdge(tlsEdge(call))),
  "PATCH /edges/tls/{id}": change(fields.TlsEdgeUpdate, (call) =>
    call.show.tlsEdge(changeEdge(call.store, tlsEdge(call), call.body)),
  ),
  "DELETE /edges/tls/{id}": remove(({ store, path }) => store.deleteEdge(store.tlsEdges, path["id"]!)),

  // 4.7 Module operations
  ...module("/edges/tcp/{id}/ip_restriction", "ip_restriction", fields.EndpointIPPolicyMutate, tcpEdge, (held, show) =>
    show.ipRestriction(held),
  ),
  ...module(
    "/edges/tls/{id}/tls_termination",
    "tls_termination",
    fields.EndpointTLSTermination,
    tlsEdge,
    undefined,
    checkTermination,
  ),
  ...module("/edges/https/{id}/tls_termination", "tls_termination", fields.HttpsEdgeTLSTermination, httpsEdge),
  ...module("/edges/https/{edge_id}/routes/{id}/oidc", "oidc", fields.OIDC, route, (held, show) => show.oidc(held)),
  ...module("/edges/https/{edge_id}/routes/{id}/request_headers", "request_headers", fields.RequestHeaders, route),
  ...module("/edges/https/{edge_id}/routes/{id}/user_agent_filter", "user_agent_filter", fields.UserAgentFilter, route),
};

/** Deletes that the document does not show, though services of this kind have them. */
export const undocumented: Record<string, Operation> = {
  "DELETE /edges/tcp/{id}": remove(({ store, path }) => store.deleteEdge(store.tcpEdges, path["id"]!)),
  "DELETE /edges/tcp/{id}/backend": dropModule("backend", tcpEdge),
  "DELETE /edges/tcp/{id}/policy": dropModule("policy", tcpEdge),
  "DELETE /edges/tls/{id}/backend": dropModule("backend", tlsEdge),
  "DELETE /edges/tls/{id}/ip_restriction": dropModule("ip_restriction", tlsEdge),
  "DELETE /edges/tls/{id}/mutual_tls": dropModule("mutual_tls", tlsEdge),
  "DELETE /edges/tls/{id}/policy": dropModule("policy", tlsEdge),
};
