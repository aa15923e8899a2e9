/** Logs through the engine, which shows messages as they are and statuses while something runs. */

import { systemTime } from "../base/clock";
import type { Engine, Libraries } from "./engine";

export interface Entry {
  severity: keyof Libraries["LogSeverity"];
  /** Without control characters. */
  message: string;
  /** Whether it is the status of what runs, instead of a message that stays. */
  isStatus?: boolean;
  /** The resource on whose row it stands; by default the stack's. */
  urn?: string;
}

/** An engine that does not respond must not hold up what it called. */
const timeoutMs = 10_000;

/** Resolves when the engine has the message. Without an engine's libraries it is printed. */
export async function log(engine: Engine, { severity, message, isStatus = false, urn }: Entry): Promise<void> {
  try {
    const connected = engine.connect();
    if (!connected) return;
    const { client, libraries } = connected;
    const { LogRequest, LogSeverity, grpc } = libraries;
    const request = new LogRequest();
    request.setSeverity(LogSeverity[severity] as never);
    request.setMessage(message);
    request.setEphemeral(isStatus);
    if (urn !== undefined) request.setUrn(urn);
    const deadline = systemTime.now() + timeoutMs;
    await new Promise<void>((done) =>
      client.log(request as never, new grpc.Metadata() as never, { deadline }, () => done()),
    );
  } catch {
    if (!isStatus && severity !== "DEBUG") console.error(message);
  }
}
