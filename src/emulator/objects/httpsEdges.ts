import { idWithPrefix, list, object, optional, orNull, type Values, withDefault } from "../fields";
import { newId } from "../ids";
import {
  HttpsEdgeTLSTermination,
  OIDC,
  type OidcModule,
  RequestHeaders,
  type RequestHeadersModule,
  type TlsTerminationModule,
  UserAgentFilter,
  type UserAgentFilterModule,
  viewHttpsEdgeTlsTermination,
  viewOidc,
} from "../modules";
import { creation, type ObjectType, type PageEntry } from "../objectType";
import type { StoredType } from "../store";
import { createRef } from "../views";
import type { ModuleSeed } from "./tcpEdges";

/** An HTTPS edge and its routes. No operation returns them; the emulator's `account` does. */
export interface HttpsEdge {
  id: string;
  uri: string;
  tls_termination: TlsTerminationModule | null;
  routes: HttpsEdgeRoute[];
}

export interface HttpsEdgeRoute {
  id: string;
  uri: string;
  oidc: OidcModule | null;
  request_headers: RequestHeadersModule | null;
  user_agent_filter: UserAgentFilterModule | null;
}

export interface HttpsEdgeSeed {
  id?: string;
  tls_termination?: { enabled?: boolean; min_version?: string | null };
  routes?: {
    id?: string;
    oidc?: ModuleSeed<typeof OIDC>;
    request_headers?: ModuleSeed<typeof RequestHeaders>;
    user_agent_filter?: ModuleSeed<typeof UserAgentFilter>;
  }[];
}

const routeModules = {
  oidc: orNull(OIDC),
  request_headers: orNull(RequestHeaders),
  user_agent_filter: orNull(UserAgentFilter),
};

type StoredRoute = { id: string; edge_id: string } & Values<typeof routeModules>;

interface StoredHttpsEdge {
  id: string;
  tls_termination: ReturnType<typeof HttpsEdgeTLSTermination> | null;
}

export const httpsEdgeRoutes: StoredType<StoredRoute> & { page: PageEntry } = {
  name: "HTTPS edge route",
  fileKey: "routes",
  page: {
    title: "HTTPS edge routes",
    fields: ["edge"],
    modules: ["oidc", "request_headers", "user_agent_filter"],
  },
};

export const httpsEdges: ObjectType<StoredHttpsEdge, HttpsEdge> = {
  name: "HTTPS edge",
  fileKey: "httpsEdges",
  path: "/edges/https",
  prefix: "edghts_",
  create: creation(
    {
      tls_termination: orNull(HttpsEdgeTLSTermination),
      routes: withDefault(list(object({ id: optional(idWithPrefix("edghtsrt_")), ...routeModules })), []),
    },
    (id, { tls_termination, routes }, { store }) => {
      for (const { id: routeId = newId("edghtsrt_"), ...modules } of routes)
        store.add(httpsEdgeRoutes, { id: routeId, edge_id: id, ...modules });
      return { id, tls_termination };
    },
  ),
  view(edge, context) {
    const ref = createRef(context, edge.id, "/edges/https");
    const routes = context.store.all(httpsEdgeRoutes).filter((route) => route.edge_id === edge.id);
    return {
      ...ref,
      tls_termination: edge.tls_termination && viewHttpsEdgeTlsTermination(edge.tls_termination),
      routes: routes.map((route) => ({
        id: route.id,
        uri: `${ref.uri}/routes/${encodeURIComponent(route.id)}`,
        oidc: route.oidc && viewOidc(route.oidc, context),
        request_headers: route.request_headers,
        user_agent_filter: route.user_agent_filter,
      })),
    };
  },
  page: { title: "HTTPS edges", fields: [], modules: ["tls_termination"] },
};
