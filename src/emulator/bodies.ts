import { reject } from "./errors";
import {
  anyObject,
  boolean,
  enumOf,
  type Field,
  type FieldOptions,
  idWithPrefix,
  list,
  map,
  moduleString,
  moduleStringWithDefault,
  nonEmptyList,
  nonEmptyString,
  object,
  optional,
  optionalNotNull,
  required,
  string,
  stringUpTo,
  uint32,
  withDefault,
} from "./fields";
import { acl, headerName, headerValue, hostports, pattern, publicKey, url } from "./formats";

// The modules of parts 2.8 to 2.11, as requests contain them.

const enabled = withDefault(boolean, true);

export const EndpointBackendMutate = object({ enabled, backend_id: required(nonEmptyString) });

export const EndpointIPPolicyMutate = object({ enabled, ip_policy_ids: required(nonEmptyList(idWithPrefix("ipp_"))) });

export const EndpointMutualTLSMutate = object({
  enabled,
  certificate_authority_ids: required(nonEmptyList(nonEmptyString)),
});

const tlsVersion = enumOf("", "1.0", "1.1", "1.2", "1.3");
const min_version = moduleStringWithDefault(
  (value, name, options) => tlsVersion(moduleString(value, name, options), name, options),
  undefined,
);

/** An unset version is returned as null or as the service's default. */
const formatMinVersion = (version: string | undefined, { emptyStrings }: FieldOptions) =>
  version || (emptyStrings === "default" ? "1.2" : null);

export const EndpointTLSTermination: Field<{ enabled: boolean; terminate_at: string; min_version: string | null }> = (
  value,
  name,
  options,
) => {
  const shape = { enabled, terminate_at: withDefault(enumOf("edge", "upstream"), "edge"), min_version };
  const module = object(shape)(value, name, options);
  if (module.terminate_at === "edge") return { ...module, min_version: formatMinVersion(module.min_version, options) };
  if (module.min_version !== undefined)
    reject("MIN_VERSION_UPSTREAM", "min_version must be null when terminate_at is upstream.");
  return { ...module, min_version: null };
};

/** An HTTPS edge always terminates TLS itself, so its module has no `terminate_at`. */
export const HttpsEdgeTLSTermination: typeof EndpointTLSTermination = (value, name, options) => {
  const module = object({ enabled, min_version })(value, name, options);
  return { enabled: module.enabled, terminate_at: "edge", min_version: formatMinVersion(module.min_version, options) };
};

const EndpointAction = object({
  type: withDefault(moduleString, ""),
  config: withDefault<object | null>(anyObject, null),
});

const EndpointRule = object({
  expressions: withDefault(list(moduleString), []),
  actions: withDefault(list(EndpointAction), []),
  name: withDefault(moduleString, ""),
});

export const EndpointPolicy = object({
  enabled,
  inbound: withDefault(list(EndpointRule), []),
  outbound: withDefault(list(EndpointRule), []),
});

export const OIDC = object({
  enabled,
  options_passthrough: withDefault(boolean, false),
  cookie_prefix: moduleStringWithDefault(moduleString, "tunnel."),
  inactivity_timeout: withDefault(uint32, 0),
  maximum_duration: withDefault(uint32, 0),
  issuer: withDefault(url, ""),
  client_id: withDefault(moduleString, ""),
  client_secret: withDefault(moduleString, ""),
  scopes: withDefault(list(moduleString), []),
});

export const RequestHeaders = object({
  enabled,
  add: withDefault(map(headerName, headerValue), {}),
  remove: withDefault(list(headerName), []),
});

export const UserAgentFilter = object({
  enabled,
  allow: withDefault(list(pattern), []),
  deny: withDefault(list(pattern), []),
});

// The bodies of parts 4.1 to 4.6.

const described = { description: optional(stringUpTo(255)), metadata: optional(stringUpTo(4096)) };
const owner_id = optional(string);

export const ApiKeyCreate = { ...described, owner_id };
export const ApiKeyUpdate = described;

export const SshCredentialCreate = { ...described, acl: optional(acl), public_key: required(publicKey), owner_id };
export const SshCredentialUpdate = { ...described, acl: optional(acl) };

const edge = { ...described, hostports: optional(hostports) };

export const TcpEdgeCreate = {
  ...edge,
  backend: optional(EndpointBackendMutate),
  ip_restriction: optional(EndpointIPPolicyMutate),
  policy: optional(EndpointPolicy),
};

export const TcpEdgeUpdate = {
  id: optional(string),
  ...edge,
  backend: optionalNotNull(EndpointBackendMutate),
  ip_restriction: optionalNotNull(EndpointIPPolicyMutate),
  policy: optionalNotNull(EndpointPolicy),
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
  backend: optionalNotNull(EndpointBackendMutate),
  ip_restriction: optionalNotNull(EndpointIPPolicyMutate),
  mutual_tls: optionalNotNull(EndpointMutualTLSMutate),
  tls_termination: optionalNotNull(EndpointTLSTermination),
  policy: optionalNotNull(EndpointPolicy),
};
