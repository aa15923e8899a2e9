/**
 * Whether a change opens a public address. An address has no line only if it is proven that nobody can connect who could
 * not connect before. dev/exposure.md has the four rules.
 */

import { equal, type Json } from "../../base/json";
import type { EdgeChange } from "./edges";
import {
  type Answer,
  deniesEveryone,
  type Edge,
  hasHidden,
  includes,
  isOn,
  isPassable,
  isUnknown,
  listRestrictions,
  type Restriction,
  stateOf,
} from "./model";

/** An edge that serves a public address, before or after a change. */
export interface Server {
  change: EdgeChange;
  edge: Edge;
}

export interface Verdict {
  /** Whether anyone can connect afterwards, and could not before. */
  opens: Answer;
  failures: Failure[];
}

/** A restriction that is not proven to let in nobody else. */
export interface Failure {
  was: Restriction;
  /** What is in its place, if that may be on. */
  is?: Restriction;
}

const silent: Verdict = { opens: false, failures: [] };

/**
 * Whether a change opens an address that one edge serves before, and one afterwards. `known` has the keys of ids that let
 * people in at the same address before, by another preview of the change.
 */
export function decide(before: Server | undefined, after: Server | undefined, known = new Set<string>()): Verdict {
  // Nobody can connect afterwards.
  if (!after || isOn(after.edge.backend) === false || deniesEveryone(after.edge)) return silent;

  // Nobody could before: on a new address any restriction is believed.
  const has = listRestrictions(after.edge);
  const isRestricted = has.some(({ on }) => on === true);
  const wasReached = before ? isOn(before.edge.backend) : false;
  if (wasReached === false && isRestricted) return silent;

  // Whoever gets in must pass everything that may have restricted the address. If nothing may have, anyone could before.
  const had = before ? listRestrictions(before.edge) : [];
  const isSame = (a: Json, b: Json) => isSameValue(a, b, before?.change === after.change);
  const isKept = (was: Restriction, is: Restriction) =>
    isSame(is.what, was.what)
      ? is.on === true || isSame(is.state, was.state)
      : is.on === true &&
        is.ids !== undefined &&
        keysOf({ ...is, ids: newIds(was, is) }).every((key) => known.has(key));
  const isPassed = ({ name }: Restriction) => isPassable(name) && (isRestricted || isOn(after.edge[name]) === true);
  const failures = had
    .filter((was) => !isPassed(was))
    .map((was): Failure & { isKept: boolean } => {
      const own = has.filter(({ name }) => name === was.name);
      return { was, ...(own[0] && { is: own[0] }), isKept: own.some((is) => isKept(was, is)) };
    })
    .filter((each) => !each.isKept);
  const isBackendKept =
    wasReached === true || (before && isSame(stateOf(before.edge.backend), stateOf(after.edge.backend)));
  if (failures.length === 0 && isBackendKept) return silent;

  const isOpen = isOn(after.edge.backend) === true && has.every(({ name }) => isPassable(name));
  const wasRestricted = wasReached === false || had.some(({ on }) => on === true);
  return { opens: (isOpen && wasRestricted) || "unknown", failures };
}

/** What lets in others than before: IP policies, certificate authorities, another login. */
export const newIds = (was: Restriction, is: Restriction): string[] =>
  (is.ids ?? []).filter((id) => !was.ids?.includes(id));

/** An id is known as what it is: an IP policy, a certificate authority, a login. */
export const keysOf = ({ name, ids = [] }: Restriction) => ids.map((id) => `${name} ${id}`);

/**
 * Whether two values are the same. Two hidden secrets are the same only within one edge, where a possible change makes
 * them unknown.
 */
const isSameValue = (a: Json, b: Json, isOneEdge: boolean) =>
  equal(a, b) && !includes(a, isUnknown) && (isOneEdge || !hasHidden(a));
