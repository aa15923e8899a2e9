/** What a change opens, in a sentence. */

import { isObject } from "../../base/json";
import { joinWithAnd, quote } from "../../base/quote";
import { type AddressChange, type Doubt, isLost } from "./addresses";
import type { Resource } from "./edges";
import {
  conditions,
  type Edge,
  hasHidden,
  idsOf,
  isOn,
  restrictions,
  restricts,
  strongRestrictions,
  type Who,
} from "./model";

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

/** Why a change opens an address. */
export function describeReason(opening: AddressChange): string {
  const { after, opens, doubts } = opening;
  const { edge, change } = after!;
  const was = change.before;
  const lost = was ? restrictions.filter((name) => restricts(edge, name) === false && isLost(name, was, edge)) : [];
  const isCertain = opens === true;
  const unknown = isCertain ? [] : listUnknown(edge);
  const reasons = [
    describeOrigin(opening),
    joinWithAnd(lost.map((name) => explainLoss(name, edge))),
    ...doubts.map(explainDoubt),
    unknown.length > 0 && `${joinWithAnd(unknown)} ${isOrAre(unknown)} unknown`,
    ...(isCertain ? [] : listWeak(edge)),
    isCertain && lost.length === 0 && "nothing restricts it",
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
  if (isOn(after[name]) !== false) return conditions[name]!.failed!;
  return isObject(after[name]) ? `${name} is disabled` : `${name} is removed`;
}

function explainDoubt({ name, newIds }: Doubt): string {
  if (name === "policy") return "whom policy denies depends on its expressions";
  return newIds.length > 0
    ? `${name} has ${joinWithAnd(newIds)}, which no address used before`
    : `the ids of ${name} are unknown`;
}

/** Whether a module that is on, and is known whole, may restrict nothing. */
const isWeak = (edge: Edge, name: string) =>
  isOn(edge[name]) === true &&
  restricts(edge, name) === "unknown" &&
  conditions[name]?.doubt !== undefined &&
  !hasHidden(edge[name]);

const listWeak = (edge: Edge): string[] =>
  restrictions.filter((name) => isWeak(edge, name)).map((name) => conditions[name]!.doubt!);

/** The values that decide who can connect, and are not known. */
export function listUnknown(edge: Edge): string[] {
  const modules = strongRestrictions.filter((name) => restricts(edge, name) === "unknown" && !isWeak(edge, name));
  if (isOn(edge.backend) === "unknown") modules.push("backend");
  const paths = modules.map((name) => {
    if (isOn(edge[name]) === true) return conditions[name]!.path!;
    return isObject(edge[name]) ? `${name}.enabled` : name;
  });
  return hasHidden(edge.hostports) ? [...paths, "hostports"] : paths;
}
