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
import type { Failure } from "./proof";

/** What the API shows of a route. */
export const knownOfRoutes = `Of a route of an HTTPS edge, only ${joinWithAnd(Object.keys(routeModules))} are known.`;

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
  const { before, after, opens, failures, perhaps } = opening;
  const { edge } = after!;
  const lost = failures.filter(({ successor }) => !successor).map(({ name }) => explainLoss(name, edge));
  const isCertain = opens === true;
  const unknown = isCertain ? [] : listUnknown(edge);
  const wasUnknown = before && isOn(before.edge.backend) === "unknown" && isOn(edge.backend) !== "unknown";
  const reasons = [
    describeOrigin(opening),
    joinWithAnd([...new Set(lost)]),
    ...new Set(failures.map(explainSuccessor)),
    unknown.length > 0 && `${joinWithAnd(unknown)} ${isOrAre(unknown)} unknown`,
    ...(isCertain ? [] : listWeak(edge)),
    wasUnknown && "whether backend was enabled is not known",
    failures.length === 0 && listRestrictions(edge).every(({ name }) => isPassable(name)) && "nothing restricts it",
    perhaps && `${describeResource(perhaps.change.resource)} ${perhaps.isAfter ? "may serve" : "may have served"} it`,
  ];
  return reasons.filter(Boolean).join("; ");
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

const isOrAre = (names: string[]) => (names.length > 1 || names.includes("hostports") ? "are" : "is");

function explainLoss(name: string, after: Edge): string {
  if (isOn(after[name]) !== false)
    return name === "policy"
      ? "policy has no action for incoming traffic"
      : `TLS is terminated upstream, which ends ${name}`;
  return isObject(after[name]) ? `${name} is disabled` : `${name} is removed`;
}

/** Why what is in the place of a restriction, and is on, may let in strangers. */
function explainSuccessor({ name, successor, newIds, wasHidden }: Failure): string | undefined {
  if (successor?.on !== true) return undefined;
  if (name === "policy") return "whom policy denies depends on its expressions";
  if (!newIds) return hasIds(name) ? `the ids of ${name} are unknown` : `whom ${name} lets in is unknown`;
  if (wasHidden) return `what ${name} was is not known`;
  if (hasIds(name)) return `${name} has ${joinWithAnd(newIds)}, which no address used on its own before`;
  return newIds.includes("optionsPassthrough")
    ? `${name} begins to let OPTIONS requests through`
    : `${name} has another issuer or clientId`;
}

/** Whether a module that is on, and is known whole, may restrict nothing. */
const isWeak = (edge: Edge, name: string) =>
  isOn(edge[name]) === true &&
  restricts(edge, name) === "unknown" &&
  !hasHidden(edge[name]) &&
  !(name === "mutualTls" && isUpstream(edge) === "unknown");

const listWeak = (edge: Edge): string[] =>
  restrictions
    .filter((name) => isWeak(edge, name))
    .map((name) => {
      if (isPassable(name)) return "anyone can send any user agent";
      return hasIds(name) ? `${name} has no ids` : `${name} has other actions than deny`;
    });

/** The values that decide who can connect, and are not known. */
export function listUnknown(edge: Edge): string[] {
  const isUnclear = (name: string) => !isPassable(name) && restricts(edge, name) === "unknown" && !isWeak(edge, name);
  const modules = restrictions.filter(isUnclear);
  if (isOn(edge.backend) === "unknown") modules.push("backend");
  const paths = modules.map((name) => {
    if (isOn(edge[name]) === true) return name === "policy" ? "policy.inbound" : "tlsTermination";
    return isObject(edge[name]) ? `${name}.enabled` : name;
  });
  return hasHidden(edge.hostports) ? [...paths, "hostports"] : paths;
}
