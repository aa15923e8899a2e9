import { restartAgent, stopAgent, updateAgent } from "./agents";
import * as bodies from "./bodies";
import type { Call } from "./call";
import { reject } from "./errors";
import * as fields from "./fields";
import {
  checkTlsTermination,
  createApiKey,
  createSshCredential,
  createTcpEdge,
  createTlsEdge,
  nullIfEmpty,
  updateDescription,
  updateEdge,
} from "./objects";
import { listPage } from "./pagination";
import type { Collection, StoredHttpsEdge, StoredRoute, StoredTcpEdge, StoredTlsEdge } from "./store";
import type { Views } from "./views";

export interface Operation {
  /** The status if the operation succeeds. */
  status: 200 | 201 | 204;
  /** Parses the body. If unset, the request must not have one. */
  body?: fields.Field<unknown>;
  /** The body of a request that has none. If unset, the body is required. */
  defaultBody?: object;
  /** The allowed query parameters. */
  query: readonly string[];
  run(call: Call): unknown;
}

/** Stands for a response without a body, which `null` in JSON is not. */
export const emptyBody = Symbol("emptyBody");

function operation<T>(status: Operation["status"], body: fields.Field<T>, run: (call: Call<T>) => unknown): Operation {
  return { status, body, query: [], run: run as Operation["run"] };
}

const create = <S extends fields.Shape>(shape: S, run: (call: Call<fields.Values<S>>) => unknown) =>
  operation(201, fields.object(shape), run);
const update = <S extends fields.Shape>(shape: S, run: (call: Call<fields.Values<S>>) => unknown) =>
  operation(200, fields.object(shape), run);
const command = (run: (call: Call) => void): Operation => ({
  ...operation(204, fields.object({}), run),
  defaultBody: {},
});
const read = (run: (call: Call) => unknown): Operation => ({ status: 200, query: [], run });
const remove = (run: (call: Call) => void): Operation => ({ status: 204, query: [], run });
const list = (run: (call: Call) => unknown): Operation => ({ status: 200, query: ["limit", "before_id"], run });

/** Part 4.7: the three operations on the path of a module. */
function moduleOperations<K extends string, P extends Partial<Record<K, unknown>>, M>(
  path: string,
  name: K,
  body: fields.Field<M>,
  getParent: (call: Call) => P,
  view: (module: M, views: Views) => unknown = (module) => module,
  check: (parent: P) => void = () => {},
): Record<string, Operation> {
  return {
    [`PUT ${path}`]: operation(200, body, (call) => {
      const parent = getParent(call);
      check({ ...parent, [name]: call.body });
      Object.assign(parent, { [name]: call.body });
      return view(call.body, call.views);
    }),
    [`GET ${path}`]: read((call) => {
      const module = getParent(call)[name] as M | null;
      if (module) return view(module, call.views);
      if (call.behaviour.emptyModule === "null") return null;
      return call.behaviour.emptyModule === "empty" ? emptyBody : rejectNotSet(name);
    }),
    [`DELETE ${path}`]: removeModule(name, getParent),
  };
}

function removeModule<K extends string, P extends Partial<Record<K, unknown>>>(name: K, getParent: (call: Call) => P) {
  return remove((call) => {
    const parent = getParent(call);
    if (!parent[name]) rejectNotSet(name);
    Object.assign(parent, { [name]: null });
  });
}

const rejectNotSet = (name: string): never => reject("MODULE_NOT_SET", `The module "${name}" is not set.`);

const getById = <T extends { id: string }>(collection: Collection<T>, { params }: Call): T =>
  collection.get(params["id"]!);

const getTcpEdge = ({ store, params }: Call): StoredTcpEdge => store.tcpEdges.get(params["id"]!);
const getTlsEdge = ({ store, params }: Call): StoredTlsEdge => store.tlsEdges.get(params["id"]!);
const getHttpsEdge = ({ store, params }: Call): StoredHttpsEdge => store.httpsEdges.get(params["id"]!);
const getRoute = ({ store, params }: Call): StoredRoute => {
  const edge = store.httpsEdges.get(params["edge_id"]!);
  const route = store.routes.get(params["id"]!);
  return route.edge_id === edge.id
    ? route
    : reject("NOT_FOUND", `There is no HTTPS edge route "${route.id}" on the edge "${edge.id}".`);
};

/** The 44 operations of the API document. */
export const operations: Record<string, Operation> = {
  // 4.1 API keys
  "POST /api_keys": create(bodies.ApiKeyCreate, (call) => {
    const key = createApiKey(call, call.body);
    return call.views.apiKey(key, key.token);
  }),
  "GET /api_keys": list((call) =>
    listPage(call, "/api_keys", "keys", call.store.keys, (key) => call.views.apiKey(key)),
  ),
  "GET /api_keys/{id}": read((call) => call.views.apiKey(getById(call.store.keys, call))),
  "PATCH /api_keys/{id}": update(bodies.ApiKeyUpdate, (call) => {
    const key = getById(call.store.keys, call);
    updateDescription(key, call.body);
    return call.views.apiKey(key);
  }),
  "DELETE /api_keys/{id}": remove(({ store, params }) => store.deleteKey(params["id"]!)),

  // 4.2 SSH credentials
  "POST /ssh_credentials": create(bodies.SshCredentialCreate, (call) =>
    call.views.sshCredential(createSshCredential(call, call.body)),
  ),
  "GET /ssh_credentials": list((call) =>
    listPage(call, "/ssh_credentials", "ssh_credentials", call.store.credentials, (each) =>
      call.views.sshCredential(each),
    ),
  ),
  "GET /ssh_credentials/{id}": read((call) => call.views.sshCredential(getById(call.store.credentials, call))),
  "PATCH /ssh_credentials/{id}": update(bodies.SshCredentialUpdate, (call) => {
    const credential = getById(call.store.credentials, call);
    updateDescription(credential, call.body);
    if (call.body.acl) credential.acl = nullIfEmpty(call.body.acl);
    return call.views.sshCredential(credential);
  }),
  "DELETE /ssh_credentials/{id}": remove(({ store, params }) => store.deleteCredential(params["id"]!)),

  // 4.3 Tunnel sessions
  "GET /tunnel_sessions": list((call) =>
    listPage(call, "/tunnel_sessions", "tunnel_sessions", call.store.sessions, (each) => call.views.session(each)),
  ),
  "GET /tunnel_sessions/{id}": read((call) => call.views.session(getById(call.store.sessions, call))),
  "POST /tunnel_sessions/{id}/restart": command((call) =>
    restartAgent(call.store, getById(call.store.sessions, call), call.clock),
  ),
  "POST /tunnel_sessions/{id}/stop": command((call) => stopAgent(call.store, getById(call.store.sessions, call))),
  "POST /tunnel_sessions/{id}/update": command((call) => updateAgent(getById(call.store.sessions, call), call.clock)),

  // 4.4 Tunnels
  "GET /tunnels": list((call) =>
    listPage(call, "/tunnels", "tunnels", call.store.tunnels, (each) => call.views.tunnel(each)),
  ),
  "GET /tunnels/{id}": read((call) => call.views.tunnel(getById(call.store.tunnels, call))),

  // 4.5 TCP edges
  "POST /edges/tcp": create(bodies.TcpEdgeCreate, (call) => call.views.tcpEdge(createTcpEdge(call, call.body))),
  "GET /edges/tcp": list((call) =>
    listPage(call, "/edges/tcp", "tcp_edges", call.store.tcpEdges, (edge) => call.views.tcpEdge(edge)),
  ),
  "GET /edges/tcp/{id}": read((call) => call.views.tcpEdge(getTcpEdge(call))),
  "PATCH /edges/tcp/{id}": update(bodies.TcpEdgeUpdate, (call) => {
    const { id, ...body } = call.body;
    const edge = getTcpEdge(call);
    if (id !== undefined && id !== edge.id) reject("FIELD_VALUE", 'The field "id" must be the id of the path.');
    return call.views.tcpEdge(updateEdge(call.store, edge, body));
  }),

  // 4.6 TLS edges
  "POST /edges/tls": create(bodies.TlsEdgeCreate, (call) => call.views.tlsEdge(createTlsEdge(call, call.body))),
  "GET /edges/tls": list((call) =>
    listPage(call, "/edges/tls", "tls_edges", call.store.tlsEdges, (edge) => call.views.tlsEdge(edge)),
  ),
  "GET /edges/tls/{id}": read((call) => call.views.tlsEdge(getTlsEdge(call))),
  "PATCH /edges/tls/{id}": update(bodies.TlsEdgeUpdate, (call) =>
    call.views.tlsEdge(updateEdge(call.store, getTlsEdge(call), call.body)),
  ),
  "DELETE /edges/tls/{id}": remove(({ store, params }) => store.deleteEdge(store.tlsEdges, params["id"]!)),

  // 4.7 Module operations
  ...moduleOperations(
    "/edges/tcp/{id}/ip_restriction",
    "ip_restriction",
    bodies.EndpointIPPolicyMutate,
    getTcpEdge,
    (module, views) => views.ipRestriction(module),
  ),
  ...moduleOperations(
    "/edges/tls/{id}/tls_termination",
    "tls_termination",
    bodies.EndpointTLSTermination,
    getTlsEdge,
    undefined,
    checkTlsTermination,
  ),
  ...moduleOperations(
    "/edges/https/{id}/tls_termination",
    "tls_termination",
    bodies.HttpsEdgeTLSTermination,
    getHttpsEdge,
  ),
  ...moduleOperations("/edges/https/{edge_id}/routes/{id}/oidc", "oidc", bodies.OIDC, getRoute, (module, views) =>
    views.oidc(module),
  ),
  ...moduleOperations(
    "/edges/https/{edge_id}/routes/{id}/request_headers",
    "request_headers",
    bodies.RequestHeaders,
    getRoute,
  ),
  ...moduleOperations(
    "/edges/https/{edge_id}/routes/{id}/user_agent_filter",
    "user_agent_filter",
    bodies.UserAgentFilter,
    getRoute,
  ),
};

/** Deletes that the API document does not have, but services of this kind do. */
export const undocumented: Record<string, Operation> = {
  "DELETE /edges/tcp/{id}": remove(({ store, params }) => store.deleteEdge(store.tcpEdges, params["id"]!)),
  "DELETE /edges/tcp/{id}/backend": removeModule("backend", getTcpEdge),
  "DELETE /edges/tcp/{id}/policy": removeModule("policy", getTcpEdge),
  "DELETE /edges/tls/{id}/backend": removeModule("backend", getTlsEdge),
  "DELETE /edges/tls/{id}/ip_restriction": removeModule("ip_restriction", getTlsEdge),
  "DELETE /edges/tls/{id}/mutual_tls": removeModule("mutual_tls", getTlsEdge),
  "DELETE /edges/tls/{id}/policy": removeModule("policy", getTlsEdge),
};
