import { type Field, idWithPrefix, list, object, optional, orNull, withDefault } from "../fields";
import { newId } from "../ids";
import {
  HttpsEdgeTLSTermination,
  type RouteModules,
  routeModuleEntries,
  type TlsTerminationModule,
  viewHttpsEdgeTlsTermination,
} from "../modules";
import { creation, type ObjectType, type PageEntry } from "../objectType";
import type { StoredType } from "../store";
import { createRef, type ViewContext } from "../views";
import type { ModuleSeed } from "./tcpEdges";

/** An HTTPS edge and its routes. No operation returns them; the emulator's `account` does. */
export interface HttpsEdge {
  id: string;
  uri: string;
  tls_termination: TlsTerminationModule | null;
  routes: HttpsEdgeRoute[];
}

type ViewedModules = { [K in keyof RouteModules]: ReturnType<RouteModules[K]["view"]> | null };

export interface HttpsEdgeRoute extends ViewedModules {
  id: string;
  uri: string;
}

export interface HttpsEdgeSeed {
  id?: string;
  tls_termination?: { enabled?: boolean; min_version?: string | null };
  routes?: ({ id?: string } & { [K in keyof RouteModules]?: ModuleSeed<RouteModules[K]["body"]> })[];
}

type StoredModules = { [K in keyof RouteModules]: ReturnType<RouteModules[K]["body"]> | null };

const moduleFields = Object.fromEntries(routeModuleEntries.map(([name, { body }]) => [name, orNull(body)])) as {
  [K in keyof RouteModules]: Field<StoredModules[K]>;
};

const viewModules = (route: StoredModules, context: ViewContext) =>
  Object.fromEntries(
    routeModuleEntries.map(([name, { view }]) => [name, route[name] && view(route[name] as never, context)]),
  ) as ViewedModules;

type StoredRoute = { id: string; edge_id: string } & StoredModules;

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
    modules: Object.keys(moduleFields),
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
      routes: withDefault(list(object({ id: optional(idWithPrefix("edghtsrt_")), ...moduleFields })), []),
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
        ...viewModules(route, context),
      })),
    };
  },
  page: { title: "HTTPS edges", fields: [], modules: ["tls_termination"] },
};
