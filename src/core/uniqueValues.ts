/** Values that only one object can have, such as a hostport: who declares them, and who waits for whom. */

import type { Json } from "../json";

export class UniqueValues {
  private readonly declared = new Map<string, Json | undefined>();
  private readonly waits = new Map<string, string>();

  /** The program declares this value for the object of this id. */
  declare = (id: string, value: Json | undefined) => void this.declared.set(id, value);

  declaredFor = (id: string): Json | undefined => this.declared.get(id);

  /** An object waits for a value that another has. */
  startWaiting = (id: string, holder: string) => void this.waits.set(id, holder);

  stopWaiting = (id: string) => void this.waits.delete(id);

  /** Whether an object waits for another, or for one that waits for it. */
  isWaitingFor(id: string, other: string): boolean {
    const seen = new Set<string>();
    for (let next = this.waits.get(id); next && !seen.has(next); next = this.waits.get(next)) {
      if (next === other) return true;
      seen.add(next);
    }
    return false;
  }
}
