import { objectPath } from "./ids";
import type * as stored from "./store";
import type * as api from "./types";

/** How responses contain an OIDC client secret. */
export type OidcSecrets = "clear" | "masked" | "absent";

export const mask = "********";

/** Converts stored objects to the form that responses have. */
export class Views {
  readonly baseUrl: string;
  readonly #oidcSecrets: OidcSecrets;

  constructor(baseUrl: string, oidcSecrets: OidcSecrets) {
    this.baseUrl = baseUrl;
    this.#oidcSecrets = oidcSecrets;
  }

  #ref(id: string, defaultPath?: string): api.Ref {
    return { id, uri: this.baseUrl + objectPath(id, defaultPath) };
  }

  /** The token is given only for the creation response. */
  apiKey(key: stored.StoredKey, token: string | null = null): api.ApiKey {
    const { id, description, metadata, created_at, owner_id } = key;
    return { ...this.#ref(id), description, metadata, created_at, token, owner_id };
  }

  sshCredential(credential: stored.StoredCredential): api.SshCredential {
    const { id, created_at, description, metadata, public_key, acl, owner_id } = credential;
    return { ...this.#ref(id), created_at, description, metadata, public_key, acl, owner_id };
  }

  session(session: stored.StoredSession): api.TunnelSession {
    const { id, agent_version, credential_id, ip, metadata, os, region, started_at, transport } = session;
    const credential = this.#ref(credential_id);
    return { ...this.#ref(id), agent_version, credential, ip, metadata, os, region, started_at, transport };
  }

  tunnel(tunnel: stored.StoredTunnel): api.Tunnel {
    const { session_id, endpoint_id, backend_ids, ...common } = tunnel;
    const view: api.Tunnel = { ...common, tunnel_session: this.#ref(session_id) };
    if (endpoint_id !== undefined) view.endpoint = this.#ref(endpoint_id);
    if (backend_ids !== undefined) view.backends = backend_ids.map((id) => this.#ref(id, "/backends"));
    return view;
  }

  tcpEdge(edge: stored.StoredTcpEdge): api.TcpEdge {
    return {
      ...this.#ref(edge.id),
      created_at: edge.created_at,
      description: edge.description,
      metadata: edge.metadata,
      hostports: edge.hostports,
      backend: edge.backend && this.backend(edge.backend),
      ip_restriction: edge.ip_restriction && this.ipRestriction(edge.ip_restriction),
      policy: edge.policy,
    };
  }

  tlsEdge(edge: stored.StoredTlsEdge): api.TlsEdge {
    return {
      ...this.tcpEdge(edge),
      mutual_tls: edge.mutual_tls && this.mutualTls(edge.mutual_tls),
      tls_termination: edge.tls_termination,
    };
  }

  httpsEdge(edge: stored.StoredHttpsEdge, routes: readonly stored.StoredRoute[]): api.HttpsEdge {
    const ref = this.#ref(edge.id);
    return {
      ...ref,
      tls_termination: edge.tls_termination,
      routes: routes.map((route) => ({
        id: route.id,
        uri: `${ref.uri}/routes/${encodeURIComponent(route.id)}`,
        oidc: route.oidc && this.oidc(route.oidc),
        request_headers: route.request_headers,
        user_agent_filter: route.user_agent_filter,
      })),
    };
  }

  backend(module: NonNullable<stored.StoredTcpEdge["backend"]>): api.BackendModule {
    return { enabled: module.enabled, backend: this.#ref(module.backend_id, "/backends") };
  }

  ipRestriction(module: NonNullable<stored.StoredTcpEdge["ip_restriction"]>): api.IpRestrictionModule {
    return { enabled: module.enabled, ip_policies: module.ip_policy_ids.map((id) => this.#ref(id)) };
  }

  mutualTls(module: NonNullable<stored.StoredTlsEdge["mutual_tls"]>): api.MutualTlsModule {
    const authorities = module.certificate_authority_ids.map((id) => this.#ref(id, "/certificate_authorities"));
    return { enabled: module.enabled, certificate_authorities: authorities };
  }

  oidc(module: NonNullable<stored.StoredRoute["oidc"]>): api.OidcModule {
    const { client_secret, ...others } = module;
    if (this.#oidcSecrets === "absent") return others;
    return { ...module, client_secret: this.#oidcSecrets === "masked" && client_secret !== "" ? mask : client_secret };
  }
}
