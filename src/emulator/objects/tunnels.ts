import { reject } from "../errors";
import { list, map, optional, string, withDefault } from "../fields";
import { newId } from "../ids";
import { creation, type ObjectType } from "../objectType";
import { createRef, type Ref } from "../views";
import { sessions } from "./sessions";

export interface Tunnel {
  id: string;
  started_at: string;
  metadata: string;
  region: string;
  forwards_to: string;
  tunnel_session: Ref;
  /** `public_url`, `proto` and `endpoint`: agent-initiated tunnels only. */
  public_url?: string;
  proto?: string;
  endpoint?: Ref;
  /** `labels` and `backends`: backend tunnels only. */
  labels?: Record<string, string>;
  backends?: Ref[];
}

export interface TunnelSeed {
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
}

interface StoredTunnel extends Omit<Tunnel, "tunnel_session" | "endpoint" | "backends"> {
  session_id: string;
  endpoint_id?: string;
  backend_ids?: string[];
}

export const tunnels: ObjectType<StoredTunnel, Tunnel> = {
  name: "tunnel",
  fileKey: "tunnels",
  path: "/tunnels",
  prefix: "tn_",
  create: creation(
    {
      session_id: optional(string),
      metadata: withDefault(string, ""),
      region: withDefault(string, "us"),
      forwards_to: withDefault(string, "http://localhost:80"),
      public_url: optional(string),
      proto: optional(string),
      endpoint_id: optional(string),
      labels: optional(map(string, string)),
      backend_ids: optional(list(string)),
    },
    (id, { session_id, ...fields }, { store, clock }) => {
      const session = session_id === undefined ? store.all(sessions).at(-1) : store.get(sessions, session_id);
      if (!session) reject("FIELD_REQUIRED", "A tunnel needs a session.");
      const isAgentInitiated = fields.public_url !== undefined || fields.proto !== undefined;
      const endpoint_id = fields.endpoint_id ?? (isAgentInitiated ? newId("ep_") : undefined);
      return { id, session_id: session.id, started_at: clock.timestamp(), ...fields, endpoint_id };
    },
  ),
  view({ session_id, endpoint_id, backend_ids, ...common }, context) {
    const view: Tunnel = { ...common, tunnel_session: createRef(context, session_id, "/tunnel_sessions") };
    if (endpoint_id !== undefined) view.endpoint = createRef(context, endpoint_id, "/endpoints");
    if (backend_ids !== undefined) view.backends = backend_ids.map((id) => createRef(context, id, "/backends"));
    return view;
  },
  page: { title: "Tunnels", fields: ["public_url", "labels", "forwards_to", "tunnel_session"], modules: [] },
};
