import { reject } from "../errors";
import { optionalNotNull, orNull, type Values } from "../fields";
import {
  EndpointMutualTLSMutate,
  EndpointTLSTermination,
  type MutualTlsModule,
  type TlsTerminationModule,
  viewMutualTls,
} from "../modules";
import { creation, type ObjectType } from "../objectType";
import {
  edgeUpdate,
  type ModuleSeed,
  type TcpEdge,
  TcpEdgeCreate,
  type TcpEdgeSeed,
  uniqueHostport,
  viewEdge,
} from "./tcpEdges";

export interface TlsEdge extends TcpEdge {
  mutual_tls: MutualTlsModule | null;
  tls_termination: TlsTerminationModule | null;
}

export interface TlsEdgeSeed extends TcpEdgeSeed {
  mutual_tls?: ModuleSeed<typeof EndpointMutualTLSMutate>;
  tls_termination?: ModuleSeed<typeof EndpointTLSTermination>;
}

const TlsEdgeCreate = {
  ...TcpEdgeCreate,
  mutual_tls: orNull(EndpointMutualTLSMutate),
  tls_termination: orNull(EndpointTLSTermination),
};

type StoredTlsEdge = { id: string; created_at: string } & Values<typeof TlsEdgeCreate>;

export const tlsEdges: ObjectType<StoredTlsEdge, TlsEdge> = {
  name: "TLS edge",
  fileKey: "tlsEdges",
  path: "/edges/tls",
  prefix: "edgtls_",
  unique: uniqueHostport,
  /** Of the modules that the API document disallows with "upstream", only mutual TLS cannot work on encrypted traffic. */
  check({ tls_termination, mutual_tls }) {
    if (tls_termination?.terminate_at === "upstream" && mutual_tls)
      reject("MODULE_UPSTREAM", 'The module "mutual_tls" is not allowed when terminate_at is upstream.');
  },
  create: creation(TlsEdgeCreate, (id, fields, { clock }) => ({ id, created_at: clock.timestamp(), ...fields })),
  update: {
    ...edgeUpdate,
    mutual_tls: optionalNotNull(EndpointMutualTLSMutate),
    tls_termination: optionalNotNull(EndpointTLSTermination),
  },
  view: (edge, context) => ({
    ...viewEdge(edge, context, "/edges/tls"),
    mutual_tls: edge.mutual_tls && viewMutualTls(edge.mutual_tls, context),
    tls_termination: edge.tls_termination,
  }),
  page: {
    title: "TLS edges",
    fields: ["hostports"],
    modules: ["backend", "ip_restriction", "mutual_tls", "tls_termination", "policy"],
  },
};
