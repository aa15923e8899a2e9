/** The public addresses of a preview, and who can connect to each before and after the change. */

import { equal } from "../../base/json";
import type { EdgeChange } from "./edges";
import {
  type Answer,
  allOf,
  anyOf,
  deniesEveryone,
  type Edge,
  hasHidden,
  hasIds,
  idsOf,
  isHidden,
  isOn,
  isRestricted,
  isSameModule,
  isSecret,
  letsIn,
  not,
  restrictions,
  restricts,
  strongRestrictions,
  type Who,
  whoCanConnect,
} from "./model";

/** Who can connect to an address, and the edge that listens there. */
export interface Connection {
  who: Who;
  change: EdgeChange;
  edge: Edge;
}

export interface AddressChange {
  /** The hostport, or the route as `edghts_…/edghtsrt_…`; if the hostports are not known, the edge's id, if it has one. */
  address?: string;
  /** Undefined if no edge listens, as far as the preview shows. */
  before?: Connection;
  after?: Connection;
  /** Whether anyone can connect afterwards, and could not before. */
  opens: Answer;
  doubts: Doubt[];
}

/** A module that may restrict less than what it replaces. */
export interface Doubt {
  name: string;
  /** The IP policies or certificate authorities that no address has used before; empty if they are not known. */
  newIds: string[];
}

/** How much of an opening a change is: none, perhaps one, or one. */
export const severity = ({ opens }: AddressChange) => [false, "unknown", true].indexOf(opens);

/** The addresses of a preview. `used` are the IP policies and certificate authorities that addresses use before. */
export function listAddressChanges(changes: EdgeChange[], used = listUsedIds(changes)): AddressChange[] {
  // Only one edge can listen on a hostport. If two claim it, the answer that hides no opening counts.
  const before = listEdges(changes, "before", (edge, other) => openness(edge) < openness(other));
  const after = listEdges(changes, "after", (edge, other) => openness(edge) > openness(other));
  const isSecretBefore = changes.some(({ before: edge }) => edge && hasSecretAddress(edge));
  return [...new Set([...before.keys(), ...after.keys()])].map((key) => {
    const [was, is] = [before.get(key), after.get(key)];
    const doubts = was && is ? listDoubts(was.edge, is.edge, used) : [];
    const answers = strongRestrictions.map((name) =>
      is && !doubts.some((doubt) => doubt.name === name) ? restricts(is.edge, name) : "unknown",
    );
    const isClosed = anyOf(...answers);
    const wasClosed = was ? not(isOpen(was.edge)) : isSecretBefore ? "unknown" : true;
    const opens = is ? allOf(wasClosed, isOpen(is.edge, isClosed), isAddress(key) || "unknown") : false;
    const isNoChange = was && is && doubts.length === 0 && !isLessRestricted(was.edge, is.edge);
    return {
      ...(!key.startsWith("urn:") && { address: key }),
      ...(was && { before: { ...was, who: whoCanConnect(was.edge) } }),
      ...(is && { after: { ...is, who: whoCanConnect(is.edge, isClosed) } }),
      opens: isNoChange ? false : opens,
      doubts,
    };
  });
}

const isOpen = (edge: Edge, isClosed = isRestricted(edge)): Answer => allOf(letsIn(edge), not(isClosed));

const levels: Who[] = ["nobody", "restricted", "unknown", "anyone"];
const openness = (edge: Edge) => levels.indexOf(whoCanConnect(edge));

/** The edges by address; if two claim one, that which is preferred. */
function listEdges(
  changes: EdgeChange[],
  side: "before" | "after",
  isPreferred: (edge: Edge, other: Edge) => boolean,
): Map<string, { change: EdgeChange; edge: Edge }> {
  const edges = new Map<string, { change: EdgeChange; edge: Edge }>();
  for (const change of changes) {
    const edge = change[side];
    for (const key of edge ? listKeys(change, edge) : []) {
      const other = edges.get(key)?.edge;
      if (!other || isPreferred(edge!, other)) edges.set(key, { change, edge: edge! });
    }
  }
  return edges;
}

/** The addresses of an edge and, if some of them are not known, the edge's own key. */
function listKeys({ resource, id }: EdgeChange, edge: Edge): string[] {
  const { hostports } = edge;
  const known = Array.isArray(hostports) ? hostports.filter((each) => !isHidden(each)) : [];
  return [
    ...known.map((each) => (isRoute(String(each)) ? String(each) : String(each).toLowerCase())),
    ...(hasHidden(hostports) ? [id ?? resource.urn] : []),
  ];
}

const isRoute = (address: string) => /^edghts_\w+\//.test(address);

/** Whether a key is an address, and not that of an edge whose addresses are not known. */
const isAddress = (key: string) => isRoute(key) || (key.includes(":") && !key.startsWith("urn:"));

const hasSecretAddress = ({ hostports }: Edge) =>
  isSecret(hostports) || (Array.isArray(hostports) && hostports.some(isSecret));

/** The IP policies and certificate authorities that restrict an address before the change. */
export const listUsedIds = (changes: EdgeChange[]): Set<string> =>
  new Set(
    changes.flatMap(({ before }) =>
      before && letsIn(before) !== false
        ? restrictions.flatMap((name) => (restricts(before, name) === false ? [] : (idsOf(before, name) ?? [])))
        : [],
    ),
  );

/**
 * What the API does not show of an address that was restricted: whom an IP policy or a certificate authority lets in that
 * no address has used before, and whom a policy denies whose rules have changed.
 */
function listDoubts(was: Edge, is: Edge, used: Set<string>): Doubt[] {
  const wasRestricted = whoCanConnect(was) === "restricted";
  return restrictions.flatMap((name): Doubt[] => {
    if (restricts(is, name) !== true || isSameModule(was, is, name)) return [];
    const ids = idsOf(is, name);
    const newIds = ids?.filter((id) => !used.has(id)) ?? [];
    const isDoubtful =
      name === "policy"
        ? (wasRestricted || deniesEveryone(was) === true) && deniesEveryone(is) !== true
        : hasIds(name) && wasRestricted && (ids === undefined || newIds.length > 0);
    return isDoubtful ? [{ name, newIds }] : [];
  });
}

/** Whether an edge may let in more than before. */
const isLessRestricted = (was: Edge, is: Edge): boolean =>
  restrictions.some((name) => isLost(name, was, is)) ||
  (letsIn(was) !== true && !(equal(was.hostports, is.hostports) && equal(was.backend, is.backend)));

/** Whether a module restricts an edge before the change, and may no longer do so afterwards. */
export function isLost(name: string, was: Edge, is: Edge): boolean {
  const stays = strongRestrictions.includes(name) ? restricts(is, name) : isOn(is[name]);
  return restricts(was, name) !== false && stays !== true && !isSameModule(was, is, name);
}
