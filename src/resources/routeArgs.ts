import type * as pulumi from "@pulumi/pulumi";
import { type Fields, parentId } from "../definitions/fields";

/** What names the route that a route module belongs to. */
export interface RouteArgs {
  /** The HTTPS edge, `edghts_…`. Changing it replaces: the new route gets its module before the old one loses it. */
  edgeId: pulumi.Input<string>;
  /** The route of the edge, `edghtsrt_…`. Changing it replaces, likewise. */
  routeId: pulumi.Input<string>;
}

export const routeFields: Fields = {
  edgeId: parentId("an HTTPS edge", "edghts_"),
  routeId: parentId("a route of an HTTPS edge", "edghtsrt_"),
};

export const routeParents = { edgeId: "edge_id", routeId: "id" };
