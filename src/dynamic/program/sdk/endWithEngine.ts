/**
 * The engine of the program that calls a function, whose end ends the program: otherwise a function that waits for the
 * service outlives a killed CLI. It is the SDK's own connection. Without it, the program lives on.
 */

import * as pulumi from "@pulumi/pulumi";
import type { Clock } from "../../../base/clock";
import { type Connected, exitWithEngine } from "../../../engine/exitWithEngine";

const programEngine = {
  connect(): Connected | undefined {
    const client = pulumi.runtime.getEngine?.() as Connected["client"] | undefined;
    const grpc = () => require(require.resolve("@grpc/grpc-js", { paths: [require.resolve("@pulumi/pulumi")] }));
    return client && { client, libraries: { grpc: grpc() } };
  },
};

let isWatched = false;

/** Ends the program, and what it waits for, with its engine. */
export function endWithEngine(clock: Clock): void {
  if (!isWatched) exitWithEngine(programEngine, clock);
  isWatched = true;
}
