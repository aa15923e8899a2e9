/**
 * Logs through the engine that started this host, with the SDK's own protocol stubs and gRPC library. Without them, what
 * this process prints is what the user sees, and the process does not end with its engine.
 */

import type { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { printable } from "../core/errors";

type Severity = "DEBUG" | "INFO" | "WARNING";

let client: EngineClient | undefined;

/** An engine that does not respond must not hold up what it called. */
const timeoutMs = 10_000;

/** Logs a message, or shows it as the status of what runs. Resolves when the engine has it. */
export async function log(severity: Severity, message: string, isStatus = false): Promise<void> {
  // The engine's address is the host's first argument; without an engine there is nobody to log to.
  const address = process.argv[2];
  if (!address) return;
  try {
    const { LogRequest, LogSeverity } =
      require("@pulumi/pulumi/proto/engine_pb") as typeof import("@pulumi/pulumi/proto/engine_pb");
    const request = new LogRequest();
    request.setSeverity(LogSeverity[severity]);
    request.setMessage(printable(message));
    request.setEphemeral(isStatus);
    client ??= connect(address);
    const engine = client;
    const { Metadata } = grpc();
    const deadline = Date.now() + timeoutMs;
    await new Promise<void>((done) => engine.log(request, new Metadata(), { deadline }, () => done()));
  } catch {
    // There is no gRPC here.
    if (!isStatus && severity !== "DEBUG") console.error(printable(message));
  }
}

/**
 * Ends this process when its engine is gone. A CLI that is killed leaves the host behind, which would go on sending
 * what nobody waits for any more, and might undo what the next run does.
 */
export function exitWithEngine(): void {
  const address = process.argv[2];
  if (!address) return;
  try {
    client ??= connect(address);
    exitWhenGone(client.getChannel());
  } catch {
    // Without the SDK's gRPC library the engine cannot be watched, and everything else works.
  }
}

function exitWhenGone(channel: ReturnType<EngineClient["getChannel"]>): void {
  const { connectivityState } = grpc();
  let met = false;
  const watch = () => {
    const state = channel.getConnectivityState(true);
    met ||= state === connectivityState.READY;
    if (met && state === connectivityState.TRANSIENT_FAILURE) process.exit(1);
    channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, watch);
  };
  watch();
}

/** The SDK's own gRPC library, wherever the package manager has put it. */
const grpc = () => require(require.resolve("@grpc/grpc-js", { paths: [require.resolve("@pulumi/pulumi")] }));

function connect(address: string): EngineClient {
  const engine = require("@pulumi/pulumi/proto/engine_grpc_pb") as typeof import("@pulumi/pulumi/proto/engine_grpc_pb");
  return new engine.EngineClient(address, grpc().credentials.createInsecure());
}
