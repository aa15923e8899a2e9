import { restartAgent, stopAgent, updateAgent } from "./agents";
import type { Call } from "./call";
import { reject } from "./errors";
import * as fields from "./fields";
import {
  EndpointIPPolicyMutate,
  EndpointTLSTermination,
  HttpsEdgeTLSTermination,
  routeModuleEntries,
  viewHttpsEdgeTlsTermination,
  viewIpRestriction,
} from "./modules";
import { apiKeys } from "./objects/apiKeys";
import { httpsEdgeRoutes, httpsEdges } from "./objects/httpsEdges";
import { type StoredSession, sessions } from "./objects/sessions";
import { sshCredentials } from "./objects/sshCredentials";
import { tcpEdges } from "./objects/tcpEdges";
import { tlsEdges } from "./objects/tlsEdges";
import { tunnels } from "./objects/tunnels";
import { createObject, type ObjectType } from "./objectType";
import { listPage } from "./pagination";
import type { Stored, StoredType } from "./store";
import type { ViewContext } from "./views";

type Target = Pick<Call, "store" | "params">;

export interface Operation {
  /** The status if the operation succeeds. */
  status: 200 | 201 | 204;
  /** Parses the body. If unset, the request must not have one. */
  body?: fields.Field<unknown>;
  /** The body of a request that has none. If unset, the body is required. */
  defaultBody?: object;
  /** Reads the body that would change nothing; null if there is nothing to change. */
  readBody?(call: Target): object | null;
  /** The allowed query parameters. */
  query: readonly string[];
  run(call: Call): unknown;
}

/** Stands for a response without a body, which `null` in JSON is not. */
export const emptyBody = Symbol("emptyBody");

function operation<T>(status: Operation["status"], body: fields.Field<T>, run: (call: Call<T>) => unknown): Operation {
  return { status, body, query: [], run: run as Operation["run"] };
}

const create = <T extends Stored>(type: ObjectType<T>) =>
  operation(201, fields.object(type.create.fields), (call) => createObject(call, type, call.body));
const list = <T extends Stored>(type: ObjectType<T>, key: string): Operation => ({
  status: 200,
  query: ["limit", "before_id"],
  run: (call) => listPage(call, type, key),
});
const read = <T extends Stored>(type: ObjectType<T>): Operation => ({
  status: 200,
  query: [],
  run: (call) => type.view(getById(type, call), call),
});
const update = <T extends Stored>(type: ObjectType<T>): Operation => ({
  ...operation(200, fields.object(type.update ?? {}), (call) => {
    const { id, ...changes } = call.body;
    const object = getById(type, call);
    if (id !== undefined && id !== object.id) reject("FIELD_VALUE", 'The field "id" must be the id of the path.');
    return type.view(call.store.update(type, object, changes as Partial<T>), call);
  }),
  readBody(target) {
    const { id: _, ...writable } = type.update ?? {};
    return Object.fromEntries(Object.entries(getById(type, target)).filter(([name]) => Object.hasOwn(writable, name)));
  },
});
const remove = <T extends Stored>(type: ObjectType<T>): Operation => ({
  status: 204,
  query: [],
  run: ({ store, params }) => store.delete(type, params["id"]!),
});
const command = (run: (session: StoredSession, call: Call) => void): Operation => ({
  ...operation(204, fields.object({}), (call) => run(getById(sessions, call), call)),
  defaultBody: {},
});

/** The three operations on the path of a module: PUT, GET and DELETE. */
function moduleOperations<T extends Stored, K extends keyof T & string, M extends T[K]>(
  path: string,
  type: StoredType<T>,
  name: K,
  body: fields.Field<M>,
  view: (module: M, context: ViewContext) => unknown = (module) => module,
): Record<string, Operation> {
  return {
    [`PUT ${path}`]: {
      ...operation(200, body, (call) => {
        call.store.update(type, getById(type, call), { [name]: call.body } as Partial<T>);
        return view(call.body, call);
      }),
      readBody: (target) => getById(type, target)[name] as object | null,
    },
    [`GET ${path}`]: {
      status: 200,
      query: [],
      run(call) {
        const module = getById(type, call)[name] as M | null;
        if (module) return view(module, call);
        if (call.behaviour.emptyModule === "null") return null;
        return call.behaviour.emptyModule === "empty" ? emptyBody : rejectNotSet(name);
      },
    },
    [`DELETE ${path}`]: removeModule(type, name),
  };
}

const removeModule = <T extends Stored>(type: StoredType<T>, name: keyof T & string): Operation => ({
  status: 204,
  query: [],
  run(call) {
    const object = getById(type, call);
    if (!object[name]) rejectNotSet(name);
    call.store.update(type, object, { [name]: null } as Partial<T>);
  },
});

const rejectNotSet = (name: string): never => reject("MODULE_NOT_SET", `The module "${name}" is not set.`);

/** Returns the object of the path; a route only on its own edge. */
function getById<T extends Stored & { edge_id?: string }>(type: StoredType<T>, { store, params }: Target): T {
  const edge = params["edge_id"] === undefined ? undefined : store.get(httpsEdges, params["edge_id"]);
  const object = store.get(type, params["id"]!);
  return edge && object.edge_id !== edge.id
    ? reject("NOT_FOUND", `There is no ${type.name} "${object.id}" on the edge "${edge.id}".`)
    : object;
}

/** The operations of the API document. */
export const operations: Record<string, Operation> = {
  // 4.1 API keys
  "POST /api_keys": create(apiKeys),
  "GET /api_keys": list(apiKeys, "keys"),
  "GET /api_keys/{id}": read(apiKeys),
  "PATCH /api_keys/{id}": update(apiKeys),
  "DELETE /api_keys/{id}": remove(apiKeys),

  // 4.2 SSH credentials
  "POST /ssh_credentials": create(sshCredentials),
  "GET /ssh_credentials": list(sshCredentials, "ssh_credentials"),
  "GET /ssh_credentials/{id}": read(sshCredentials),
  "PATCH /ssh_credentials/{id}": update(sshCredentials),
  "DELETE /ssh_credentials/{id}": remove(sshCredentials),

  // 4.3 Tunnel sessions
  "GET /tunnel_sessions": list(sessions, "tunnel_sessions"),
  "GET /tunnel_sessions/{id}": read(sessions),
  "POST /tunnel_sessions/{id}/restart": command(restartAgent),
  "POST /tunnel_sessions/{id}/stop": command(stopAgent),
  "POST /tunnel_sessions/{id}/update": command(updateAgent),

  // 4.4 Tunnels
  "GET /tunnels": list(tunnels, "tunnels"),
  "GET /tunnels/{id}": read(tunnels),

  // 4.5 TCP edges
  "POST /edges/tcp": create(tcpEdges),
  "GET /edges/tcp": list(tcpEdges, "tcp_edges"),
  "GET /edges/tcp/{id}": read(tcpEdges),
  "PATCH /edges/tcp/{id}": update(tcpEdges),

  // 4.6 TLS edges
  "POST /edges/tls": create(tlsEdges),
  "GET /edges/tls": list(tlsEdges, "tls_edges"),
  "GET /edges/tls/{id}": read(tlsEdges),
  "PATCH /edges/tls/{id}": update(tlsEdges),
  "DELETE /edges/tls/{id}": remove(tlsEdges),

  // 4.7 Module operations
  ...moduleOperations(
    "/edges/tcp/{id}/ip_restriction",
    tcpEdges,
    "ip_restriction",
    EndpointIPPolicyMutate,
    viewIpRestriction,
  ),
  ...moduleOperations("/edges/tls/{id}/tls_termination", tlsEdges, "tls_termination", EndpointTLSTermination),
  ...moduleOperations(
    "/edges/https/{id}/tls_termination",
    httpsEdges,
    "tls_termination",
    HttpsEdgeTLSTermination,
    viewHttpsEdgeTlsTermination,
  ),
  ...Object.assign(
    {},
    ...routeModuleEntries.map(([name, { body, view }]) =>
      moduleOperations(
        `/edges/https/{edge_id}/routes/{id}/${name}`,
        httpsEdgeRoutes,
        name,
        body as fields.Field<never>,
        view,
      ),
    ),
  ),
};

/** Deletes that the API document does not have, but services of this kind do. */
export const undocumented: Record<string, Operation> = {
  "DELETE /edges/tcp/{id}": remove(tcpEdges),
  "DELETE /edges/tcp/{id}/backend": removeModule(tcpEdges, "backend"),
  "DELETE /edges/tcp/{id}/policy": removeModule(tcpEdges, "policy"),
  "DELETE /edges/tls/{id}/backend": removeModule(tlsEdges, "backend"),
  "DELETE /edges/tls/{id}/ip_restriction": removeModule(tlsEdges, "ip_restriction"),
  "DELETE /edges/tls/{id}/mutual_tls": removeModule(tlsEdges, "mutual_tls"),
  "DELETE /edges/tls/{id}/policy": removeModule(tlsEdges, "policy"),
};
