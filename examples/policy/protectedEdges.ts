import type { PolicyResource, StackValidationPolicy } from "@pulumi/policy";

/** The engine's type of a class of the package. */
const type = (name: string) => `pulumi-nodejs:dynamic/tunnel-edge:${name}`;

/** The modules that restrict who can connect, by the type of the edge. */
const modules: Record<string, string[]> = {
  [type("TcpEdge")]: ["ipRestriction", "policy"],
  [type("TlsEdge")]: ["ipRestriction", "mutualTls", "policy"],
};

interface Module {
  enabled?: boolean;
  inbound?: { actions?: unknown[] | null }[] | null;
}

const isOn = (module: Module | null | undefined) => module != null && module.enabled !== false;

/** A traffic policy without an action for incoming traffic lets everybody connect. */
const isProtection = (name: string, module: Module | null | undefined) =>
  isOn(module) && (name !== "policy" || module?.inbound?.some(({ actions }) => actions && actions.length > 0) === true);

/** Whether a resource is an IP restriction of this edge. In a preview `edgeId` may be unknown; its dependencies are not. */
const restricts = (edge: PolicyResource) => (resource: PolicyResource) =>
  resource.type === type("TcpEdgeIpRestriction") &&
  isOn(resource.props) &&
  resource.propertyDependencies["edgeId"]?.some(({ urn }) => urn === edge.urn);

export const protectedEdges: StackValidationPolicy = {
  name: "protected-edges",
  description: "Every edge restricts who can connect.",
  enforcementLevel: "mandatory",
  validateStack: ({ resources }, reportViolation) => {
    for (const edge of resources) {
      const known = modules[edge.type];
      if (!known || known.some((name) => isProtection(name, edge.props[name])) || resources.some(restricts(edge)))
        continue;
      reportViolation(`${edge.name} is open to everybody. Declare ${known.join(" or ")}.`, edge.urn);
    }
  },
};
