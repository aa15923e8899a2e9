/** One at a time, in the order in which they ask: the writes to an edge, the commands to an agent. */

import { AsyncLocalStorage } from "node:async_hooks";

/** The turns that the running work has. One for all deployments of a process: each further one makes promises slower. */
const taken = new AsyncLocalStorage<{ turns: Turns; of: string }[]>();

export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Runs the work when all earlier work for the same key has ended, successfully or not. Work in a turn has it already. */
  take<T>(of: string, work: () => Promise<T>): Promise<T> {
    const own = taken.getStore() ?? [];
    if (own.some((each) => each.turns === this && each.of === of)) return work();
    const turn = (this.last.get(of) ?? Promise.resolve()).then(() => taken.run([...own, { turns: this, of }], work));
    this.last.set(
      of,
      turn.catch(() => undefined),
    );
    return turn;
  }
}
