/** A policy for a pack of yours: `pulumi-tunnel-edge/policy`. It loads no SDK. */

import type { PolicyResource, StackValidationPolicy } from "@pulumi/policy";
import { findOpenedAddresses, type OpenedAddress } from "./commands/exposure";
import { parseAccepted, review } from "./commands/exposure/accepted";
import { toResource } from "./commands/exposure/edges";
import { edgeDefinitions } from "./commands/exposure/model";
import { readText } from "./commands/io";
import { unknownValue } from "./core/unknown";

interface Config {
  /** The public addresses that may be open to anyone, or the path of a file that lists them. */
  accept: string | string[];
}

const typeOf = ({ urn, type }: PolicyResource) => toResource(urn, type)?.type;
const isEdge = (resource: PolicyResource) => edgeDefinitions.some(({ type }) => type === typeOf(resource));

/** Rejects every edge of the stack to which anyone can connect, or might be able to, at an address that is not accepted. */
export const protectedEdges: StackValidationPolicy = {
  name: "protected-edges",
  description: "Every edge restricts who can connect.",
  enforcementLevel: "mandatory",
  configSchema: {
    properties: { accept: { type: ["array", "string"], items: { type: "string" }, default: [] } },
  },
  validateStack: ({ resources, getConfig }, reportViolation) => {
    // An address is open in the stack if a deployment of the whole stack would open it.
    const steps = resources.filter(typeOf).map(toStep);
    const opened = accept(findOpenedAddresses({ steps, changeSummary: {} }), getConfig<Config>(), reportViolation);
    for (const { name, urn } of resources.filter(isEdge)) {
      const own = opened.filter((each) => each.urn === urn && !each.isAccepted);
      if (own.length > 0) reportViolation(describe(name, own), urn);
    }
  },
};

/** What the configuration accepts. A list with a mistake accepts nothing. */
function accept(opened: OpenedAddress[], { accept: list }: Config, reportViolation: (message: string) => void) {
  try {
    const isFile = typeof list === "string";
    const text = isFile ? readText(list) : list.join("\n");
    return review(opened, parseAccepted(text, isFile ? list : "accept"));
  } catch (error) {
    reportViolation((error as Error).message);
    return opened;
  }
}

function describe(name: string, own: OpenedAddress[]): string {
  const addresses = own.map(({ address }) => address ?? "an address that is not known yet").join(", ");
  const reason = own.some(({ isCertain }) => isCertain)
    ? `${name} is open to everybody. Anyone can connect to ${addresses}.`
    : `${name} might be open to everybody. It is not proven that anything restricts ${addresses}.`;
  const isKnown = own.every(({ address }) => address !== undefined);
  return `${reason} Restrict it, or ${isKnown ? "accept its address in the pack's configuration" : "declare its hostports as plain strings"}.`;
}

/** A copy in which what is not known has a value. Pulumi throws an error where a policy reads it. */
function copy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const read = (key: string) => {
    try {
      return copy((value as Record<string, unknown>)[key]);
    } catch {
      return unknownValue;
    }
  };
  const keys = Object.keys(value);
  return Array.isArray(value) ? keys.map(read) : Object.fromEntries(keys.map((key) => [key, read(key)]));
}

/** The resource as a preview shows one that is created. Of a new edge no id is known, only who depends on it. */
function toStep({ urn, type, props, propertyDependencies }: PolicyResource) {
  // In a preview of the plugin, what the program does not declare is unknown too, but comes from no other resource.
  const isDeclared = ([name, value]: [string, unknown]) =>
    !name.startsWith("__") && (value !== unknownValue || (propertyDependencies[name] ?? []).length > 0);
  const declared = Object.entries(copy(props) as object).filter(isDeclared);
  const edge = propertyDependencies.edgeId?.find(isEdge)?.urn;
  return {
    op: "create",
    urn,
    newState: {
      type,
      inputs: { ...Object.fromEntries(declared), ...(edge && { edgeId: unknownValue }) },
      ...(edge && { propertyDependencies: { edgeId: [edge] }, deletedWith: edge }),
    },
  };
}
