/**
 * Ends the host when its engine is gone, which it sees by the state of their gRPC connection: a CLI that is killed
 * leaves the host behind, which would go on sending requests that nobody waits for. Without that state the host lives on.
 */

import { type Channel, connectEngine, grpc } from "./engine";

export function exitWithEngine(): void {
  try {
    const engine = connectEngine();
    if (engine) exitWhenClosed(engine.getChannel());
  } catch {
    // The engine cannot be watched, and everything else works.
  }
}

function exitWhenClosed(channel: Channel): void {
  const { connectivityState } = grpc();
  let wasReady = false;
  const watch = () => {
    const state = channel.getConnectivityState(true);
    wasReady ||= state === connectivityState.READY;
    if (wasReady && state === connectivityState.TRANSIENT_FAILURE) process.exit(1);
    channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, watch);
  };
  watch();
}
