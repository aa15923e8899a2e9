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
  required,
  uint32,
  withDefault,
} from "./fields";
import { headerName, headerValue, pattern, url } from "./formats";
import { createRef, mask, type Ref, type ViewContext } from "./views";

// The modules: as requests contain them, as responses do, and how one becomes the other.

const enabled = withDefault(boolean, true);

export interface BackendModule {
  enabled: boolean;
  backend: Ref;
}

export const EndpointBackendMutate = object({ enabled, backend_id: required(nonEmptyString) });

export const viewBackend = (
  { enabled, backend_id }: ReturnType<typeof EndpointBackendMutate>,
  context: ViewContext,
): BackendModule => ({ enabled, backend: createRef(context, backend_id, "/backends") });

export interface IpRestrictionModule {
  enabled: boolean;
  ip_policies: Ref[];
}

export const EndpointIPPolicyMutate = object({ enabled, ip_policy_ids: required(nonEmptyList(idWithPrefix("ipp_"))) });

export const viewIpRestriction = (
  { enabled, ip_policy_ids }: ReturnType<typeof EndpointIPPolicyMutate>,
  context: ViewContext,
): IpRestrictionModule => ({ enabled, ip_policies: ip_policy_ids.map((id) => createRef(context, id, "/ip_policies")) });

export interface MutualTlsModule {
  enabled: boolean;
  certificate_authorities: Ref[];
}

export const EndpointMutualTLSMutate = object({
  enabled,
  certificate_authority_ids: required(nonEmptyList(nonEmptyString)),
});

export const viewMutualTls = (
  { enabled, certificate_authority_ids }: ReturnType<typeof EndpointMutualTLSMutate>,
  context: ViewContext,
): MutualTlsModule => ({
  enabled,
  certificate_authorities: certificate_authority_ids.map((id) => createRef(context, id, "/certificate_authorities")),
});

export interface TlsTerminationModule {
  enabled: boolean;
  terminate_at: string;
  min_version: string | null;
}

const tlsVersion = enumOf("", "1.0", "1.1", "1.2", "1.3");
const min_version = moduleStringWithDefault(
  (value, name, options) => tlsVersion(moduleString(value, name, options), name, options),
  undefined,
);

/** An unset version is returned as null or as the service's default. */
const formatMinVersion = (version: string | undefined, { emptyStrings }: FieldOptions) =>
  version || (emptyStrings === "default" ? "1.2" : null);

export const EndpointTLSTermination: Field<TlsTerminationModule> = (value, name, options) => {
  const shape = { enabled, terminate_at: withDefault(enumOf("edge", "upstream"), "edge"), min_version };
  const module = object(shape)(value, name, options);
  if (module.terminate_at === "edge") return { ...module, min_version: formatMinVersion(module.min_version, options) };
  if (module.min_version !== undefined)
    reject("MIN_VERSION_UPSTREAM", "min_version must be null when terminate_at is upstream.");
  return { ...module, min_version: null };
};

/** An HTTPS edge always terminates TLS itself, so only responses contain `terminate_at`. */
export const HttpsEdgeTLSTermination: Field<{ enabled: boolean; min_version: string | null }> = (
  value,
  name,
  options,
) => {
  const module = object({ enabled, min_version })(value, name, options);
  return { enabled: module.enabled, min_version: formatMinVersion(module.min_version, options) };
};

export const viewHttpsEdgeTlsTermination = ({
  enabled,
  min_version,
}: ReturnType<typeof HttpsEdgeTLSTermination>): TlsTerminationModule => ({
  enabled,
  terminate_at: "edge",
  min_version,
});

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

const EndpointAction = object({
  type: withDefault(moduleString, ""),
  config: withDefault<object | null>(anyObject, null),
});

const EndpointRule = object({
  expressions: withDefault(list(moduleString), []),
  actions: withDefault(list(EndpointAction), []),
  name: withDefault(moduleString, ""),
});

export const EndpointPolicy: Field<PolicyModule> = object({
  enabled,
  inbound: withDefault(list(EndpointRule), []),
  outbound: withDefault(list(EndpointRule), []),
});

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

export function viewOidc(module: ReturnType<typeof OIDC>, { oidcSecrets }: ViewContext): OidcModule {
  const { client_secret, ...others } = module;
  if (oidcSecrets === "absent") return others;
  return { ...module, client_secret: oidcSecrets === "masked" && client_secret !== "" ? mask : client_secret };
}

export interface RequestHeadersModule {
  enabled: boolean;
  add: Record<string, string>;
  remove: string[];
}

export const RequestHeaders: Field<RequestHeadersModule> = object({
  enabled,
  add: withDefault(map(headerName, headerValue), {}),
  remove: withDefault(list(headerName), []),
});

export interface UserAgentFilterModule {
  enabled: boolean;
  allow: string[];
  deny: string[];
}

export const UserAgentFilter: Field<UserAgentFilterModule> = object({
  enabled,
  allow: withDefault(list(pattern), []),
  deny: withDefault(list(pattern), []),
});

const asSent = <M>(module: M): M => module;

/** The modules of a route of an HTTPS edge: what requests contain, and what responses show. */
export const routeModules = {
  oidc: { body: OIDC, view: viewOidc },
  request_headers: { body: RequestHeaders, view: asSent<RequestHeadersModule> },
  user_agent_filter: { body: UserAgentFilter, view: asSent<UserAgentFilterModule> },
};

export type RouteModules = typeof routeModules;

/** By their names, of any type. */
export const routeModuleEntries = Object.entries(routeModules) as [
  name: keyof RouteModules,
  module: { body: Field<unknown>; view(module: never, context: ViewContext): unknown },
][];
