import type * as pulumi from "@pulumi/pulumi";
import { type Definition, moduleRoutes } from "../definitions/definition";
import { flag, moduleString, secretString, stringSet, uint32, url } from "../definitions/fields";
import { enabled } from "../definitions/modules";
import { engineType, TunnelResource } from "../dynamic/baseResource";
import { type RouteArgs, routeFields, routeParents } from "./routeArgs";

/** The arguments of an {@link HttpsEdgeRouteOidc}. */
export interface HttpsEdgeRouteOidcArgs extends RouteArgs {
  /**
   * Whether the module is applied to traffic.
   * @default true
   */
  enabled?: pulumi.Input<boolean>;
  /**
   * Whether HTTP OPTIONS requests need no authentication, as CORS wants it.
   * @default false
   */
  optionsPassthrough?: pulumi.Input<boolean>;
  /**
   * The prefix of the session cookie that is set on the client.
   * @default chosen by the service
   */
  cookiePrefix?: pulumi.Input<string>;
  /**
   * Seconds of inactivity after which clients must authenticate again; a uint32.
   * @default chosen by the service
   */
  inactivityTimeout?: pulumi.Input<number>;
  /**
   * Seconds after which clients must authenticate again in any case; a uint32.
   * @default chosen by the service
   */
  maximumDuration?: pulumi.Input<number>;
  /** The URL of the OIDC provider, from which its configuration is discovered. */
  issuer?: pulumi.Input<string>;
  /** The OIDC application's client id, which is also the audience. */
  clientId?: pulumi.Input<string>;
  /** The OIDC application's client secret. Always encrypted in the state. */
  clientSecret?: pulumi.Input<string>;
  /** The scopes to ask the provider for. Their order has no meaning. */
  scopes?: pulumi.Input<pulumi.Input<string>[]>;
}

export const httpsEdgeRouteOidc: Definition = {
  type: "HttpsEdgeRouteOidc",
  displayName: "OIDC module of route",
  parents: routeParents,
  fields: {
    ...routeFields,
    enabled,
    optionsPassthrough: flag({ default: false }),
    cookiePrefix: moduleString(),
    inactivityTimeout: uint32(),
    maximumDuration: uint32(),
    issuer: url({ default: "" }),
    clientId: moduleString({ default: "" }),
    clientSecret: secretString(),
    scopes: stringSet(),
  },
  outputs: {},
  routes: moduleRoutes("/edges/https/{edge_id}/routes/{id}/oidc"),
};

/**
 * Authentication by an OIDC provider, for a route of an HTTPS edge. It replaces whatever OIDC module the route has;
 * to look before you take one over, state the `import` option with `<edge id>/<route id>`.
 *
 * @example
 * ```ts
 * new tunnel.HttpsEdgeRouteOidc("login", {
 *   edgeId: "edghts_2QSF…",
 *   routeId: "edghtsrt_2QSG…",
 *   issuer: "https://accounts.example.com",
 *   clientId: "edge",
 *   clientSecret: config.requireSecret("oidcSecret"),
 * });
 * ```
 */
export class HttpsEdgeRouteOidc extends TunnelResource {
  /** @internal */
  static readonly __pulumiType = engineType("HttpsEdgeRouteOidc");

  /** The HTTPS edge. */
  declare readonly edgeId: pulumi.Output<string>;
  /** The route of the edge. */
  declare readonly routeId: pulumi.Output<string>;
  /** Whether the module is applied to traffic. */
  declare readonly enabled: pulumi.Output<boolean>;
  /** Whether HTTP OPTIONS requests need no authentication. */
  declare readonly optionsPassthrough: pulumi.Output<boolean | undefined>;
  /** The prefix of the session cookie. */
  declare readonly cookiePrefix: pulumi.Output<string | undefined>;
  /** Seconds of inactivity after which clients must authenticate again. */
  declare readonly inactivityTimeout: pulumi.Output<number | undefined>;
  /** Seconds after which clients must authenticate again in any case. */
  declare readonly maximumDuration: pulumi.Output<number | undefined>;
  /** The URL of the OIDC provider. */
  declare readonly issuer: pulumi.Output<string | undefined>;
  /** The OIDC application's client id. */
  declare readonly clientId: pulumi.Output<string | undefined>;
  /** The OIDC application's client secret; a secret. */
  declare readonly clientSecret: pulumi.Output<string | undefined>;
  /** The scopes to ask the provider for. */
  declare readonly scopes: pulumi.Output<string[]>;

  constructor(name: string, args: HttpsEdgeRouteOidcArgs, opts?: pulumi.CustomResourceOptions) {
    super(httpsEdgeRouteOidc, name, args, opts);
  }
}
