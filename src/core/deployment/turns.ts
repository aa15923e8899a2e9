/** One at a time, in the order in which they ask: the writes to an edge, the commands to an agent. */

import { AsyncLocalStorage } from "node:async_hooks";

export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();
  /** Whose turn the running work has. */
  private readonly taken = new AsyncLocalStorage<string[]>();

  /** Runs the work when all earlier work for the same key has ended, successfully or not. Work in a turn has it already. */
  take<T>(of: string, work: () => Promise<T>): Promise<T> {
    const taken = this.taken.getStore() ?? [];
    if (taken.includes(of)) return work();
    const turn = (this.last.get(of) ?? Promise.resolve()).then(() => this.taken.run([...taken, of], work));
    this.last.set(
      of,
      turn.catch(() => undefined),
    );
    return turn;
  }
}
