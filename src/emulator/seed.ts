import { freshAgent, nextVersion } from "./agents";
import { refuse } from "./errors";
import * as fields from "./fields";
import { newId } from "./ids";
import { type Call, createApiKey, createSshCredential, createTcpEdge, createTlsEdge } from "./operations";
import type { Account } from "./types";

interface Texts {
  description?: string;
  metadata?: string;
}

type Body<F extends fields.Field<unknown>> = Partial<ReturnType<F>>;

interface EdgeSeed extends Texts {
  id?: string;
  hostports?: string[];
  backend?: Body<typeof fields.EndpointBackendMutate>;
  ip_restriction?: Body<typeof fields.EndpointIPPolicyMutate>;
  policy?: object;
}

/** How an agent answers the update command. */
export interface AgentSeed {
  /** Default true. */
  updateAvailable?: boolean;
  /** The version an update leads to; the next minor version by default. One of another major version is none. */
  latestVersion?: string;
  /** The agent's configuration has disabled update checks. */
  updatesDisabled?: boolean;
  /** The agent is updating, and does not finish. */
  updating?: boolean;
  /** The agent has updated, and has not restarted. */
  updated?: boolean;
}

/** Objects to put in the account, in the form the API's requests have; identifiers are made up where not given. */
export interface Seed {
  users?: { id?: string; admin?: boolean }[];
  apiKeys?: ({ id?: string; token?: string; owner_id?: string } & Texts)[];
  sshCredentials?: ({ id?: string; public_key: string; acl?: string[]; owner_id?: string } & Texts)[];
  tcpEdges?: EdgeSeed[];
  tlsEdges?: (EdgeSeed & {
    mutual_tls?: Body<typeof fields.EndpointMutualTLSMutate>;
    tls_termination?: Body<typeof fields.EndpointTLSTermination>;
  })[];
  httpsEdges?: {
    id?: string;
    tls_termination?: { enabled?: boolean; min_version?: string | null };
    routes?: {
      id?: string;
      oidc?: Body<typeof fields.OIDC>;
      request_headers?: Body<typeof fields.RequestHeaders>;
      user_agent_filter?: Body<typeof fields.UserAgentFilter>;
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
    /** The session's id; the last session of the account by default. */
    session_id?: string;
    metadata?: string;
    region?: string;
    forwards_to?: string;
    /** Given for an agent-initiated tunnel, which then has an endpoint too. */
    public_url?: string;
    proto?: "http" | "https" | "tcp" | "tls";
    endpoint_id?: string;
    /** Given for a backend tunnel. */
    labels?: Record<string, string>;
    backend_ids?: string[];
  }[];
}

/** What was put in the account, in the form responses have; here API keys show their token. */
export type Seeded = Account;

const { boolean, id, list, map, object, optional, or, string } = fields;

const shape = {
  users: or(list(object({ id: optional(string), admin: or(boolean, false) })), []),
  apiKeys: or(list(object({ ...fields.ApiKeyCreate, id: optional(id("ak_")), token: optional(fields.some) })), []),
  sshCredentials: or(list(object({ ...fields.SshCredentialCreate, id: optional(id("sshcr_")) })), []),
  tcpEdges: or(list(object({ ...fields.TcpEdgeCreate, id: optional(id("edgtcp_")) })), []),
  tlsEdges: or(list(object({ ...fields.TlsEdgeCreate, id: optional(id("edgtls_")) })), []),
  httpsEdges: or(
    list(
      object({
        id: optional(id("edghts_")),
        tls_termination: optional(fields.HttpsEdgeTLSTermination),
        routes: or(
          list(
            object({
              id: optional(id("edghtsrt_")),
              oidc: optional(fields.OIDC),
              request_headers: optional(fields.RequestHeaders),
              user_agent_filter: optional(fields.UserAgentFilter),
            }),
          ),
          [],
        ),
      }),
    ),
    [],
  ),
  sessions: or(
    list(
      object({
        id: optional(id("ts_")),
        agent_version: or(string, "3.5.0"),
        credential_id: optional(string),
        ip: or(string, "192.0.2.10"),
        metadata: or(string, ""),
        os: or(string, "linux"),
        region: or(string, "us"),
        transport: or(string, "service/v2"),
        agent: optional(
          object({
            updateAvailable: or(boolean, true),
            latestVersion: optional(string),
            updatesDisabled: or(boolean, false),
            updating: or(boolean, false),
            updated: or(boolean, false),
          }),
        ),
      }),
    ),
    [],
  ),
  tunnels: or(
    list(
      object({
        id: optional(id("tn_")),
        session_id: optional(string),
        metadata: or(string, ""),
        region: or(string, "us"),
        forwards_to: or(string, "http://localhost:80"),
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

/** Puts objects in the account. A flaw is refused by the name of its field, with the account as it was. */
export function plant(call: Call, seed: Seed): Seeded {
  const given = fields.read(shape, seed, call.behaviour);
  const { store, clock, show } = call;
  const before = JSON.stringify(store.dump());
  try {
    return {
      users: given.users.map(({ id = newId("usr_"), admin }) => store.users.add({ id, admin })),
      apiKeys: given.apiKeys.map(({ id, token, ...body }) => {
        const key = createApiKey(call, body, { id, token });
        return show.apiKey(key, key.token);
      }),
      sshCredentials: given.sshCredentials.map(({ id, ...body }) =>
        show.sshCredential(createSshCredential(call, body, id)),
      ),
      tcpEdges: given.tcpEdges.map(({ id, ...body }) => show.tcpEdge(createTcpEdge(call, body, id))),
      tlsEdges: given.tlsEdges.map(({ id, ...body }) => show.tlsEdge(createTlsEdge(call, body, id))),
      httpsEdges: given.httpsEdges.map(({ id = newId("edghts_"), tls_termination = null, routes }) => {
        const edge = store.httpsEdges.add({ id, tls_termination });
        const planted = routes.map((route) =>
          store.routes.add({
            id: route.id ?? newId("edghtsrt_"),
            edge_id: id,
            oidc: route.oidc ?? null,
            request_headers: route.request_headers ?? null,
            user_agent_filter: route.user_agent_filter ?? null,
          }),
        );
        return show.httpsEdge(edge, planted);
      }),
      sessions: given.sessions.map(({ id = newId("ts_"), credential_id = newId("cr_"), agent: state, ...session }) => {
        const latest = state?.latestVersion ?? nextVersion(session.agent_version);
        const agent = freshAgent(state?.updateAvailable === false ? null : latest);
        if (state?.updatesDisabled) agent.updatesDisabled = true;
        if (state?.updated) agent.updatedAt = agent.readyAt = 0;
        // A time that never comes, and that JSON can hold.
        if (state?.updating) agent.updatedAt = agent.readyAt = Number.MAX_SAFE_INTEGER;
        return show.session(
          store.sessions.add({ id, credential_id, started_at: clock.timestamp(), ...session, agent }),
        );
      }),
      tunnels: given.tunnels.map(({ id = newId("tn_"), session_id, ...tunnel }) => {
        const session = session_id === undefined ? store.sessions.all().at(-1) : store.sessions.get(session_id);
        if (!session) refuse("FIELD_REQUIRED", "A tunnel needs a session.");
        const agentInitiated = tunnel.public_url !== undefined || tunnel.proto !== undefined;
        const endpoint_id = tunnel.endpoint_id ?? (agentInitiated ? newId("ep_") : undefined);
        return show.tunnel(
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
