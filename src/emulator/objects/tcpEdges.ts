import { type Field, nullIfEmpty, optional, optionalNotNull, orNull, string, type Values } from "../fields";
import { hostports } from "../formats";
import {
  type BackendModule,
  EndpointBackendMutate,
  EndpointIPPolicyMutate,
  EndpointPolicy,
  type IpRestrictionModule,
  type PolicyModule,
  viewBackend,
  viewIpRestriction,
} from "../modules";
import { creation, type ObjectType } from "../objectType";
import type { UniqueRule } from "../store";
import { createRef, type ViewContext } from "../views";
import { type Description, described, describedUpdate } from "./shared";

export interface TcpEdge {
  id: string;
  uri: string;
  created_at: string;
  description: string;
  metadata: string;
  hostports: string[] | null;
  backend: BackendModule | null;
  ip_restriction: IpRestrictionModule | null;
  policy: PolicyModule | null;
}

/** A module as a seed contains it, whose defaults may be left out. */
export type ModuleSeed<F extends Field<unknown>> = Partial<ReturnType<F>>;

export interface TcpEdgeSeed extends Description {
  id?: string;
  hostports?: string[];
  backend?: ModuleSeed<typeof EndpointBackendMutate>;
  ip_restriction?: ModuleSeed<typeof EndpointIPPolicyMutate>;
  policy?: object;
}

export const TcpEdgeCreate = {
  ...described,
  hostports: orNull(nullIfEmpty(hostports)),
  backend: orNull(EndpointBackendMutate),
  ip_restriction: orNull(EndpointIPPolicyMutate),
  policy: orNull(EndpointPolicy),
};

export const edgeUpdate = {
  ...describedUpdate,
  hostports: optional(nullIfEmpty(hostports)),
  backend: optionalNotNull(EndpointBackendMutate),
  ip_restriction: optionalNotNull(EndpointIPPolicyMutate),
  policy: optionalNotNull(EndpointPolicy),
};

export type StoredTcpEdge = { id: string; created_at: string } & Values<typeof TcpEdgeCreate>;

/** Only one edge, TCP or TLS, can have a hostport. */
export const uniqueHostport: UniqueRule<StoredTcpEdge> = {
  valuesOf: ({ hostports }) => hostports ?? [],
  normalize: (hostport) => hostport.toLowerCase(),
  error: "HOSTPORT_TAKEN",
  formatError: (hostport) => `The hostport "${hostport}" is already served by an edge.`,
};

export const viewEdge = (edge: StoredTcpEdge, context: ViewContext, path: string): TcpEdge => ({
  ...createRef(context, edge.id, path),
  created_at: edge.created_at,
  description: edge.description,
  metadata: edge.metadata,
  hostports: edge.hostports,
  backend: edge.backend && viewBackend(edge.backend, context),
  ip_restriction: edge.ip_restriction && viewIpRestriction(edge.ip_restriction, context),
  policy: edge.policy,
});

export const tcpEdges: ObjectType<StoredTcpEdge, TcpEdge> = {
  name: "TCP edge",
  fileKey: "tcpEdges",
  path: "/edges/tcp",
  prefix: "edgtcp_",
  unique: uniqueHostport,
  create: creation(TcpEdgeCreate, (id, fields, { clock }) => ({ id, created_at: clock.timestamp(), ...fields })),
  update: { id: optional(string), ...edgeUpdate },
  view: (edge, context) => viewEdge(edge, context, "/edges/tcp"),
  page: { title: "TCP edges", fields: ["hostports"], modules: ["backend", "ip_restriction", "policy"] },
};
