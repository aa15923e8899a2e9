import type { PolicyResource, StackValidationPolicy } from "@pulumi/policy";
import { findOpenedAddresses } from "pulumi-tunnel-edge/exposure";

interface Config {
  /** The names of edges that may be open to everybody. */
  openEdges: string[];
}

/** What `pulumi preview --json` prints in place of a value that is not known yet. */
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** The types of both providers: the classes of the npm package, and the plugin of all other languages. */
const isOurs = ({ type }: PolicyResource) => /^(pulumi-nodejs:dynamic\/tunnel-edge|tunnel-edge:index):/.test(type);
const isEdge = (resource: PolicyResource) => isOurs(resource) && /:(Tcp|Tls)Edge$/.test(resource.type);

/** A copy in which what is not known has a value. Pulumi throws an error where a policy reads it. */
function copy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const read = (key: string) => {
    try {
      return copy((value as Record<string, unknown>)[key]);
    } catch {
      return unknown;
    }
  };
  const keys = Object.keys(value);
  return Array.isArray(value) ? keys.map(read) : Object.fromEntries(keys.map((key) => [key, read(key)]));
}

/** The resource as a preview shows one that is created. Of a new edge no id is known, only who depends on it. */
function toStep({ urn, type, props, propertyDependencies }: PolicyResource) {
  // In a preview of the plugin, what the program does not declare is unknown too, but comes from no other resource.
  const isDeclared = ([name, value]: [string, unknown]) =>
    !name.startsWith("__") && (value !== unknown || (propertyDependencies[name] ?? []).length > 0);
  const declared = Object.entries(copy(props) as object).filter(isDeclared);
  const edge = propertyDependencies["edgeId"]?.find(isEdge)?.urn;
  return {
    op: "create",
    urn,
    newState: {
      type,
      inputs: { ...Object.fromEntries(declared), ...(edge && { edgeId: unknown }) },
      ...(edge && { propertyDependencies: { edgeId: [edge] }, deletedWith: edge }),
    },
  };
}

export const protectedEdges: StackValidationPolicy = {
  name: "protected-edges",
  description: "Every edge restricts who can connect.",
  enforcementLevel: "mandatory",
  configSchema: {
    properties: { openEdges: { type: "array", items: { type: "string" }, default: [] } },
  },
  validateStack: ({ resources, getConfig }, reportViolation) => {
    const { openEdges } = getConfig<Config>();
    // What a deployment of the whole stack would open is what is open in it.
    const opened = findOpenedAddresses({ steps: resources.filter(isOurs).map(toStep), changeSummary: {} });
    for (const { name, urn } of resources.filter(isEdge)) {
      const own = opened.filter((each) => each.urn === urn);
      if (own.length === 0 || openEdges.includes(name)) continue;
      const addresses = own.map(({ address }) => address ?? "an address that is not known yet").join(", ");
      const reason = own.some(({ isCertain }) => isCertain)
        ? `${name} is open to everybody. Anyone can connect to ${addresses}.`
        : `${name} might be open to everybody. It is not proven that anything restricts ${addresses}.`;
      reportViolation(`${reason} Restrict it, or name it in openEdges of the pack's configuration.`, urn);
    }
  },
};
