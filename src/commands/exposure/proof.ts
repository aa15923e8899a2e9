/**
 * The proof that a change lets no stranger in at a public address: somebody whom nothing let in that restricted an address
 * before. What is not proven is said, with "might". docs/exposure.md has the proof as a table.
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

/** Why a restriction is not proven to keep strangers out. */
export interface Failure {
  name: string;
  /** What it is afterwards, if it may be on. */
  successor?: Restriction;
  /** The ids of its successor that may let in a stranger; undefined if they are not known, or if it has none. */
  newIds?: string[];
  /** Whether it is not known whom it let in before. */
  wasHidden?: boolean;
}

/** An id is trusted as what it is: an IP policy, or a certificate authority. */
export const trustedKey = (name: string, id: string) => `${name} ${id}`;

const proven: Verdict = { opens: false, failures: [] };

/**
 * Whether a change opens an address that one edge serves before, and one afterwards. `trusted` has the keys of the ids
 * each of which restricted an address before, with nothing beside it.
 */
export function decide(before: Server | undefined, after: Server | undefined, trusted: Set<string>): Verdict {
  if (!after || isOn(after.edge.backend) === false || deniesEveryone(after.edge)) return proven;
  const had = before ? listRestrictions(before.edge) : [];
  const has = listRestrictions(after.edge);
  const isRestricted = has.some(({ on }) => on === true);

  // If nobody could connect, any restriction is trusted, as on a new address.
  const wasReached = before ? isOn(before.edge.backend) : false;
  if (wasReached === false && isRestricted) return proven;
  const isTrusted = (name: string) => (id: string) => trusted.has(trustedKey(name, id));
  if (has.some(({ name, on, ids }) => on === true && ids?.every(isTrusted(name)))) return proven;

  // Whoever gets in must pass everything that may have restricted the address.
  const isSame = (a: Json, b: Json) => isSameValue(a, b, before?.change === after.change);
  const findNew = (known: string[], { name, on, ids }: Restriction) =>
    on === true ? ids?.filter((id) => !known.includes(id) && !isTrusted(name)(id)) : undefined;
  const isKept = (was: Restriction, is: Restriction) =>
    is.name === was.name &&
    ((isSame(is.what, was.what) && (is.on === true || isSame(is.state, was.state))) ||
      findNew(was.ids ?? [], is)?.length === 0);
  const isPassed = ({ name }: Restriction) => isPassable(name) && (isRestricted || isOn(after.edge[name]) === true);
  const failures = had
    .filter((was) => !isPassed(was) && !has.some((is) => isKept(was, is)))
    .map((was): Failure => {
      const successor = has.find(({ name }) => name === was.name);
      return {
        name: was.name,
        successor,
        newIds: successor && findNew(was.ids ?? [], successor),
        wasHidden: hasHidden(was.what),
      };
    });

  // And if nobody could connect before, although that is not known, any restriction is trusted.
  const mayHaveBeenClosed =
    wasReached !== true && !(before && isSame(stateOf(before.edge.backend), stateOf(after.edge.backend)));
  if (failures.length === 0 && (isRestricted || !mayHaveBeenClosed)) return proven;

  const isOpen = isOn(after.edge.backend) === true && has.every(({ name }) => isPassable(name));
  const wasRestricted = wasReached === false || had.some(({ on }) => on === true);
  // What is lost says nothing of what remains.
  const rest = failures.every(({ successor }) => successor)
    ? []
    : has.filter(({ on, name }) => on === true && !failures.some((each) => each.name === name));
  const remaining = rest.map((is): Failure => ({ name: is.name, successor: is, newIds: findNew([], is) }));
  return { opens: (isOpen && wasRestricted) || "unknown", failures: [...failures, ...remaining] };
}

/** Whether two values are the same. A secret is, if it is that of one edge: a change that may alter it makes it unknown. */
const isSameValue = (a: Json, b: Json, isOneEdge: boolean) =>
  equal(a, b) && !includes(a, isUnknown) && (isOneEdge || !hasHidden(a));
