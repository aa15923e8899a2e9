import type * as pulumi from "@pulumi/pulumi";
import { readOne } from "../core/query";
import { invoke, invokeOutput, type OutputArgs } from "../dynamic/invoke";
import { httpsEdgeRouteOidc } from "../resources/httpsEdgeRouteOidc";

/** The arguments of {@link getHttpsEdgeRouteOidc}. */
export interface GetHttpsEdgeRouteOidcArgs {
  /** The HTTPS edge, `edghts_…`. */
  edgeId: string;
  /** The route of the edge, `edghtsrt_…`. */
  routeId: string;
}

/** The OIDC module of a route of an HTTPS edge. */
export interface GetHttpsEdgeRouteOidcResult {
  /** The HTTPS edge. */
  readonly edgeId: string;
  /** The route of the edge. */
  readonly routeId: string;
  /** Whether the module is applied to traffic. */
  readonly enabled: boolean;
  /** Whether HTTP OPTIONS requests need no authentication. */
  readonly optionsPassthrough: boolean | undefined;
  /** The prefix of the session cookie. */
  readonly cookiePrefix: string | undefined;
  /** Seconds of inactivity after which clients must authenticate again. */
  readonly inactivityTimeout: number | undefined;
  /** Seconds after which clients must authenticate again in any case. */
  readonly maximumDuration: number | undefined;
  /** The URL of the OIDC provider. */
  readonly issuer: string | undefined;
  /** The OIDC application's client id. */
  readonly clientId: string | undefined;
  /** The OIDC application's client secret, a secret in both forms; undefined where the service masks or omits it. */
  readonly clientSecret: pulumi.Output<string | undefined>;
  /** The scopes that the provider is asked for. */
  readonly scopes: string[];
}

const one = readOne<GetHttpsEdgeRouteOidcArgs, GetHttpsEdgeRouteOidcResult>(
  "getHttpsEdgeRouteOidc",
  httpsEdgeRouteOidc,
);

/**
 * Reads the OIDC module of a route of an HTTPS edge; a route without one is an error.
 *
 * @example
 * ```ts
 * const { issuer, clientSecret } = await tunnel.getHttpsEdgeRouteOidc({ edgeId: "edghts_2QSF…", routeId: "edghtsrt_2QSG…" });
 * ```
 */
export function getHttpsEdgeRouteOidc(
  args: GetHttpsEdgeRouteOidcArgs,
  opts?: pulumi.InvokeOptions,
): Promise<GetHttpsEdgeRouteOidcResult> {
  return invoke(one, args, opts);
}

/** As {@link getHttpsEdgeRouteOidc}, for arguments that are Outputs. */
export function getHttpsEdgeRouteOidcOutput(
  args: OutputArgs<GetHttpsEdgeRouteOidcArgs>,
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetHttpsEdgeRouteOidcResult> {
  return invokeOutput(one, args, opts);
}
