/** What must hold of the account, whatever the life: the one rule, field by field. */
import type { Account } from "pulumi-tunnel-edge/emulator";
import type { Properties } from "../support/host";
import { normalize } from "../support/samples";
import type { Engine, Program } from "../support/simulatedStack";

/** The account field by field: `edgtcp_… ip_restriction`. */
export type Fields = Map<string, unknown>;

/** What the service tells on top of what can be set. */
const readOnlyFields = new Set(["id", "uri", "created_at", "token"]);

export function fieldsOf(account: Account): Fields {
  const { apiKeys, sshCredentials, tcpEdges, tlsEdges, httpsEdges } = account;
  const routes = httpsEdges.flatMap((edge) => edge.routes);
  const edges = httpsEdges.map(({ routes: _, ...edge }) => edge);
  const fields: Fields = new Map();
  for (const object of [...apiKeys, ...sshCredentials, ...tcpEdges, ...tlsEdges, ...edges, ...routes]) {
    for (const [name, value] of Object.entries(object))
      if (!readOnlyFields.has(name)) fields.set(`${object.id} ${name}`, value);
  }
  return fields;
}

const objectIdOf = (key: string) => key.split(" ")[0]!;
export const listObjectIds = (fields: Fields) => new Set([...fields.keys()].map(objectIdOf));

const modules: Record<string, string> = {
  TcpEdgeIpRestriction: "ip_restriction",
  TlsEdgeTlsTermination: "tls_termination",
  HttpsEdgeTlsTermination: "tls_termination",
  HttpsEdgeRouteOidc: "oidc",
  HttpsEdgeRouteRequestHeaders: "request_headers",
  HttpsEdgeRouteUserAgentFilter: "user_agent_filter",
};

const toSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** What a program states of the account's fields, where its resources exist. */
export function listDeclaredFields(program: Program, resources: Engine["resources"]): Fields {
  const declared: Fields = new Map();
  for (const [name, { type, args }] of Object.entries(program)) {
    const { edgeId, routeId, keepers: _, ...own } = args;
    const module = modules[type];
    const parent = String(routeId ?? edgeId).replace(
      /^=(\w+)\.id$/,
      (_, other) => resources.get(other)?.state?.id ?? "",
    );
    const id = module ? parent : resources.get(name)?.state?.id;
    if (!id) continue;
    if (module) declared.set(`${id} ${module}`, own);
    else for (const [argument, value] of Object.entries(own)) declared.set(`${id} ${toSnakeCase(argument)}`, value);
  }
  return declared;
}

/** Where the service holds other than the rule says. */
export function* findViolations(
  now: Fields,
  declared: Fields,
  /** What earlier programs stated: the last one that succeeded, and those that failed since. */
  before: Fields[],
  /** What others set. */
  theirs: Fields,
): Generator<string> {
  for (const [key, value] of now) {
    const [, field] = key.split(" ") as [string, string];
    if (declared.has(key)) {
      if (!matchesDeclared(field, declared.get(key), value))
        yield `${key} is ${show(value)}, and the program states ${show(declared.get(key))}`;
      continue;
    }
    const wasStated = before.some((each) => each.has(key));
    const cleared = isEmpty(field, value);
    const untouched = theirs.has(key) ? show(value) === show(theirs.get(key)) : cleared || unclearable.has(field);
    const mustGo = before.every((each) => each.has(key)) && !unclearable.has(field);
    if (mustGo ? cleared : untouched || (wasStated && cleared)) continue;
    const others = theirs.has(key) ? `set ${show(theirs.get(key))}` : "set nothing";
    yield `${key} is ${show(value)}; the program states nothing of it${wasStated ? " any more" : ""}, and others ${others}`;
  }
}

/** What cannot be cleared. */
const unclearable = new Set(["owner_id", "public_key"]);

const show = (value: unknown) => JSON.stringify(value);

const isEmpty = (field: string, value: unknown) => normalizeField(field, value, []) === undefined;

/** What a stated module may leave to the service. */
const serviceDefaults = [
  "minVersion",
  "terminateAt",
  "cookiePrefix",
  "inactivityTimeout",
  "maximumDuration",
  "scopes",
  "clientSecret",
];
const unordered = new Set(["hostports", "ipPolicyIds", "certificateAuthorityIds", "scopes", "remove", "allow", "deny"]);

/** Whether the service holds what is stated. */
export function matchesDeclared(field: string, declared: unknown, actual: unknown): boolean {
  if (field === "public_key") return String(declared).trimEnd() === String(actual).trimEnd();
  if (field === "owner_id") return declared === actual;
  const free = isObject(declared) ? serviceDefaults.filter((name) => !(name in declared)) : [];
  return show(normalizeField(field, declared, [])) === show(normalizeField(field, actual, free));
}

function normalizeField(field: string, value: unknown, free: string[]): unknown {
  const [[name, held] = ["", undefined]] = Object.entries(normalize({ [field]: value }) as Properties);
  if (!isObject(held)) return normalizeOrder(name, held);
  const kept = Object.entries(held).filter(([inner]) => !free.includes(inner));
  return Object.fromEntries(
    kept.map(([inner, each]) => [inner, normalizeOrder(inner, each)] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function normalizeOrder(name: string, value: unknown): unknown {
  if (name === "acl" && show(value) === '["*"]') return undefined;
  if (unordered.has(name) && Array.isArray(value)) {
    return [...new Set(value.map((item) => (name === "hostports" ? String(item).toLowerCase() : item)))].sort();
  }
  return sortKeys(value);
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}

const isObject = (value: unknown): value is Properties =>
  typeof value === "object" && value !== null && !Array.isArray(value);
