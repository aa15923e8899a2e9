/** The public addresses of a preview, and who can connect to each before and after the change. */

import { equal } from "../../base/json";
import type { EdgeChange, Resource } from "./edges";
import {
  type Answer,
  type Edge,
  hasHidden,
  includes,
  isHidden,
  isOn,
  isPassable,
  isUnknown,
  listRestrictions,
  type Who,
  whoCanConnect,
} from "./model";
import { decide, keysOf, type Server, type Verdict } from "./proof";

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
  /** Of a known address, the edges that may serve it, if that is not known. */
  candidates?: Record<Side, Resource[]>;
}

type Side = "before" | "after";

/** How much of an opening a change is: none, perhaps one, or one. */
export const severity = ({ opens }: { opens: Answer }) => [false, "unknown", true].indexOf(opens);

/** An edge on one side of the change, with its known addresses. */
interface Listener extends Server {
  names: string[];
}

const listListeners = (changes: EdgeChange[], side: Side): Listener[] =>
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

/** What may serve an address, or the addresses that an edge hides: an edge, or none. */
type Servers = Record<Side, (Server | undefined)[]>;

/** By address, the keys of the ids that let people in before the change; see `keysOf`. */
export type KnownIds = Map<string, Set<string>>;

/**
 * The ids that let people in according to other previews of the same change. An id counts only if the address was
 * reached and nothing else restricted it: an IP policy beside mutual TLS may let in others.
 */
export function listKnownIds(previews: EdgeChange[][]): KnownIds {
  const known: KnownIds = new Map();
  for (const { address, before, candidates } of previews.flatMap((changes) => listAddressChanges(changes))) {
    if (!address || !before || candidates?.before.length !== 0) continue;
    const [only, ...others] = listRestrictions(before.edge).filter(({ name }) => !isPassable(name));
    if (isOn(before.edge.backend) !== true || only?.on !== true || others.length > 0) continue;
    known.set(address, new Set([...(known.get(address) ?? []), ...keysOf(only)]));
  }
  return known;
}

/** The addresses of a preview, each once. */
export function listAddressChanges(changes: EdgeChange[], known: KnownIds = new Map()): AddressChange[] {
  const listeners = { before: listListeners(changes, "before"), after: listListeners(changes, "after") };
  const givers = listeners.before.filter(({ change }) => !keepsAddresses(change));

  // An address is served by the edge that names it, else perhaps by a wildcard, or by an edge whose hostports are hidden.
  const findServers = (side: Side, name: string): (Server | undefined)[] => {
    const own = listeners[side].filter(({ names }) => names.includes(name));
    if (own.length > 0) return own;
    const hidden = side === "before" ? givers.filter(hasHiddenAddress) : [];
    return [undefined, ...hidden, ...listeners[side].filter(({ names }) => names.some((each) => mayServe(each, name)))];
  };
  const names = new Set([...listeners.before, ...listeners.after].flatMap((each) => each.names));
  const named = [...names].map((name): AddressChange => {
    const servers = { before: findServers("before", name), after: findServers("after", name) };
    const candidates = { before: listCandidates(servers.before), after: listCandidates(servers.after) };
    return { ...judge(name, servers, known.get(name)), candidates };
  });

  // The addresses that an edge hides. Any edge that has lost addresses may have served them before, and a wildcard may
  // serve addresses that the edge loses.
  const hiding = { before: listeners.before.filter(hasHiddenAddress), after: listeners.after.filter(hasHiddenAddress) };
  const wildcards = { before: listeners.before.filter(hasWildcard), after: listeners.after.filter(hasWildcard) };
  const hidden = changes.flatMap((change): AddressChange[] => {
    const before = hiding.before.find((each) => each.change === change);
    const after = hiding.after.find((each) => each.change === change);
    const kept = before && keepsAddresses(change) ? before : undefined;
    if (!before && !after) return [];
    const own = givers.filter((each) => each.change === change);
    const places: Servers[] = [
      ...(after
        ? [{ before: kept ? [kept] : [...own, undefined, ...givers, ...wildcards.before], after: [after] }]
        : []),
      ...(before && !kept ? [{ before: [before], after: [undefined, ...wildcards.after] }] : []),
    ];
    return places.map((servers) => {
      const { opens, ...judged } = judge(change.id, servers);
      return { ...judged, opens: opens && "unknown" };
    });
  });
  return mergeChanges([...named, ...hidden]);
}

/** Each address once, with what shows most of an opening. */
export function mergeChanges(changes: AddressChange[]): AddressChange[] {
  const merged = new Map<string, AddressChange>();
  for (const change of changes) {
    const key = change.address ?? (change.after ?? change.before)?.change.resource.urn ?? "";
    const other = merged.get(key);
    if (!other || severity(change) > severity(other)) merged.set(key, change);
  }
  return [...merged.values()];
}

const listCandidates = (all: (Server | undefined)[]): Resource[] =>
  all.length > 1 ? all.flatMap((each) => each?.change.resource ?? []) : [];

/** Whatever can be, must be proven; and only what opens an address whichever edge serves it surely opens it. */
function judge(address: string | undefined, { before, after }: Servers, known?: Set<string>): AddressChange {
  const pairs = before.flatMap((was) => after.map((is) => ({ was, is, ...decide(was, is, known) })));
  const most = Math.max(...pairs.map(severity));
  const { was, is, failures, ...worst } = pairs.find((each) => severity(each) === most)!;
  const opens = pairs.every((each) => severity(each) === most) ? worst.opens : "unknown";
  return {
    ...(address !== undefined && { address }),
    opens,
    failures,
    ...(was && { before: { ...was, who: whoCanConnect(was.edge) } }),
    ...(is && { after: { ...is, who: decideWho(is.edge, opens, after.length > 1) } }),
  };
}

/**
 * Who can connect afterwards. That is not known if the restriction is not proven, or if the edge may not serve the
 * address.
 */
function decideWho(edge: Edge, opens: Answer, isUncertain: boolean): Who {
  const who = whoCanConnect(edge);
  return opens === "unknown" && (who === "restricted" || isUncertain) ? "unknown" : who;
}
