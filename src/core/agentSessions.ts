/** What this process knows of agents' sessions: who is sending to one, and when one was last told to update. */

/** For tests: 0.01 makes the seconds below hundredths of themselves, as the emulator's `timeScale` does. */
const scale = Number(process.env.TUNNEL_EDGE_TIME_SCALE) || 1;

/** So many seconds, in milliseconds. */
export const seconds = (count: number) => count * 1000 * scale;

/** How long an agent needs after an update until it can leave for its new code, by the API document. */
const updateGraceMs = seconds(10);

export class AgentSessions {
  private readonly turns = new Map<string, Promise<void>>();
  private readonly updates = new Map<string, number>();

  /** Resources that send to the same session do so one after the other, each its whole sequence. */
  serialize<T>(session: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.turns.get(session) ?? Promise.resolve()).then(work);
    const over = () => undefined;
    this.turns.set(session, mine.then(over, over));
    return mine;
  }

  /** The agent was told to update. A time from the state may be another machine's, ahead of this one's. */
  markUpdated(session: string, at: number): void {
    this.updates.set(session, Math.max(Math.min(at, Date.now()), this.updates.get(session) ?? 0));
  }

  /** How long the agent still needs until it may restart or stop, in milliseconds. */
  busyFor(session: string): number {
    return Math.max(0, Math.ceil((this.updates.get(session) ?? 0) + updateGraceMs - Date.now()));
  }
}
