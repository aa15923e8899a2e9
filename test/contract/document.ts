/**
 * The API document's tables as data: every operation, what its body may contain, its success status and the names in
 * its response. Written from the document only, so that a name that is wrong in both the provider and the emulator is
 * found.
 */

/** A field's name, and for an object or a list of objects, the names inside; `*` for any. */
export type Names = { [name: string]: Names | true } | "*";

export interface Operation {
  /** What the body may contain; absent if there is no body. */
  body?: Names;
  status: 200 | 201 | 204;
  /** What the response contains; absent if it has no body. */
  response?: Names;
}

const named = (...names: string[]): Record<string, Names | true> =>
  Object.fromEntries(names.map((name) => [name, true]));

// 2.1
const ref = named("id", "uri");
const page = (key: string, item: Names): Names => ({ [key]: item, ...named("uri", "next_page_uri") });

// 2.2 to 2.5
const apiKey = named("id", "uri", "description", "metadata", "created_at", "token", "owner_id");
const sshCredential = named("id", "uri", "created_at", "description", "metadata", "public_key", "acl", "owner_id");
const tunnelSession: Names = {
  ...named("id", "uri", "agent_version", "ip", "metadata", "os", "region", "started_at", "transport"),
  credential: ref,
};
const tunnel: Names = {
  ...named("id", "public_url", "started_at", "metadata", "proto", "region", "forwards_to"),
  tunnel_session: ref,
  endpoint: ref,
  labels: "*",
  backends: ref,
};

// 2.8 and 2.9, as returned
const rule: Names = { ...named("expressions", "name"), actions: { type: true, config: "*" } };
const policy: Names = { enabled: true, inbound: rule, outbound: rule };
const backend: Names = { enabled: true, backend: ref };
const ipRestriction: Names = { enabled: true, ip_policies: ref };
const mutualTls: Names = { enabled: true, certificate_authorities: ref };
const tlsTermination = named("enabled", "terminate_at", "min_version");

// 2.6 and 2.7
const tcpEdge: Names = {
  ...named("id", "description", "metadata", "created_at", "uri", "hostports"),
  backend,
  ip_restriction: ipRestriction,
  policy,
};
const tlsEdge: Names = { ...tcpEdge, mutual_tls: mutualTls, tls_termination: tlsTermination };

// 2.10, as requested
const ipRestrictionMutate = named("enabled", "ip_policy_ids");
const tcpEdgeMutate: Names = {
  ...named("description", "metadata", "hostports"),
  backend: named("enabled", "backend_id"),
  ip_restriction: ipRestrictionMutate,
  policy,
};
const tlsEdgeMutate: Names = {
  ...tcpEdgeMutate,
  mutual_tls: named("enabled", "certificate_authority_ids"),
  tls_termination: tlsTermination,
};

// 2.11
const oidc = named(
  "enabled",
  "options_passthrough",
  "cookie_prefix",
  "inactivity_timeout",
  "maximum_duration",
  "issuer",
  "client_id",
  "client_secret",
  "scopes",
);
const requestHeaders: Names = { ...named("enabled", "remove"), add: "*" };
const userAgentFilter = named("enabled", "allow", "deny");

/** 4.7: three operations on one path. */
const modulePath = (path: string, body: Names, response: Names): Record<string, Operation> => ({
  [`PUT ${path}`]: { body, status: 200, response },
  [`GET ${path}`]: { status: 200, response },
  [`DELETE ${path}`]: { status: 204 },
});

export const operations: Record<string, Operation> = {
  // 4.1
  "POST /api_keys": { body: named("description", "metadata", "owner_id"), status: 201, response: apiKey },
  "GET /api_keys": { status: 200, response: page("keys", apiKey) },
  "GET /api_keys/{id}": { status: 200, response: apiKey },
  "PATCH /api_keys/{id}": { body: named("description", "metadata"), status: 200, response: apiKey },
  "DELETE /api_keys/{id}": { status: 204 },

  // 4.2
  "POST /ssh_credentials": {
    body: named("description", "metadata", "acl", "public_key", "owner_id"),
    status: 201,
    response: sshCredential,
  },
  "GET /ssh_credentials": { status: 200, response: page("ssh_credentials", sshCredential) },
  "GET /ssh_credentials/{id}": { status: 200, response: sshCredential },
  "PATCH /ssh_credentials/{id}": {
    body: named("description", "metadata", "acl"),
    status: 200,
    response: sshCredential,
  },
  "DELETE /ssh_credentials/{id}": { status: 204 },

  // 4.3
  "GET /tunnel_sessions": { status: 200, response: page("tunnel_sessions", tunnelSession) },
  "GET /tunnel_sessions/{id}": { status: 200, response: tunnelSession },
  "POST /tunnel_sessions/{id}/restart": { body: {}, status: 204 },
  "POST /tunnel_sessions/{id}/stop": { body: {}, status: 204 },
  "POST /tunnel_sessions/{id}/update": { body: {}, status: 204 },

  // 4.4
  "GET /tunnels": { status: 200, response: page("tunnels", tunnel) },
  "GET /tunnels/{id}": { status: 200, response: tunnel },

  // 4.5
  "POST /edges/tcp": { body: tcpEdgeMutate, status: 201, response: tcpEdge },
  "GET /edges/tcp": { status: 200, response: page("tcp_edges", tcpEdge) },
  "GET /edges/tcp/{id}": { status: 200, response: tcpEdge },
  "PATCH /edges/tcp/{id}": { body: { id: true, ...tcpEdgeMutate }, status: 200, response: tcpEdge },

  // 4.6
  "POST /edges/tls": { body: tlsEdgeMutate, status: 201, response: tlsEdge },
  "GET /edges/tls": { status: 200, response: page("tls_edges", tlsEdge) },
  "GET /edges/tls/{id}": { status: 200, response: tlsEdge },
  "PATCH /edges/tls/{id}": { body: tlsEdgeMutate, status: 200, response: tlsEdge },
  "DELETE /edges/tls/{id}": { status: 204 },

  // 4.7
  ...modulePath("/edges/tcp/{id}/ip_restriction", ipRestrictionMutate, ipRestriction),
  ...modulePath("/edges/tls/{id}/tls_termination", tlsTermination, tlsTermination),
  ...modulePath("/edges/https/{id}/tls_termination", named("enabled", "min_version"), tlsTermination),
  ...modulePath("/edges/https/{edge_id}/routes/{id}/oidc", oidc, oidc),
  ...modulePath("/edges/https/{edge_id}/routes/{id}/request_headers", requestHeaders, requestHeaders),
  ...modulePath("/edges/https/{edge_id}/routes/{id}/user_agent_filter", userAgentFilter, userAgentFilter),
};

/** Deletes that the document does not list but services of this kind have. These are the only exceptions. */
export const exceptions: Record<string, Operation> = Object.fromEntries(
  [
    "DELETE /edges/tcp/{id}",
    "DELETE /edges/tcp/{id}/backend",
    "DELETE /edges/tcp/{id}/policy",
    "DELETE /edges/tls/{id}/backend",
    "DELETE /edges/tls/{id}/ip_restriction",
    "DELETE /edges/tls/{id}/mutual_tls",
    "DELETE /edges/tls/{id}/policy",
  ].map((operation) => [operation, { status: 204 }]),
);

/** What a value has that is not in the names, as paths: `policy.inbound.nmae`. */
export function listUnknownNames(value: unknown, names: Names | true, at = ""): string[] {
  if (names === "*" || names === true || typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => listUnknownNames(item, names, at));
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = Object.hasOwn(names, name) ? names[name]! : undefined;
    return known === undefined ? [at + name] : listUnknownNames(inner, known, `${at}${name}.`);
  });
}

/** A request as the emulator logs it. */
interface Request {
  method: string;
  path: string;
  operation: string | null;
  headers: Record<string, string | string[] | undefined>;
  body?: unknown;
  status: number | string;
}

/** Where a request differs from the document. */
export function listContractViolations({ method, path, operation, headers, body, status }: Request): string[] {
  const call = `${method} ${operation ?? path}`;
  const known = operations[call] ?? exceptions[call];
  if (!known) return [`${call} is not in the document`];
  const found: string[] = [];
  if (path.includes("?")) found.push(`${call} has a query`);
  if (!/^Bearer \S+$/.test(String(headers.authorization))) found.push(`${call} carries no bearer key`);
  if (headers["service-version"] !== "2") found.push(`${call} carries no Service-Version: 2`);
  if ((body === undefined) !== (known.body === undefined)) found.push(`${call} has ${body ? "a" : "no"} body`);
  if (body !== undefined && headers["content-type"] !== "application/json") found.push(`${call} is not sent as JSON`);
  if (known.body) found.push(...listUnknownNames(body, known.body).map((name) => `${call} has no ${name}`));
  if (typeof status === "number" && status < 300 && status !== known.status) found.push(`${call} returned ${status}`);
  return found;
}
