import type * as pulumi from "@pulumi/pulumi";
import { type HttpsEdgeRouteOidcProps, httpsEdgeRouteOidc } from "../../definitions/httpsEdgeRouteOidc";
import { invoke, invokeOutput, readOne } from "../program/invoke";
import { resource } from "../program/resource";
import type { Inputs, Named, Result } from "../program/types";

/** The arguments of an {@link HttpsEdgeRouteOidc}. */
export interface HttpsEdgeRouteOidcArgs extends Inputs<HttpsEdgeRouteOidcProps>, Named {}

/**
 * OIDC authentication for a route of an HTTPS edge. Changing `edgeId` or `routeId` sets the module on the new route,
 * then removes it from the old one.
 *
 * > [!WARNING]
 * > Creating this resource overwrites the module that the route already has. To compare the two first, use the `import`
 * > option with the id `<edge id>/<route id>`.
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
export class HttpsEdgeRouteOidc extends resource(httpsEdgeRouteOidc) {
  constructor(name: string, args: HttpsEdgeRouteOidcArgs, opts?: pulumi.CustomResourceOptions) {
    super(name, args, opts);
  }
}

/** The arguments of {@link getHttpsEdgeRouteOidc}. */
export interface GetHttpsEdgeRouteOidcArgs extends Pick<HttpsEdgeRouteOidcProps, "edgeId" | "routeId"> {}

/** The OIDC module of a route of an HTTPS edge. */
export interface GetHttpsEdgeRouteOidcResult extends Result<HttpsEdgeRouteOidcProps, "clientSecret"> {}

const one = readOne<GetHttpsEdgeRouteOidcArgs, GetHttpsEdgeRouteOidcResult>(httpsEdgeRouteOidc);

/**
 * Reads the OIDC module of a route of an HTTPS edge. Fails if the route has none.
 *
 * @example
 * ```ts
 * const { issuer, clientSecret } = await tunnel.getHttpsEdgeRouteOidc({ edgeId: "edghts_2QSF…", routeId: "edghtsrt_2QSG…" });
 * ```
 */
export const getHttpsEdgeRouteOidc = invoke(one);

/** Like {@link getHttpsEdgeRouteOidc}, but accepts Outputs and returns an Output. */
export const getHttpsEdgeRouteOidcOutput = invokeOutput(one);
