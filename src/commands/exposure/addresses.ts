/** The public addresses of a preview, and who can connect to each before and after the change. */

import { equal } from "../../base/json";
import type { EdgeChange } from "./edges";
import {
  type Answer,
  type Edge,
  hasHidden,
  hasIds,
  includes,
  isHidden,
  isOn,
  isUnknown,
  listRestrictions,
  type Who,
  whoCanConnect,
} from "./model";
import { decide, type Server, trustedKey, type Verdict } from "./proof";

/** Who can connect to an address, and the edge that listens there. */
export interface Connection extends Server {
  who: Who;
}

export interface AddressChange extends Verdict {
  /** The hostport, or the route as `edghts_…/edghtsrt_…`; if the hostports are not known, the edge's id, if it has one. */
  address?: string;
  /** Undefined if no edge listens, as far as the preview shows. */
  before?: Connection;
  after?: Connection;
  /** An edge of which it depends whether the change opens the address: it may serve it, or may have served it before. */
  perhaps?: { change: EdgeChange; isAfter: boolean };
}

/** How much of an opening a change is: none, perhaps one, or one. */
export const severity = ({ opens }: { opens: Answer }) => [false, "unknown", true].indexOf(opens);

/** An edge on one side of the change, with its known addresses. */
interface Listener extends Server {
  names: string[];
}

const listListeners = (changes: EdgeChange[], side: "before" | "after"): Listener[] =>
  changes.flatMap((change) => {
    const edge = change[side];
    return edge ? [{ change, edge, names: namesOf(edge) }] : [];
  });

const namesOf = ({ hostports }: Edge): string[] =>
  Array.isArray(hostports)
    ? hostports
        .filter((each) => !isHidden(each))
        .map((each) => (isRoute(String(each)) ? String(each) : String(each).toLowerCase()))
    : [];

const isRoute = (address: string) => /^edghts_\w+\//.test(address);
const isWildcard = (name: string) => name.startsWith("*.");
const hasWildcard = ({ names }: Listener) => names.some(isWildcard);
const hasHiddenAddress = ({ edge }: Listener) => hasHidden(edge.hostports);

/** Whether a wildcard may serve an address: one on the same port with more labels, or another wildcard of this kind. */
const mayServe = (wildcard: string, name: string) =>
  isWildcard(wildcard) && name !== wildcard && name.endsWith(wildcard.slice(1));

/** Whether an edge surely has every address that it had. */
function keepsAddresses({ before, after }: EdgeChange): boolean {
  if (!before || !after) return false;
  if (hasHidden(before.hostports))
    return equal(before.hostports, after.hostports) && !includes(before.hostports, isUnknown);
  return namesOf(before).every((name) => namesOf(after).includes(name));
}

/**
 * The addresses of a preview. Each is served by the edge that names it, else perhaps by a wildcard. Whatever can be, must
 * be proven: two edges that name one address, a wildcard, an edge whose addresses are hidden. `trusted` are the ids that
 * are trusted before the change.
 */
export function listAddressChanges(changes: EdgeChange[], trusted = listTrustedIds(changes)): AddressChange[] {
  const listeners = { before: listListeners(changes, "before"), after: listListeners(changes, "after") };
  const givers = listeners.before.filter(({ change }) => !keepsAddresses(change));
  const findServers = (side: "before" | "after", name: string): (Server | undefined)[] => {
    const own = listeners[side].filter(({ names }) => names.includes(name));
    if (own.length > 0) return own;
    const hidden = side === "before" ? givers.filter(hasHiddenAddress) : [];
    return [undefined, ...hidden, ...listeners[side].filter(({ names }) => names.some((each) => mayServe(each, name)))];
  };
  const named = new Set([...listeners.before, ...listeners.after].flatMap(({ names }) => names));
  const ofNames = [...named].map((name) => ({
    address: name,
    ...judge(pair(findServers("before", name), findServers("after", name)), trusted),
  }));

  const ofHidden = changes.flatMap((change) => {
    const [before, after] = (["before", "after"] as const).map((side) =>
      listeners[side].find((each) => each.change === change && hasHiddenAddress(each)),
    );
    if (!before && !after) return [];
    const isKept = before && keepsAddresses(change);
    const sources = isKept ? [before] : [undefined, ...givers, ...listeners.before.filter(hasWildcard)];
    const wildcards = isKept ? [] : listeners.after.filter(hasWildcard);
    const pairs = [
      ...(after ? pair([...sources.filter((each) => each?.change === change), ...sources], [after]) : []),
      ...(before ? pair([before], [undefined, ...wildcards]) : []),
    ];
    const { opens, perhaps: _, ...judged } = judge(pairs, trusted);
    return [
      { ...(change.id !== undefined && { address: change.id }), ...judged, opens: opens && ("unknown" as const) },
    ];
  });
  return [...ofNames, ...ofHidden];
}

type Pair = [before: Server | undefined, after: Server | undefined];

const pair = (before: (Server | undefined)[], after: (Server | undefined)[]): Pair[] =>
  before.flatMap((was) => after.map((is): Pair => [was, is]));

/** What all possibilities say together. Only what opens an address in each of them surely opens it. */
function judge(pairs: Pair[], trusted: Set<string>): Omit<AddressChange, "address"> {
  const verdicts = pairs.map(([before, after]) => ({ before, after, ...decide(before, after, trusted) }));
  const pick = (isBetter: (one: number, other: number) => boolean) =>
    verdicts.reduce((best, each) => (isBetter(severity(each), severity(best)) ? each : best));
  const [least, { before, after, opens, failures }] = [
    pick((one, other) => one < other),
    pick((one, other) => one > other),
  ];
  const isAfter = least.before === before;
  const perhaps = opens === true && least.opens !== true ? (isAfter ? after : (least.before ?? before)) : undefined;
  return {
    opens: perhaps ? "unknown" : opens,
    failures,
    ...(before && { before: { ...before, who: whoCanConnect(before.edge) } }),
    ...(after && {
      after: { ...after, who: whoAfter(after.edge, perhaps ? "unknown" : opens, perhaps !== undefined && isAfter) },
    }),
    ...(perhaps && { perhaps: { change: perhaps.change, isAfter } }),
  };
}

/** Who can connect afterwards: what is not proven to be restricted, and what perhaps is not served, is not known. */
function whoAfter(edge: Edge, opens: Answer, isPerhaps: boolean): Who {
  const who = whoCanConnect(edge);
  return opens === "unknown" && (who === "restricted" || isPerhaps) ? "unknown" : who;
}

/**
 * The IP policies and certificate authorities that are trusted: each surely restricted an address, with nothing beside
 * it, so whomever it lets in is no stranger.
 */
export function listTrustedIds(changes: EdgeChange[]): Set<string> {
  const listeners = listListeners(changes, "before");
  const count = new Map<string, number>();
  for (const name of listeners.flatMap(({ names }) => names)) count.set(name, (count.get(name) ?? 0) + 1);
  const trusted = listeners
    .filter(
      ({ edge, names }) =>
        isOn(edge.backend) === true && names.some((name) => !isWildcard(name) && count.get(name) === 1),
    )
    .flatMap(({ edge }) => {
      const [only, ...others] = listRestrictions(edge);
      return only?.on === true && others.length === 0 && hasIds(only.name)
        ? (only.ids ?? []).map((id) => trustedKey(only.name, id))
        : [];
    });
  return new Set(trusted);
}
