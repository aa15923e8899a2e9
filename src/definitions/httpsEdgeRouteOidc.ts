import type { Json } from "../base/json";
import type { ModuleDefinition } from "./definition";
import { boolean, deciding, moduleString, secretString, stringSet, uint32, url } from "./fields/fieldTypes";
import { type EdgeRoute, edgeRoute, enabled, type ModuleProps } from "./modules";

/** The OIDC module of a route of an HTTPS edge. */
export interface HttpsEdgeRouteOidcProps extends EdgeRoute, ModuleProps {
  /**
   * Whether to let HTTP OPTIONS requests through without authentication, as CORS requires.
   * @default false
   */
  optionsPassthrough?: boolean;
  /**
   * The prefix of the session cookie that is set on the client.
   * @default chosen by the service
   */
  cookiePrefix?: string;
  /**
   * Seconds of inactivity after which clients must authenticate again.
   * @default chosen by the service
   */
  inactivityTimeout?: number;
  /**
   * Seconds after which clients must authenticate again, active or not.
   * @default chosen by the service
   */
  maximumDuration?: number;
  /** The URL of the OIDC provider, used to discover its configuration. */
  issuer?: string;
  /** The OIDC application's client id, which is also the audience. */
  clientId?: string;
  /**
   * The OIDC application's client secret. It is always encrypted in the state. Functions return undefined if the service
   * masks or omits it.
   */
  clientSecret?: string;
  /** The scopes to request from the provider. The order does not matter. */
  scopes?: string[];
}

const isZero = (value: Json) => value === 0;

export const httpsEdgeRouteOidc: ModuleDefinition<HttpsEdgeRouteOidcProps> = {
  kind: "module",
  type: "HttpsEdgeRouteOidc",
  displayName: "OIDC module of route",
  parents: ["edgeId", "routeId"],
  route: "/edges/https/{edge_id}/routes/{id}/oidc",
  protects: true,
  fields: {
    ...edgeRoute,
    enabled,
    optionsPassthrough: deciding("begins", boolean({ default: false })),
    // By default, the service's name and a dot.
    cookiePrefix: moduleString({ mayBeChosen: (prefix) => /^[\w-]+\.$/.test(String(prefix)) }),
    inactivityTimeout: uint32({ mayBeChosen: isZero }),
    maximumDuration: uint32({ mayBeChosen: isZero }),
    issuer: deciding("value", url({ default: "" })),
    clientId: deciding("value", moduleString({ default: "" })),
    clientSecret: secretString(),
    scopes: stringSet(),
  },
  computed: {},
};
