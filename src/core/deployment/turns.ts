/** One at a time, in the order in which they ask: the writes to an edge, the commands to an agent. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Runs the work when all earlier work for the same key has ended, successfully or not. */
  take<T>(of: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.last.get(of) ?? Promise.resolve()).then(work);
    this.last.set(
      of,
      turn.catch(() => undefined),
    );
    return turn;
  }
}
