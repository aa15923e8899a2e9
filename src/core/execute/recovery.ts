/** A call without a proof: the service may have executed it, and may still. */

import type { CallError } from "../../api/callError";
import type { Deployment } from "../deployment/deployment";

/** How long a change may take until reads and lists show it. */
const lagMs = 5_000;
const pollIntervalMs = 500;

/** Who looks, and until when. */
interface Caller {
  deployment: Deployment;
  deadline?: number | undefined;
}

/**
 * Looks for what a call without a proof may have done, until it is found. The call may still be running, unless the
 * service itself has responded; and what it did may show only after some seconds.
 */
export async function pollUntil<T>(
  isFound: (value: T) => boolean,
  look: () => Promise<T>,
  { body }: CallError,
  { deployment, deadline = Number.POSITIVE_INFINITY }: Caller,
): Promise<T> {
  const end = Math.min(deployment.clock.now() + (body === "error" ? lagMs : deployment.pendingCallMs), deadline);
  for (;;) {
    const value = await look();
    if (isFound(value) || deployment.clock.now() + pollIntervalMs >= end) return value;
    deployment.showStatus("The response was lost. Checking for a few seconds whether the call succeeded…");
    await deployment.clock.sleep(pollIntervalMs);
  }
}
