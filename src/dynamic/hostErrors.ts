/**
 * Errors as the dynamic provider host shows them. The host prints an error of check, diff, read or delete with its
 * stack, and then hands it to the engine, which shows it on the resource's row: a message for the user is shown only
 * there. Without this file the user sees such a message twice, once with a stack.
 */

import { PartialFailure, ProviderError } from "../core/errors";
import type { JsonObject } from "../json";

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

/** The shape by which the host recognizes an object that exists although its create or update failed. */
class PartialHostError extends HostError {
  readonly reasons: string[];

  constructor(
    message: string,
    readonly id: string,
    readonly properties: JsonObject,
  ) {
    super(message);
    this.reasons = [message];
  }
}

/** The error that the host is to throw. */
export function toHostError(error: unknown, propertiesOf: (state: PartialFailure["state"]) => JsonObject): unknown {
  if (error instanceof PartialFailure)
    return new PartialHostError(error.message, error.state.id, propertiesOf(error.state));
  return error instanceof ProviderError ? new HostError(error.message) : error;
}

/** Keeps the host from printing what the engine shows. */
export function silenceHostErrors(): void {
  const print = console.error;
  console.error = (...args: unknown[]) => {
    if (!String(args[0]).startsWith(`${prefix}: `)) print(...args);
  };
}
