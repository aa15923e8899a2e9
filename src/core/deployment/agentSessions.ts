/** When an agent of this deployment was last updated. */

import type { Clock } from "../../base/clock";

/** How long an agent needs after an update until it can restart into its new version, by the API document. */
const updateGraceMs = 10_000;

export class AgentSessions {
  private readonly updates = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /** The agent was updated. A time from the state may come from another machine, whose clock is ahead. */
  markUpdated(session: string, at: number): void {
    this.updates.set(session, Math.max(Math.min(at, this.clock.now()), this.updates.get(session) ?? 0));
  }

  /** How long the agent still needs until it can restart or stop, in milliseconds. */
  busyFor(session: string): number {
    return Math.max(0, Math.ceil((this.updates.get(session) ?? 0) + updateGraceMs - this.clock.now()));
  }
}
