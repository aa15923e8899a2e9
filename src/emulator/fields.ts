import net from "node:net";
import { refuse } from "./errors";

/** What an empty string in a module means, which the document does not say. */
export type EmptyStrings = "keep" | "default" | "reject";

/** Where services of this kind differ in what they accept. */
export interface Dialect {
  emptyStrings: EmptyStrings;
}

/**
 * Reads one field of a request body, or refuses it by name.
 * A field that is `null` counts as absent, except where a table below says otherwise.
 */
export type Field<T> = (value: unknown, name: string, dialect: Dialect) => T;
export type Shape = Record<string, Field<unknown>>;
export type Values<S extends Shape> = { [K in keyof S]: ReturnType<S[K]> };

export function read<S extends Shape>(shape: S, body: object, dialect: Dialect, at = ""): Values<S> {
  for (const name of Object.keys(body)) {
    if (!Object.hasOwn(shape, name)) refuse("UNKNOWN_FIELD", `The field "${at}${name}" is not known.`);
  }
  const given = body as Record<string, unknown>;
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(shape)) values[name] = shape[name]!(given[name], at + name, dialect);
  return values as Values<S>;
}

// How a field may be left out.

const absent = (value: unknown): value is null | undefined => value === null || value === undefined;

export function optional<T>(field: Field<T>): Field<T | undefined> {
  return (value, name, dialect) => (absent(value) ? undefined : field(value, name, dialect));
}

export function required<T>(field: Field<T>): Field<T> {
  return (value, name, dialect) =>
    absent(value) ? refuse("FIELD_REQUIRED", `The field "${name}" is required.`) : field(value, name, dialect);
}

export function or<T>(field: Field<T>, unspecified: T): Field<T> {
  return (value, name, dialect) => (absent(value) ? unspecified : field(value, name, dialect));
}

/** The same for a string of a module, where an empty one may count as absent. */
function chosen<T>(field: Field<string>, unspecified: T): Field<string | T> {
  return (value, name, dialect) => {
    const isUnspecified = absent(value) || (value === "" && dialect.emptyStrings === "default");
    return isUnspecified ? unspecified : field(value, name, dialect);
  };
}

/** A module in a PATCH body: leaving it out keeps it, and nothing in a PATCH body can remove it. */
export function kept<T>(module: Field<T>): Field<T | undefined> {
  return (value, name, dialect) =>
    value === null
      ? refuse(
          "MODULE_NOT_REMOVABLE",
          `The module "${name}" cannot be removed by an update; delete it on its own path.`,
        )
      : optional(module)(value, name, dialect);
}

// The types of the document.

const wrongType = (name: string, type: string): never => refuse("FIELD_TYPE", `The field "${name}" must be ${type}.`);
const wrongValue = (name: string, rule: string): never => refuse("FIELD_VALUE", `The field "${name}" ${rule}.`);

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const string = (value: unknown, name: string): string =>
  typeof value === "string" ? value : wrongType(name, "a string");

export const boolean: Field<boolean> = (value, name) =>
  typeof value === "boolean" ? value : wrongType(name, "a boolean");

export const uint32: Field<number> = (value, name) =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 0xffff_ffff
    ? (value as number)
    : wrongType(name, "an integer from 0 to 4294967295");

export function list<T>(item: Field<T>): Field<T[]> {
  return (value, name, dialect) =>
    Array.isArray(value)
      ? value.map((each, index) => item(each, `${name}[${index}]`, dialect))
      : wrongType(name, "a list");
}

/** Names and values of a map are the caller's own: `__proto__` is a name like any other. */
export function map<T>(key: Field<string>, item: Field<T>): Field<Record<string, T>> {
  return (value, name, dialect) =>
    isObject(value)
      ? Object.fromEntries(
          Object.entries(value).map(([each, held]) => {
            const at = `${name}.${each}`;
            return [key(each, at, dialect), item(held, at, dialect)];
          }),
        )
      : wrongType(name, "an object");
}

export function object<S extends Shape>(shape: S): Field<Values<S>> {
  return (value, name, dialect) =>
    isObject(value)
      ? read(shape, value, dialect, name === "" ? "" : `${name}.`)
      : wrongType(name || "body", "an object");
}

const anyObject: Field<object> = (value, name) => (isObject(value) ? value : wrongType(name, "an object"));

/** A string of a module. */
const moduleString: Field<string> = (value, name, { emptyStrings }) =>
  value === "" && emptyStrings === "reject" ? wrongValue(name, "must not be empty") : string(value, name);

export const some: Field<string> = (value, name) =>
  string(value, name) === "" ? wrongValue(name, "must not be empty") : (value as string);

function text(bytes: number): Field<string> {
  return (value, name) =>
    Buffer.byteLength(string(value, name)) > bytes
      ? refuse("FIELD_TOO_LONG", `The field "${name}" is longer than ${bytes} bytes.`)
      : (value as string);
}

export function id(prefix: string): Field<string> {
  return (value, name) =>
    string(value, name).startsWith(prefix) && (value as string).length > prefix.length
      ? (value as string)
      : wrongValue(name, `must be an identifier that starts with "${prefix}"`);
}

function oneOf<T extends string>(...values: T[]): Field<T> {
  return (value, name) =>
    values.includes(string(value, name) as T)
      ? (value as T)
      : wrongValue(name, `must be one of ${values.map((each) => `"${each}"`).join(", ")}`);
}

function someOf<T>(item: Field<T>): Field<T[]> {
  return (value, name, dialect) => {
    const items = list(item)(value, name, dialect);
    return items.length > 0 ? items : wrongValue(name, "must not be empty");
  };
}

// Grammars.

const domain = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i;

function isHost(host: string): boolean {
  if (host.startsWith("[") && host.endsWith("]")) return net.isIPv6(host.slice(1, -1));
  return host.length <= 253 && domain.test(host.startsWith("*.") ? host.slice(2) : host);
}

function isHostport(target: string): boolean {
  const colon = target.lastIndexOf(":");
  const port = target.slice(colon + 1);
  return colon > 0 && isHost(target.slice(0, colon)) && /^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65535;
}

const hostport: Field<string> = (value, name) =>
  isHostport(string(value, name)) ? (value as string) : wrongValue(name, 'must have the form "<host>:<port>"');

const hostports: Field<string[]> = (value, name, dialect) => {
  const all = list(hostport)(value, name, dialect);
  return new Set(all.map((each) => each.toLowerCase())).size === all.length
    ? all
    : wrongValue(name, "names a hostport twice");
};

/** `bind:<domain or address>`, `bind:*.<domain>`, `bind:<key>=<value>` with `*` for the key, the value or both. */
function isBindRule(rule: string): boolean {
  if (!rule.startsWith("bind:")) return false;
  const target = rule.slice("bind:".length);
  if (/\s/.test(target)) return false;
  const equals = target.indexOf("=");
  if (equals < 0) return isHost(target) || isHostport(target) || net.isIPv6(target);
  return [target.slice(0, equals), target.slice(equals + 1)].every(
    (part) => part === "*" || (part !== "" && !part.includes("*")),
  );
}

const acl: Field<string[]> = (value, name, dialect) => {
  const rules = list(string)(value, name, dialect);
  if (rules.length === 1 && rules[0] === "*") return rules;
  rules.forEach((rule, index) => {
    if (rule === "*") wrongValue(`${name}[${index}]`, 'may be "*" only as the single rule');
    if (!isBindRule(rule)) wrongValue(`${name}[${index}]`, 'must be a bind rule, "bind:<target>"');
  });
  return rules;
};

const publicKey: Field<string> = (value, name) =>
  /^(?:-----BEGIN [A-Z0-9 ]*PUBLIC KEY-----|(?:ssh|ecdsa|sk)-\S+ \S+)/.test(string(value, name).trimStart())
    ? (value as string)
    : wrongValue(name, "must be an encoded public key");

const url: Field<string> = (value, name, dialect) =>
  moduleString(value, name, dialect) === "" || (/^https?:\/\//i.test(value as string) && URL.canParse(value as string))
    ? (value as string)
    : wrongValue(name, "must be a URL");

const headerName: Field<string> = (value, name) =>
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(string(value, name))
    ? (value as string)
    : wrongValue(name, "must be an HTTP header name");

const headerValue: Field<string> = (value, name) =>
  /[\r\n\0]/.test(string(value, name)) ? wrongValue(name, "must be an HTTP header value") : (value as string);

/** What is wrong with a regular expression in every dialect; the rest is not judged. */
function flawOf(pattern: string): string | undefined {
  let groups = 0;
  let inClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === "\\") {
      if (at === pattern.length - 1) return "ends in a backslash";
      // A quotation; in a class it is one in some dialects only.
      if (pattern[at + 1] === "Q" && !inClass) {
        const end = pattern.indexOf("\\E", at);
        at = end < 0 ? pattern.length : end;
      }
      at++;
    } else if (inClass) {
      if (char === "]") inClass = false;
      else if (pattern.startsWith("[:", at) && pattern.includes(":]", at)) at = pattern.indexOf(":]", at) + 1;
    } else if (char === "[") {
      inClass = true;
      if (pattern[at + 1] === "^") at++;
      // A "]" that opens a class stands for itself.
      if (pattern[at + 1] === "]") at++;
    } else if (char === "(") groups++;
    else if (char === ")" && groups-- === 0) return "closes a group that is not open";
  }
  if (inClass) return "leaves a bracket open";
  return groups > 0 ? "leaves a group open" : undefined;
}

const pattern: Field<string> = (value, name) => {
  const flaw = flawOf(string(value, name));
  return flaw === undefined ? (value as string) : wrongValue(name, `is not a regular expression: it ${flaw}`);
};

// The modules of parts 2.8 to 2.11, in the form requests give them.

const enabled = or(boolean, true);

export const EndpointBackendMutate = object({ enabled, backend_id: required(some) });

export const EndpointIPPolicyMutate = object({ enabled, ip_policy_ids: required(someOf(id("ipp_"))) });

export const EndpointMutualTLSMutate = object({ enabled, certificate_authority_ids: required(someOf(some)) });

const version = oneOf("", "1.0", "1.1", "1.2", "1.3");
const min_version = chosen(
  (value, name, dialect) => version(moduleString(value, name, dialect), name, dialect),
  undefined,
);

/** Unset versions are shown as null, or as the default that the service has chosen. */
const versionShown = (given: string | undefined, { emptyStrings }: Dialect) =>
  given || (emptyStrings === "default" ? "1.2" : null);

export const EndpointTLSTermination: Field<{ enabled: boolean; terminate_at: string; min_version: string | null }> = (
  value,
  name,
  dialect,
) => {
  const shape = { enabled, terminate_at: or(oneOf("edge", "upstream"), "edge"), min_version };
  const module = object(shape)(value, name, dialect);
  if (module.terminate_at === "edge") return { ...module, min_version: versionShown(module.min_version, dialect) };
  if (module.min_version !== undefined)
    refuse("MIN_VERSION_UPSTREAM", "min_version must be null when terminate_at is upstream.");
  return { ...module, min_version: null };
};

/** An HTTPS edge always terminates TLS itself, so its module has no terminate_at parameter. */
export const HttpsEdgeTLSTermination: typeof EndpointTLSTermination = (value, name, dialect) => {
  const module = object({ enabled, min_version })(value, name, dialect);
  return { enabled: module.enabled, terminate_at: "edge", min_version: versionShown(module.min_version, dialect) };
};

const EndpointAction = object({ type: or(moduleString, ""), config: or<object | null>(anyObject, null) });

const EndpointRule = object({
  expressions: or(list(moduleString), []),
  actions: or(list(EndpointAction), []),
  name: or(moduleString, ""),
});

export const EndpointPolicy = object({
  enabled,
  inbound: or(list(EndpointRule), []),
  outbound: or(list(EndpointRule), []),
});

export const OIDC = object({
  enabled,
  options_passthrough: or(boolean, false),
  cookie_prefix: chosen(moduleString, "tunnel."),
  inactivity_timeout: or(uint32, 0),
  maximum_duration: or(uint32, 0),
  issuer: or(url, ""),
  client_id: or(moduleString, ""),
  client_secret: or(moduleString, ""),
  scopes: or(list(moduleString), []),
});

export const RequestHeaders = object({
  enabled,
  add: or(map(headerName, headerValue), {}),
  remove: or(list(headerName), []),
});

export const UserAgentFilter = object({ enabled, allow: or(list(pattern), []), deny: or(list(pattern), []) });

// The bodies of parts 4.1 to 4.6.

const texts = { description: optional(text(255)), metadata: optional(text(4096)) };
const owner_id = optional(string);

export const ApiKeyCreate = { ...texts, owner_id };
export const ApiKeyUpdate = texts;

export const SshCredentialCreate = { ...texts, acl: optional(acl), public_key: required(publicKey), owner_id };
export const SshCredentialUpdate = { ...texts, acl: optional(acl) };

const edge = { ...texts, hostports: optional(hostports) };

export const TcpEdgeCreate = {
  ...edge,
  backend: optional(EndpointBackendMutate),
  ip_restriction: optional(EndpointIPPolicyMutate),
  policy: optional(EndpointPolicy),
};

export const TcpEdgeUpdate = {
  id: optional(string),
  ...edge,
  backend: kept(EndpointBackendMutate),
  ip_restriction: kept(EndpointIPPolicyMutate),
  policy: kept(EndpointPolicy),
};

export const TlsEdgeCreate = {
  ...edge,
  backend: optional(EndpointBackendMutate),
  ip_restriction: optional(EndpointIPPolicyMutate),
  mutual_tls: optional(EndpointMutualTLSMutate),
  tls_termination: optional(EndpointTLSTermination),
  policy: optional(EndpointPolicy),
};

export const TlsEdgeUpdate = {
  ...edge,
  backend: kept(EndpointBackendMutate),
  ip_restriction: kept(EndpointIPPolicyMutate),
  mutual_tls: kept(EndpointMutualTLSMutate),
  tls_termination: kept(EndpointTLSTermination),
  policy: kept(EndpointPolicy),
};
