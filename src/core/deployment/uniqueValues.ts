/** Values that only one object can have, such as a hostport: who declares them, and who has changed them. */

import type { Json } from "../../json";

export class UniqueValues {
  private readonly declared = new Map<string, Json | undefined>();
  private readonly changes = new Map<string, { promise: Promise<void>; resolve: () => void }>();

  /** The program declares this value for the object of this id; undefined if it gives up whatever the object has. */
  declare = (id: string, value: Json | undefined) => void this.declared.set(id, value);

  /** Whether it is known what the program declares for an object. */
  isDeclared = (id: string) => this.declared.has(id);

  declaredFor = (id: string): Json | undefined => this.declared.get(id);

  /** The value of an object was changed in the service. */
  markChanged(id: string): void {
    this.changes.get(id)?.resolve();
    this.changes.delete(id);
  }

  /** Resolves when this process changes the value of an object. */
  nextChange(id: string): Promise<void> {
    let change = this.changes.get(id);
    if (!change) {
      let resolve = () => {};
      const promise = new Promise<void>((done) => {
        resolve = done;
      });
      change = { promise, resolve };
      this.changes.set(id, change);
    }
    return change.promise;
  }
}
