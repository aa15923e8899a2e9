/**
 * Exits when the connection to the engine closes. Otherwise a killed CLI leaves this process sending requests that
 * nobody waits for. Without the state of the gRPC connection the process lives on.
 */

import type { Channel, Engine, Libraries } from "./engine";

export function exitWithEngine(engine: Engine): void {
  try {
    const connected = engine.connect();
    if (connected) exitWhenClosed(connected.client.getChannel(), connected.libraries.grpc);
  } catch {
    // The engine cannot be watched, and everything else works.
  }
}

function exitWhenClosed(channel: Channel, { connectivityState }: Libraries["grpc"]): void {
  let wasReady = false;
  const watch = () => {
    const state = channel.getConnectivityState(true);
    wasReady ||= state === connectivityState.READY;
    if (wasReady && state === connectivityState.TRANSIENT_FAILURE) process.exit(1);
    channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, watch);
  };
  watch();
}
