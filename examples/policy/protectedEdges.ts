import type { PolicyResource, StackValidationPolicy } from "@pulumi/policy";

/** How the engine names the classes of the package. */
const type = (name: string) => `pulumi-nodejs:dynamic/tunnel-edge:${name}`;

/** The modules that say who may connect, by the class of the edge. */
const modules: Record<string, string[]> = {
  [type("TcpEdge")]: ["ipRestriction", "policy"],
  [type("TlsEdge")]: ["ipRestriction", "mutualTls", "policy"],
};

const isOn = (module: { enabled?: boolean } | null | undefined) => module != null && module.enabled !== false;

/** Whether a module that is a resource of its own stands on this edge. Its `edgeId` is not known before the edge is. */
const standsOn = (edge: PolicyResource) => (resource: PolicyResource) =>
  resource.type === type("TcpEdgeIpRestriction") &&
  isOn(resource.props) &&
  resource.propertyDependencies["edgeId"]?.some(({ urn }) => urn === edge.urn);

export const protectedEdges: StackValidationPolicy = {
  name: "protected-edges",
  description: "Every edge says who may connect.",
  enforcementLevel: "mandatory",
  validateStack: ({ resources }, reportViolation) => {
    for (const edge of resources) {
      const known = modules[edge.type];
      if (!known || known.some((name) => isOn(edge.props[name])) || resources.some(standsOn(edge))) continue;
      reportViolation(`${edge.name} is open to everybody: state ${known.join(" or ")}.`, edge.urn);
    }
  },
};
