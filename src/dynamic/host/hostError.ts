/**
 * The dynamic provider host prints an error of check, diff, read or delete with its stack. Then it passes the error to the
 * engine, which shows its message. The host's output is suppressed. If the host prints it in another form, the user
 * sees the message twice. It recognizes a failure of a create or update after which the object exists by its properties,
 * and the engine saves its state. If it stops recognizing them, the engine keeps the state from before the operation.
 */

import { PartialFailure, ProviderError } from "../../core/errors";

const prefix = "tunnel-edge";

class HostError extends Error {
  constructor(message: string) {
    super(message);
    this.stack = message;
  }

  /** The host prints `${error}: ${error.stack}`. */
  override toString(): string {
    return prefix;
  }
}

/** The error that the host is to throw; one that nobody expected keeps its stack. */
export function toHostError(error: Error): Error {
  if (!(error instanceof ProviderError)) return error;
  const hostError = new HostError(error.message);
  if (!(error instanceof PartialFailure)) return hostError;
  return Object.assign(hostError, { id: error.id, properties: error.properties, reasons: [error.message] });
}

/** Keeps the host from printing what the engine shows. */
export function silenceHostErrors(): void {
  const print = console.error;
  console.error = (...args: unknown[]) => {
    if (!String(args[0]).startsWith(`${prefix}: `)) print(...args);
  };
}
