/**
 * Logs through the engine, which shows messages as they are and statuses while something runs, with the SDK's own
 * `LogRequest`: the SDK's `log` functions do not work in the dynamic provider host. Without it, messages are printed.
 */

import { printable } from "../core/errors";
import { connectEngine, grpc } from "./engine";

type Severity = "DEBUG" | "INFO" | "WARNING";

/** An engine that does not respond must not hold up what it called. */
const timeoutMs = 10_000;

/** Logs a message, or shows it as the status of what runs. Resolves when the engine has it. */
export async function log(severity: Severity, message: string, isStatus = false): Promise<void> {
  try {
    const engine = connectEngine();
    if (!engine) return;
    const { LogRequest, LogSeverity } =
      require("@pulumi/pulumi/proto/engine_pb") as typeof import("@pulumi/pulumi/proto/engine_pb");
    const request = new LogRequest();
    request.setSeverity(LogSeverity[severity]);
    request.setMessage(printable(message));
    request.setEphemeral(isStatus);
    const { Metadata } = grpc();
    const deadline = Date.now() + timeoutMs;
    await new Promise<void>((done) => engine.log(request, new Metadata(), { deadline }, () => done()));
  } catch {
    if (!isStatus && severity !== "DEBUG") console.error(printable(message));
  }
}
