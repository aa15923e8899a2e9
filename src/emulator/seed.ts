import { createAgent, nextVersion } from "./agents";
import * as bodies from "./bodies";
import type { Call } from "./call";
import { reject } from "./errors";
import {
  boolean,
  type Field,
  idWithPrefix,
  list,
  map,
  nonEmptyString,
  object,
  optional,
  readFields,
  string,
  withDefault,
} from "./fields";
import { newId } from "./ids";
import { createApiKey, createSshCredential, createTcpEdge, createTlsEdge } from "./objects";
import type { Account } from "./types";

interface Description {
  description?: string;
  metadata?: string;
}

type Body<F extends Field<unknown>> = Partial<ReturnType<F>>;

interface EdgeSeed extends Description {
  id?: string;
  hostports?: string[];
  backend?: Body<typeof bodies.EndpointBackendMutate>;
  ip_restriction?: Body<typeof bodies.EndpointIPPolicyMutate>;
  policy?: object;
}

/** The state of an agent, which decides whether the update command succeeds. */
export interface AgentSeed {
  /** Default true. */
  updateAvailable?: boolean;
  /** The version to update to. Default: the next minor version. An agent does not update to another major version. */
  latestVersion?: string;
  /** The agent's configuration has disabled update checks. */
  updatesDisabled?: boolean;
  /** The agent is updating and never finishes. */
  updating?: boolean;
  /** The agent has updated but not restarted. */
  updated?: boolean;
}

/** Objects to add to the account, as the API's requests contain them. Ids are generated if not given. */
export interface Seed {
  users?: { id?: string; admin?: boolean }[];
  apiKeys?: ({ id?: string; token?: string; owner_id?: string } & Description)[];
  sshCredentials?: ({ id?: string; public_key: string; acl?: string[]; owner_id?: string } & Description)[];
  tcpEdges?: EdgeSeed[];
  tlsEdges?: (EdgeSeed & {
    mutual_tls?: Body<typeof bodies.EndpointMutualTLSMutate>;
    tls_termination?: Body<typeof bodies.EndpointTLSTermination>;
  })[];
  httpsEdges?: {
    id?: string;
    tls_termination?: { enabled?: boolean; min_version?: string | null };
    routes?: {
      id?: string;
      oidc?: Body<typeof bodies.OIDC>;
      request_headers?: Body<typeof bodies.RequestHeaders>;
      user_agent_filter?: Body<typeof bodies.UserAgentFilter>;
    }[];
  }[];
  sessions?: {
    id?: string;
    agent_version?: string;
    credential_id?: string;
    ip?: string;
    metadata?: string;
    os?: string;
    region?: string;
    transport?: "service/v2" | "ssh";
    agent?: AgentSeed;
  }[];
  tunnels?: {
    id?: string;
    /** Default: the newest session of the account. */
    session_id?: string;
    metadata?: string;
    region?: string;
    forwards_to?: string;
    /** Only for an agent-initiated tunnel, which also has an endpoint. */
    public_url?: string;
    proto?: "http" | "https" | "tcp" | "tls";
    endpoint_id?: string;
    /** Only for a backend tunnel. */
    labels?: Record<string, string>;
    backend_ids?: string[];
  }[];
}

/** The objects added to the account, as the API's responses contain them. API keys include their token. */
export type Seeded = Account;

const seedShape = {
  users: withDefault(list(object({ id: optional(string), admin: withDefault(boolean, false) })), []),
  apiKeys: withDefault(
    list(object({ ...bodies.ApiKeyCreate, id: optional(idWithPrefix("ak_")), token: optional(nonEmptyString) })),
    [],
  ),
  sshCredentials: withDefault(
    list(object({ ...bodies.SshCredentialCreate, id: optional(idWithPrefix("sshcr_")) })),
    [],
  ),
  tcpEdges: withDefault(list(object({ ...bodies.TcpEdgeCreate, id: optional(idWithPrefix("edgtcp_")) })), []),
  tlsEdges: withDefault(list(object({ ...bodies.TlsEdgeCreate, id: optional(idWithPrefix("edgtls_")) })), []),
  httpsEdges: withDefault(
    list(
      object({
        id: optional(idWithPrefix("edghts_")),
        tls_termination: optional(bodies.HttpsEdgeTLSTermination),
        routes: withDefault(
          list(
            object({
              id: optional(idWithPrefix("edghtsrt_")),
              oidc: optional(bodies.OIDC),
              request_headers: optional(bodies.RequestHeaders),
              user_agent_filter: optional(bodies.UserAgentFilter),
            }),
          ),
          [],
        ),
      }),
    ),
    [],
  ),
  sessions: withDefault(
    list(
      object({
        id: optional(idWithPrefix("ts_")),
        agent_version: withDefault(string, "3.5.0"),
        credential_id: optional(string),
        ip: withDefault(string, "192.0.2.10"),
        metadata: withDefault(string, ""),
        os: withDefault(string, "linux"),
        region: withDefault(string, "us"),
        transport: withDefault(string, "service/v2"),
        agent: optional(
          object({
            updateAvailable: withDefault(boolean, true),
            latestVersion: optional(string),
            updatesDisabled: withDefault(boolean, false),
            updating: withDefault(boolean, false),
            updated: withDefault(boolean, false),
          }),
        ),
      }),
    ),
    [],
  ),
  tunnels: withDefault(
    list(
      object({
        id: optional(idWithPrefix("tn_")),
        session_id: optional(string),
        metadata: withDefault(string, ""),
        region: withDefault(string, "us"),
        forwards_to: withDefault(string, "http://localhost:80"),
        public_url: optional(string),
        proto: optional(string),
        endpoint_id: optional(string),
        labels: optional(map(string, string)),
        backend_ids: optional(list(string)),
      }),
    ),
    [],
  ),
};

/** Adds objects to the account: all of them, or none if one is rejected. */
export function applySeed(call: Call, seed: Seed): Seeded {
  const values = readFields(seedShape, seed, call.behaviour);
  const { store, clock, views } = call;
  const before = JSON.stringify(store.dump());
  try {
    return {
      users: values.users.map(({ id = newId("usr_"), admin }) => store.users.add({ id, admin })),
      apiKeys: values.apiKeys.map(({ id, token, ...body }) => {
        const key = createApiKey(call, body, { id, token });
        return views.apiKey(key, key.token);
      }),
      sshCredentials: values.sshCredentials.map(({ id, ...body }) =>
        views.sshCredential(createSshCredential(call, body, id)),
      ),
      tcpEdges: values.tcpEdges.map(({ id, ...body }) => views.tcpEdge(createTcpEdge(call, body, id))),
      tlsEdges: values.tlsEdges.map(({ id, ...body }) => views.tlsEdge(createTlsEdge(call, body, id))),
      httpsEdges: values.httpsEdges.map(({ id = newId("edghts_"), tls_termination = null, routes }) => {
        const edge = store.httpsEdges.add({ id, tls_termination });
        const storedRoutes = routes.map((route) =>
          store.routes.add({
            id: route.id ?? newId("edghtsrt_"),
            edge_id: id,
            oidc: route.oidc ?? null,
            request_headers: route.request_headers ?? null,
            user_agent_filter: route.user_agent_filter ?? null,
          }),
        );
        return views.httpsEdge(edge, storedRoutes);
      }),
      sessions: values.sessions.map(
        ({ id = newId("ts_"), credential_id = newId("cr_"), agent: agentSeed, ...session }) => {
          const latest = agentSeed?.latestVersion ?? nextVersion(session.agent_version);
          const agent = createAgent(agentSeed?.updateAvailable === false ? null : latest);
          if (agentSeed?.updatesDisabled) agent.updatesDisabled = true;
          if (agentSeed?.updated) agent.updatedAt = agent.readyAt = 0;
          // Never reached, and unlike Infinity valid in JSON.
          if (agentSeed?.updating) agent.updatedAt = agent.readyAt = Number.MAX_SAFE_INTEGER;
          return views.session(
            store.sessions.add({ id, credential_id, started_at: clock.timestamp(), ...session, agent }),
          );
        },
      ),
      tunnels: values.tunnels.map(({ id = newId("tn_"), session_id, ...tunnel }) => {
        const session = session_id === undefined ? store.sessions.all().at(-1) : store.sessions.get(session_id);
        if (!session) reject("FIELD_REQUIRED", "A tunnel needs a session.");
        const isAgentInitiated = tunnel.public_url !== undefined || tunnel.proto !== undefined;
        const endpoint_id = tunnel.endpoint_id ?? (isAgentInitiated ? newId("ep_") : undefined);
        return views.tunnel(
          store.tunnels.add({
            id,
            session_id: session.id,
            started_at: clock.timestamp(),
            ...tunnel,
            endpoint_id,
          }),
        );
      }),
    };
  } catch (error) {
    store.load(JSON.parse(before));
    throw error;
  }
}
