/** Errors meant for the user. */

import type { JsonObject } from "../base/json";
import type { Redaction } from "../base/redaction";

/** An error that the user reads as its message, without a stack. */
export class ProviderError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "ProviderError";
  }
}

/** A failure after which the object exists: the state records what is known of it, and the next update continues. */
export class PartialFailure extends ProviderError {
  constructor(
    message: string,
    readonly id: string,
    /** The state's properties. */
    readonly properties: JsonObject,
  ) {
    super(message);
  }
}

/** The same failure, with another message. */
export function withMessage(error: unknown, message: string): ProviderError {
  if (error instanceof PartialFailure) return new PartialFailure(message, error.id, error.properties);
  return new ProviderError(message, { cause: error });
}

/** The same error, without secrets. */
export function redactError(error: unknown, { format }: Redaction): Error {
  const failure = error instanceof Error ? error : new Error(String(error));
  const { message, stack = message } = failure;
  return Object.assign(failure, { message: format(message), stack: format(stack) });
}

/** After a failed deletion, the engine does not change the state, and the provider cannot record the outcome. */
export const refreshHint = "If the program declares it again, run `pulumi refresh`, then `pulumi up`.";
