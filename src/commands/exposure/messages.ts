/** What a change opens, in a sentence. */

import { isObject } from "../../base/json";
import { joinWithAnd, quote } from "../../base/quote";
import type { AddressChange } from "./addresses";
import type { Resource } from "./edges";
import {
  type Edge,
  hasHidden,
  hasIds,
  idsOf,
  isOn,
  isPassable,
  isUpstream,
  listRestrictions,
  restrictions,
  restricts,
  routeModules,
  type Who,
} from "./model";
import { type Failure, newIds } from "./proof";

/** What the API shows of a route. */
export const routesNote = `Of a route of an HTTPS edge, only ${joinWithAnd(Object.keys(routeModules))} are known.`;

export const describeResource = ({ type, name }: Resource) => `${type} ${quote(name)}`;

/** Who can connect, in a few words: `restricted by ipRestriction (ipp_office)`. */
export function describeWho(who: Who, edge: Edge): string {
  if (who === "unknown") return "not known";
  if (who !== "restricted") return who;
  const names = restrictions.filter((name) => restricts(edge, name) === true);
  return `restricted by ${joinWithAnd(
    names.map((name) => {
      const ids = idsOf(edge, name);
      return ids ? `${name} (${ids.join(", ")})` : name;
    }),
  )}`;
}

/** The line of an address that a change opens. */
export function describeOpening(opening: AddressChange): string {
  const { address = "it", after, opens } = opening;
  const can = opens === true ? "can connect" : "might be able to connect";
  const edge = describeResource(after!.change.resource);
  return `${edge}: after this change anyone ${can} to ${address} (${describeReason(opening)}).`;
}

/** Why a change opens an address: what could not be proven. */
export function describeReason(opening: AddressChange): string {
  const { before, after, opens, failures, candidates } = opening;
  const { edge } = after!;
  const lost = failures.flatMap(({ was, is }) => (is ? [] : [describeLoss(was.name, edge)]));
  const { unknown, weak } = opens === true ? { unknown: [], weak: [] } : listDoubts(edge);
  const wasUnknown = before && isOn(before.edge.backend) === "unknown" && isOn(edge.backend) !== "unknown";
  const rest = restrictions.filter((name) => restricts(edge, name) === true);
  const reasons = [
    describeOrigin(opening),
    joinWithAnd([...new Set(lost)]),
    ...new Set(failures.map(describeChange)),
    unknown.length > 0 && `${joinWithAnd(unknown)} ${verbFor(unknown)} unknown`,
    ...weak,
    wasUnknown && "the old value of backend is not known",
    failures.length === 0 && listRestrictions(edge).every(({ name }) => isPassable(name)) && "nothing restricts it",
    lost.length > 0 &&
      rest.length > 0 &&
      `only ${joinWithAnd(rest)} ${rest.length > 1 ? "restrict" : "restricts"} it now`,
    ...(opens === true ? [] : describeCandidates(candidates)),
  ];
  return reasons.filter(Boolean).join("; ");
}

function describeCandidates({ before, after }: AddressChange["candidates"] = { before: [], after: [] }): string[] {
  const list = (resources: Resource[], does: string) =>
    resources.length > 0 ? [`${joinWithAnd(resources.map(describeResource))} ${does} it`] : [];
  return [...list(before, "may have served"), ...list(after, "may serve")];
}

/** How an edge comes to be reached at an address. */
function describeOrigin({ before, after, address }: AddressChange): string | undefined {
  const { change, edge } = after!;
  if (!change.before) return before ? `new edge in place of ${describeResource(before.change.resource)}` : "new edge";
  if (!before) return address === change.id ? undefined : "new hostport";
  if (before.change !== change) return `moved from ${describeResource(before.change.resource)}`;
  if (isOn(before.edge.backend) !== false || isOn(edge.backend) === false) return undefined;
  return isObject(before.edge.backend) ? "backend is enabled" : "backend is added";
}

const verbFor = (names: string[]) => (names.length > 1 || names.includes("hostports") ? "are" : "is");

function describeLoss(name: string, after: Edge): string {
  if (isOn(after[name]) !== false)
    return name === "policy"
      ? "policy has no action for incoming traffic"
      : `TLS is terminated upstream, which ends ${name}`;
  return isObject(after[name]) ? `${name} is disabled` : `${name} is removed`;
}

/** Why what is in the place of a restriction, and is on, may let in others. */
function describeChange({ was, is }: Failure): string | undefined {
  if (is?.on !== true) return undefined;
  const { name, ids } = is;
  if (name === "policy") return "policy may deny others than before";
  if (!ids) return hasIds(name) ? `the ids of ${name} are unknown` : `whom ${name} lets in is unknown`;
  if (hasHidden(was.what)) return `the old value of ${name} is not known`;
  const added = newIds(was, is);
  if (hasIds(name)) return `${joinWithAnd(added)} ${added.length > 1 ? "are" : "is"} new in ${name}`;
  return added.includes("optionsPassthrough")
    ? `${name} begins to let OPTIONS requests through`
    : `${name} has another issuer or clientId`;
}

/** The modules that decide who can connect, and are unknown, or are enabled but may restrict nobody. */
function listDoubts(edge: Edge): { unknown: string[]; weak: string[] } {
  const [unknown, weak]: [string[], string[]] = [[], []];
  for (const name of restrictions.filter((each) => restricts(edge, each) === "unknown")) {
    const module = edge[name];
    const isUnknown = isOn(module) === "unknown";
    if (isPassable(name)) weak.push(...(isUnknown ? [] : ["anyone can send any user agent"]));
    else if (isUnknown) unknown.push(isObject(module) ? `${name}.enabled` : name);
    else if (name === "mutualTls" && isUpstream(edge) === "unknown") unknown.push("tlsTermination");
    else if (hasHidden(module)) unknown.push("policy.inbound");
    else weak.push(hasIds(name) ? `${name} has no ids` : `${name} has other actions than deny`);
  }
  if (isOn(edge.backend) === "unknown") unknown.push("backend");
  if (hasHidden(edge.hostports)) unknown.push("hostports");
  return { unknown, weak };
}
