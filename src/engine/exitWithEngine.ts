/**
 * The end of the engine, which is the end of its connection. Otherwise a killed CLI leaves processes sending requests
 * that nobody waits for. Without the state of the gRPC connection they live on.
 */

import type { Clock } from "../base/clock";
import type { Channel } from "./engine";

/** What is used of a connection to the engine. */
export interface Connected {
  client: { getChannel(): Channel };
  libraries: { grpc: { connectivityState: { READY: number; TRANSIENT_FAILURE: number; SHUTDOWN: number } } };
}

interface Connecting {
  connect(): Connected | undefined;
}

/** Ends this process with its engine: only for a process that the engine has started. */
export const exitWithEngine = (engine: Connecting, clock: Pick<Clock, "cancel">): void =>
  onEngineEnd(engine, () => void clock.cancel().finally(() => process.exit(1)));

/** Calls a function when the connection to the engine closes. */
export function onEngineEnd(engine: Connecting, work: () => void): void {
  try {
    const connected = engine.connect();
    if (connected) watch(connected.client.getChannel(), connected.libraries.grpc, work);
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
