/**
 * What only one resource of a program can declare: a hostport, a public key, a module of an edge. Two are a mistake,
 * which the second of them finds in the preview. A pair that the state already has is left to a warning.
 */

import type { Options } from "../options";

/** A hostport, a public key, or a module. */
export interface Place {
  /** The same string for whoever means the same. */
  id: string;
  /** As messages name it. */
  name: string;
  /** Whether the resource already declares it in the state. */
  isOld: boolean;
}

interface Claim extends Pick<Options, "resource" | "importId"> {
  isOld: boolean;
}

/** Whether both claims are in the state, or import the same object. Then a warning is enough. */
const isAllowed = (one: Claim, other: Claim) =>
  (one.isOld && other.isOld) || (one.importId !== undefined && one.importId === other.importId);

export class Claims {
  /** By place, then by the resource's key. */
  private readonly claims = new Map<string, Map<string, Claim>>();
  /** The places of each resource. */
  private readonly places = new Map<string, Set<string>>();

  /** A resource declares only these places, as its check knows. Returns what is wrong with them. */
  replace(claimant: Options, places: Place[]): string[] {
    const ids = new Set(places.map(({ id }) => id));
    for (const id of this.places.get(claimant.key) ?? []) if (!ids.has(id)) this.claims.get(id)?.delete(claimant.key);
    this.places.set(claimant.key, ids);
    return this.add(claimant, places);
  }

  /** A resource declares these places, too. */
  add({ key, resource, importId }: Options, places: Place[]): string[] {
    return places.flatMap(({ id, name, isOld }) => {
      const claims = this.claims.get(id) ?? new Map<string, Claim>();
      // A replacement is checked again, as if it were new.
      const claim = { resource, importId, isOld: isOld || claims.get(key)?.isOld === true };
      this.claims.set(id, claims.set(key, claim));
      this.places.get(key)?.add(id);
      const other = [...claims.values()].find((each) => each !== claim && !isAllowed(each, claim));
      if (!other) return [];
      claims.delete(key);
      return [`${name} is already declared by ${other.resource}. Declare it in one place.`];
    });
  }
}
