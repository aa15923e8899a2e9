/** The resources of one process, by their key, and by the places that they declare or give up. */

import type { Registered } from "./entries";

export class ResourceIndex {
  private readonly byKey = new Map<string, Registered>();
  private readonly keysByPlace = new Map<string, Set<string>>();
  private readonly failed = new Set<string>();

  get hasFailures(): boolean {
    return this.failed.size > 0;
  }

  get = (key: string): Registered | undefined => this.byKey.get(key);

  /** The resources that declare a place, or give it up. */
  at = (place: string): Registered[] => [...(this.keysByPlace.get(place) ?? [])].map((key) => this.byKey.get(key)!);

  set(registered: Registered): void {
    const { key, phase } = registered;
    const before = this.byKey.get(key);
    for (const place of before ? everyPlaceOf(before) : []) this.keysByPlace.get(place)!.delete(key);
    for (const place of everyPlaceOf(registered)) {
      this.keysByPlace.set(place, (this.keysByPlace.get(place) ?? new Set()).add(key));
    }
    this.byKey.set(key, registered);
    if (phase === "failed") this.failed.add(key);
    else this.failed.delete(key);
  }
}

const everyPlaceOf = ({ places, givesUp }: Registered): string[] =>
  givesUp === undefined ? Object.keys(places) : [...Object.keys(places), givesUp];
