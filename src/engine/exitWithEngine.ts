/**
 * Exits when the connection to the engine closes. Otherwise a killed CLI leaves this process sending requests that
 * nobody waits for. Without the state of the gRPC connection the process lives on.
 */

import type { Clock } from "../base/clock";
import type { Channel } from "./engine";

/** What is used of a connection to the engine. */
export interface Connected {
  client: { getChannel(): Channel };
  libraries: { grpc: { connectivityState: { READY: number; TRANSIENT_FAILURE: number; SHUTDOWN: number } } };
}

export function exitWithEngine(engine: { connect(): Connected | undefined }, clock: Pick<Clock, "cancel">): void {
  const exit = () => void clock.cancel().finally(() => process.exit(1));
  try {
    const connected = engine.connect();
    if (connected) watch(connected.client.getChannel(), connected.libraries.grpc, exit);
  } catch {
    // The engine cannot be watched, and everything else works.
  }
}

function watch(channel: Channel, { connectivityState }: Connected["libraries"]["grpc"], onClose: () => void): void {
  let wasReady = false;
  const look = () => {
    const state = channel.getConnectivityState(true);
    wasReady ||= state === connectivityState.READY;
    if (wasReady && state === connectivityState.TRANSIENT_FAILURE) return onClose();
    // This process has closed the connection itself.
    if (state === connectivityState.SHUTDOWN) return;
    channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, look);
  };
  look();
}
